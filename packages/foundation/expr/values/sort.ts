import type { Value } from '@tiphys/template';
import { compare } from './compare.ts';

interface SortOptions {
  /** What the items are sorted by, in the order of the items. */
  readonly keys: readonly Value[];
  readonly order: string;
}

/** Sorted items; equal ones keep their order. Throws `Panic` for keys that can't be compared. */
export function sorted(items: readonly Value[], { keys, order }: SortOptions): Value[] {
  const less = (i: number, j: number): boolean => {
    const [a, b] = order === 'desc' ? [keys[j], keys[i]] : [keys[i], keys[j]];
    return compare('<', a, b);
  };
  const indexes = items.map((_item, i) => i);
  if (items.length > 12) indexes.sort((i, j) => (less(j, i) ? 1 : less(i, j) ? -1 : 0));
  else {
    // By insertion as Go sorts few elements, so that the first pair that can't be compared is the same.
    for (let i = 1; i < indexes.length; i++)
      for (let j = i; j > 0 && less(indexes[j] as number, indexes[j - 1] as number); j--)
        [indexes[j], indexes[j - 1]] = [indexes[j - 1] as number, indexes[j] as number];
  }
  return indexes.map((i) => items[i]);
}
