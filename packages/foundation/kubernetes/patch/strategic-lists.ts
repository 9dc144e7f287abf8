import { goText } from '../object/go-value.ts';
import { type Fields, isFields } from '../smd/typed-value.ts';
import { PatchError } from './patch-error.ts';

export const directive = '$patch';
export const retainKeys = '$retainKeys';
export const deletePrefix = '$deleteFromPrimitiveList/';
export const orderPrefix = '$setElementOrder/';

/** What items of a merged list are told apart by: their merge key, or themselves. */
export function identity(item: unknown, mergeKey: string): unknown {
  return mergeKey && isFields(item) ? item[mergeKey] : item;
}

export function requireKey(item: unknown, mergeKey: string): unknown {
  if (!isFields(item)) throw new PatchError(500, `expected a map[string]interface {}, but received a ${goType(item)}`);
  if (!Object.hasOwn(item, mergeKey)) {
    throw new PatchError(500, `map: ${goText(item)} does not contain declared merge key: ${mergeKey}`);
  }
  return item[mergeKey];
}

/** The kind of the items; all must be of one. Throws for lists of lists and mixed lists. */
export function itemKind(...lists: readonly unknown[][]): 'map' | 'scalar' {
  let kind: string | undefined;
  for (const item of lists.flat()) {
    if (Array.isArray(item)) throw new PatchError(500, 'lists of lists are not supported');
    const own = isFields(item) ? 'map' : typeof item;
    if (kind !== undefined && kind !== own) {
      throw new PatchError(500, `list element types are not identical: ${kind} and ${own}`);
    }
    kind = own;
  }
  if (kind === undefined) throw new PatchError(500, 'no elements in any of the given slices');
  return kind === 'map' ? 'map' : 'scalar';
}

/** Sorts items by their place in `order`; items to be deleted go to the end. */
export function sortByOrder(items: readonly unknown[], order: readonly unknown[], mergeKey: string): unknown[] {
  const places = placesIn(order, mergeKey);
  const isDeletion = (item: unknown) => mergeKey !== '' && isFields(item) && item[directive] === 'delete';
  const kept = items.filter((item) => !isDeletion(item));
  const place = (item: unknown) => places.get(identity(item, mergeKey)) ?? -1;
  return [...kept.sort((a, b) => place(a) - place(b)), ...items.filter(isDeletion)];
}

/**
 * Sets items in the wanted order, and items that only the live list has between them as that list has them:
 * `wanted` is in `wantedOrder`, the others are in `liveOrder`.
 */
export function mergeOrder(
  items: readonly unknown[],
  wantedOrder: readonly unknown[],
  liveOrder: readonly unknown[],
  mergeKey: string,
): unknown[] {
  const wantedPlaces = placesIn(wantedOrder, mergeKey);
  const isWanted = (item: unknown) => wantedPlaces.has(identity(item, mergeKey));
  const wanted = sortByOrder(items.filter(isWanted), wantedOrder, mergeKey);
  const others = sortByOrder(
    items.filter((item) => !isWanted(item)),
    liveOrder,
    mergeKey,
  );
  const live = placesIn(liveOrder, mergeKey);
  const result: unknown[] = [];
  let next = 0;
  for (const item of others) {
    const own = live.get(identity(item, mergeKey)) ?? -1;
    const goesBefore = (other: unknown) => {
      const place = live.get(identity(other, mergeKey)) ?? -1;
      return own >= 0 && place >= 0 && own < place;
    };
    while (next < wanted.length && !goesBefore(wanted[next])) result.push(wanted[next++]);
    result.push(item);
  }
  return [...result, ...wanted.slice(next)];
}

function placesIn(order: readonly unknown[], mergeKey: string): Map<unknown, number> {
  const places = new Map<unknown, number>();
  order.forEach((item, index) => {
    const key = identity(item, mergeKey);
    if (!places.has(key)) places.set(key, index);
  });
  return places;
}

export function goType(value: unknown): string {
  if (value === null || value === undefined) return '%!s(<nil>)';
  if (Array.isArray(value)) return '[]interface {}';
  if (isFields(value)) return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

export function without(fields: Fields, name: string): Fields {
  const { [name]: _, ...rest } = fields;
  return rest;
}
