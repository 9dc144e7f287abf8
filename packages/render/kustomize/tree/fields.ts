import { GoError } from '../failure/go-error.ts';
import { requireKind } from './invalid-kind.ts';
import { Node, type NodeKind, stringTag } from './node.ts';
import { isYaml11NonString } from './resolve-scalar.ts';

/**
 * The node at a path, by kyaml's rules for its parts: a key, an index, `-` for the last item, `[key=value]`, `[=value]`.
 * Undefined if a part is missing or a null stands in the way; throws for a part that does not fit its node.
 */
export function lookup(node: Node, ...path: readonly string[]): Node | undefined {
  return follow(node, path, undefined);
}

/** The node at a path; what is missing is made: maps and lists on the way, a node of the kind at its end. */
export function lookupCreate(node: Node, kind: NodeKind, ...path: readonly string[]): Node | undefined {
  return follow(node, path, kind);
}

function follow(node: Node, path: readonly string[], create: NodeKind | undefined): Node | undefined {
  let at: Node | undefined = node;
  const parts = path.map((part) => part.trim()).filter((part) => part !== '');
  for (let i = 0; i < parts.length; i++) {
    at = step(at, parts[i] as string, parts[i + 1] ?? '', create);
    if (at === undefined) return undefined;
  }
  return at;
}

function step(node: Node, part: string, next: string, create: NodeKind | undefined): Node | undefined {
  if (/^[-+]?\d+$/.test(part)) {
    const index = Number(part);
    if (index < 0) throw new GoError(`array index ${index} cannot be negative`);
    requireKind(node, 'list');
    return node.kind === 'list' ? node.content[index] : undefined;
  }
  if (part === '-') {
    requireKind(node, 'list');
    return node.content.at(-1);
  }
  if (part === '*') throw new GoError('wildcard is not supported in PathGetter');
  if (isListIndex(part)) return element(node, part, create);
  if (node.isNull) return undefined;
  requireKind(node, 'map');
  const found = node.get(part);
  if (found !== undefined || create === undefined) return found;
  const made = new Node(next === '' ? create : isListIndex(next) || /^\+?\d+$/.test(next) ? 'list' : 'map');
  made.origin = node.origin;
  made.line = node.line;
  setField(node, part, made);
  return made;
}

export function isListIndex(part: string): boolean {
  return part.startsWith('[') && part.endsWith(']');
}

/** `[key=value]` in its two parts. */
export function splitIndex(part: string): [string, string] {
  const inside = part.slice(1, -1);
  const at = inside.indexOf('=');
  if (at < 0) throw new GoError('list path element must contain fieldName=fieldValue for element to match');
  return [inside.slice(0, at), inside.slice(at + 1)];
}

function element(node: Node, part: string, create: NodeKind | undefined): Node | undefined {
  const [key, value] = splitIndex(part);
  requireKind(node, 'list');
  for (const item of node.content) {
    if (key === '') {
      if (item.value === value) return item;
      continue;
    }
    if (item.kind !== 'map' && !item.isNull) continue;
    const found = item.isNull ? undefined : item.get(key);
    if (found !== undefined && found.value === value) return item;
  }
  if (create === undefined) return undefined;
  const made = key === '' ? Node.scalar(value) : new Node('map');
  if (key !== '') made.append(key, Node.scalar(value));
  made.stamped(node.origin, node.line);
  node.content.push(made);
  return made;
}

/** Quotes a string that a YAML 1.1 reader would take for something else, as every setter of kyaml does. */
function guarded(value: Node): void {
  if (
    value.kind === 'scalar' &&
    (value.tag === stringTag || value.tag === '') &&
    value.style === '' &&
    isYaml11NonString(value.value)
  )
    value.style = 'quoted';
}

/**
 * Sets a field of a map: what is there keeps its identity and its style; a null clears it. Gives the node of the field.
 * The value must not be used elsewhere.
 */
export function setField(node: Node, name: string, value: Node | undefined): Node | undefined {
  if (value !== undefined) guarded(value);
  if (value === undefined || value.isNull) {
    requireKind(node, 'map');
    return node.clear(name);
  }
  if (!node.isNull) requireKind(node, 'map');
  const field = node.isNull ? undefined : node.get(name);
  if (field !== undefined) {
    value.style = field.style;
    field.become(value);
    return field;
  }
  node.append(name, value);
  return value;
}

/** Sets a scalar: its style stays, its tag is the value's. Throws if the node is a map or a list. */
export function setScalar(node: Node, value: Node): void {
  guarded(value);
  requireKind(node, 'scalar');
  if (value.isNull) return;
  value.style = node.style;
  node.become(value);
}
