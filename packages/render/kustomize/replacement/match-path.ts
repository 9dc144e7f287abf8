import { GoError, wrapped } from '../failure/go-error.ts';
import { compilePattern, isLiteral } from '../resource/selector-pattern.ts';
import { encodeNode } from '../tree/encode-node.ts';
import { isListIndex, setField, splitIndex } from '../tree/fields.ts';
import { requireKind } from '../tree/invalid-kind.ts';
import { Node, type NodeKind } from '../tree/node.ts';
import { readStructuredText } from './structured-text.ts';

/**
 * All nodes at a path whose parts are keys, indices, `*` for every element and `[key=pattern]`. With `create`, what is
 * missing is made, with a node of that kind at the end.
 */
export function matchPath(node: Node, path: readonly string[], create: NodeKind | undefined): Node[] {
  const [part, ...rest] = path;
  if (part === undefined) return [node];
  if (isIndex(part)) return atIndex(node, part, rest, create);
  if (isListIndex(part)) return elements(node, part, rest, create);
  if (part === '*') {
    requireKind(node, 'list');
    return items(node).flatMap((item) => matchPath(item, rest, create));
  }
  return field(node, part, rest, create);
}

function isIndex(part: string): boolean {
  return /^\+?\d+$/.test(part) || /^-0+$/.test(part);
}

function items(node: Node): readonly Node[] {
  return node.isNull ? [] : node.content;
}

function kindFor(next: string | undefined, last: NodeKind): NodeKind {
  if (next === undefined || next === '') return last;
  return isListIndex(next) || isIndex(next) ? 'list' : 'map';
}

function field(node: Node, part: string, rest: readonly string[], create: NodeKind | undefined): Node[] {
  if (!node.isNull) requireKind(node, part === '' ? 'scalar' : 'map');
  let found = node.isNull || part === '' ? undefined : node.get(part);
  if (found === undefined) {
    if (create === undefined) return [];
    found = new Node(kindFor(rest[0], create));
    found.origin = node.origin;
    found.line = node.line;
    setField(node, part, found);
  }
  if (found.kind === 'scalar' && rest.length > 0) {
    return matchPath(readStructuredText(found.value, found.origin), rest, create);
  }
  return matchPath(found, rest, create);
}

function atIndex(node: Node, part: string, rest: readonly string[], create: NodeKind | undefined): Node[] {
  requireKind(node, 'list');
  const index = Number(part);
  if (items(node).length === index && create !== undefined) append(node, new Node(kindFor(rest[0], create)));
  const item = items(node)[index];
  if (item === undefined) throw new GoError(`index ${index} specified but only ${items(node).length} elements found`);
  return matchPath(item, rest, create);
}

function append(list: Node, item: Node): void {
  item.stamped(list.origin, list.line);
  list.content.push(item);
}

function elements(node: Node, part: string, rest: readonly string[], create: NodeKind | undefined): Node[] {
  const [key, pattern] = splitIndex(part);
  const found = matchingElements(node, key, pattern, rest, create);
  if (found.length > 0 || create === undefined) return found;
  const made = key === '' ? Node.scalar(pattern) : new Node('map');
  if (key !== '') made.append(key, Node.scalar(pattern));
  try {
    requireKind(node, 'list');
    append(node, made);
  } catch (error) {
    throw wrapped(error, `failed to create element for ${JSON.stringify(part)}`);
  }
  const again = matchingElements(node, key, pattern, rest, create);
  // Kustomize makes elements without end here.
  if (again.length === 0)
    throw new GoError(`the element that is made for ${JSON.stringify(part)} does not match its own pattern`, {
      remedies: ['Use a plain text in the selector of an element that is to be created'],
    });
  return again;
}

function matchingElements(
  node: Node,
  key: string,
  pattern: string,
  rest: readonly string[],
  create: NodeKind | undefined,
): Node[] {
  requireKind(node, 'list');
  return items(node).flatMap((item) => {
    const matches = isLiteral(pattern)
      ? (text: string) => text.includes(pattern)
      : (text: string) => compilePattern(pattern).matcher(text).find();
    const value = key === '' ? item : item.kind === 'map' ? item.get(key) : undefined;
    if (value === undefined || !matches(encodeNode(value).trim())) return [];
    // The rest of the path is not followed below scalars, as in kyaml.
    return key === '' ? [item] : matchPath(item, rest, create);
  });
}
