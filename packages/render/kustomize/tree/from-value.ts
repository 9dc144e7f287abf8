import { formatFloat, formatJsonFloat, type Printable, printYaml } from '@tiphys/yaml';
import { boolTag, floatTag, intTag, Node, nullTag, type Origin, stringTag } from './node.ts';
import { resolveScalar } from './resolve-scalar.ts';

/**
 * How a value is written before it is read as a tree: `json` quotes all strings and keys, `yaml` those that need it and
 * has the floats of Go.
 */
export type ValueForm = 'json' | 'yaml';

/** The tree of a JSON value; `like` is a tree of the same shape whose origins it takes. */
export function fromValue(value: Printable, like?: Node, form: ValueForm = 'json'): Node {
  return build(value, like, form, undefined, 0);
}

/** The tree of a value that has one origin as a whole. */
export function fromValueAt(value: Printable, form: ValueForm, origin: Origin | undefined, line: number): Node {
  return build(value, undefined, form, origin, line);
}

function build(
  value: Printable,
  like: Node | undefined,
  form: ValueForm,
  origin: Origin | undefined,
  line: number,
): Node {
  const node = bare(value, like, form, origin, line);
  node.origin = like?.origin ?? origin;
  node.line = like?.origin ? like.line : line;
  return node;
}

function bare(
  value: Printable,
  like: Node | undefined,
  form: ValueForm,
  origin: Origin | undefined,
  line: number,
): Node {
  if (value === null || value === undefined) return Node.scalar('null', nullTag);
  if (typeof value === 'string') return text(value, form);
  if (typeof value === 'boolean') return Node.scalar(String(value), boolTag);
  if (typeof value === 'bigint' || typeof value === 'number') return number(value, form);
  if (Array.isArray(value))
    return Node.list(
      value.map((item: Printable, i) =>
        build(item, like?.kind === 'list' ? like.content[i] : undefined, form, origin, line),
      ),
    );
  const map = Node.map();
  const entries: [string, Printable][] =
    value instanceof Map ? [...(value as Map<string, Printable>)] : Object.entries(value);
  for (const [i, [key, item]] of entries.entries()) {
    const same = like?.content[2 * i]?.value === key ? like.content[2 * i + 1] : like?.get(key);
    const field = build(item, same, form, origin, line);
    const name = text(key, form);
    name.origin = field.origin;
    name.line = field.line;
    map.content.push(name, field);
  }
  return map;
}

function text(value: string, form: ValueForm): Node {
  return new Node('scalar', value, stringTag, form === 'json' || !isPlain(value) ? 'quoted' : '');
}

const plainWords = new Map<string, boolean>();

/** Whether go-yaml v3 writes the string without quotes. */
function isPlain(value: string): boolean {
  // What is longer than any word with a meaning of its own, and has no sign that means something.
  if (value.length > 5 && /^[A-Za-z_/][\w./:@-]*\w$/.test(value)) return true;
  if (value.length > 20) return isPrintedPlain(value);
  let plain = plainWords.get(value);
  if (plain === undefined) {
    plain = isPrintedPlain(value);
    if (plainWords.size > 5000) plainWords.clear();
    plainWords.set(value, plain);
  }
  return plain;
}

function isPrintedPlain(value: string): boolean {
  return !/^["'|>]/.test(printYaml(value, { dialect: 'v3' }));
}

function number(value: bigint | number, form: ValueForm): Node {
  if (form === 'json' && typeof value === 'bigint') return Node.scalar(String(value), intTag);
  const digits = form === 'json' ? formatJsonFloat(Number(value)) : formatFloat(Number(value));
  return Node.scalar(digits, resolveScalar(digits).tag === '!!int' ? intTag : floatTag);
}
