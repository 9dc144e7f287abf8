import { formatJsonFloat, type Printable } from '@tiphys/yaml';
import { boolTag, floatTag, intTag, Node, nullTag } from './node.ts';

/** The tree of a JSON value; `like` is a tree of the same shape whose origins it takes. */
export function fromValue(value: Printable, like?: Node): Node {
  const node = bare(value, like);
  if (like) {
    node.origin = like.origin;
    node.line = like.line;
  }
  return node;
}

function bare(value: Printable, like: Node | undefined): Node {
  if (value === null || value === undefined) return Node.scalar('null', nullTag);
  if (typeof value === 'string') {
    const node = Node.string(value);
    node.style = 'quoted';
    return node;
  }
  if (typeof value === 'boolean') return Node.scalar(String(value), boolTag);
  if (typeof value === 'bigint') return Node.scalar(String(value), intTag);
  if (typeof value === 'number') {
    const text = formatJsonFloat(value);
    return Node.scalar(text, /[.e]/i.test(text) ? floatTag : intTag);
  }
  if (Array.isArray(value))
    return Node.list(
      value.map((item: Printable, i) => fromValue(item, like?.kind === 'list' ? like.content[i] : undefined)),
    );
  const map = Node.map();
  const entries: [string, Printable][] =
    value instanceof Map ? [...(value as Map<string, Printable>)] : Object.entries(value);
  for (const [key, item] of entries) map.append(key, fromValue(item, like?.get(key)));
  return map;
}
