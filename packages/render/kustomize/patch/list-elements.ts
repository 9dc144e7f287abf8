import { requireKind } from '../tree/invalid-kind.ts';
import type { Node } from '../tree/node.ts';

/** The keys by which an element of a list is found, with the values that it must have. A key `''` stands for a scalar. */
export interface ElementKeys {
  readonly keys: readonly string[];
  readonly values: readonly string[];
}

/** The first element that has all values. Elements that are no maps never match named keys. */
export function findElement(list: Node, { keys, values }: ElementKeys): Node | undefined {
  if (keys.length === 0 || keys[0] === '') return list.content.find((item) => item.value === (values[0] ?? ''));
  return list.content.find(
    (item) => item.kind === 'map' && !item.isNull && keys.every((key, i) => item.get(key)?.value === values[i]),
  );
}

/**
 * Puts an element in the place of all that match, or at the end if none does; without an element, all that match go. As in
 * kyaml, empty elements go in any case, and without values every element that does not match goes too.
 */
export function setElement(list: Node, { keys, values }: ElementKeys, element: Node | undefined): void {
  requireKind(list, 'list');
  const forMaps = keys[0] !== '' && (values[0] ?? '') !== '';
  const content: Node[] = [];
  let found = false;
  for (const item of list.content) {
    if (item.isNull || (item.kind === 'map' && item.content.length === 0)) continue;
    if (item.kind !== 'map' && forMaps) content.push(item);
    else if (matches(item, keys, values)) {
      found = true;
      if (element) content.push(element);
    } else if (values.length > 0) content.push(item);
  }
  if (element && !element.isNull && !found) content.push(element);
  list.content = content;
}

/** A key beyond the values is taken for matched if the one before was; an empty value matches any. */
function matches(item: Node, keys: readonly string[], values: readonly string[]): boolean {
  let match: Node | undefined;
  for (const [i, key] of keys.entries()) {
    const value = values[i];
    if (value !== undefined) match = matchField(item, key, value);
    if (match === undefined) return false;
  }
  return true;
}

function matchField(item: Node, key: string, value: string): Node | undefined {
  if (key === '') {
    requireKind(item, 'scalar');
    return item.value === value ? item : undefined;
  }
  requireKind(item, 'map');
  const field = item.get(key);
  return value === '' || field?.value === value ? field : undefined;
}
