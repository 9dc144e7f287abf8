import { compareStrings } from '../text/bytes.ts';
import { GoFloat32, GoInt, GoMap, GoString, type Value, type ValueMap } from './value.ts';

/** The entries of a map in the order in which Go ranges over and prints it. */
export function sortedEntries(map: ValueMap | GoMap): [Value, Value][] {
  const entries = [...(map instanceof GoMap ? map.entries : map)] as [Value, Value][];
  return entries.length < 2 ? entries : entries.sort((a, b) => compareKeys(a[0], b[0]));
}

/** Go's order of map keys: by kind, then by value; nil first, NaN before numbers. */
export function compareKeys(a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  const [rankA, valueA] = keyOf(a);
  const [rankB, valueB] = keyOf(b);
  if (rankA !== rankB) return rankA - rankB;
  if (typeof valueA === 'string' && typeof valueB === 'string') return compareStrings(valueA, valueB);
  if (Number.isNaN(valueA)) return Number.isNaN(valueB) ? 0 : -1;
  if (Number.isNaN(valueB)) return 1;
  return valueA < valueB ? -1 : valueA > valueB ? 1 : 0;
}

function keyOf(key: Value): [rank: number, value: string | number | bigint] {
  switch (typeof key) {
    case 'boolean':
      return [1, key ? 1 : 0];
    case 'bigint':
      return [2, key];
    case 'number':
      return [4, key];
    case 'string':
      return [5, key];
  }
  if (key instanceof GoInt) return [key.type.kind.startsWith('u') ? 3 : 2, key.value];
  if (key instanceof GoFloat32) return [4, key.value];
  if (key instanceof GoString) return [5, key.value];
  return [key === null || key === undefined ? 0 : 6, 0];
}
