import type { ElementKeys } from './list-elements.ts';

/**
 * Elements that differ only in keys that one of them leaves out are the same: a port without a protocol is the one with
 * TCP. Such tuples are filled up from each other.
 */
export function mergeKeyTuples(tuples: readonly (readonly string[])[]): string[][] {
  const result = tuples.map((tuple) => [...tuple]);
  for (let i = 0; i < result.length; i++) {
    // What it was at first counts for all that follow, even where it was filled up meanwhile.
    const first = result[i] as string[];
    for (let j = 0; j < result.length; j++) {
      const merged = mergeTuples(first, result[j] as string[]);
      if (merged) {
        result[i] = merged;
        result[j] = merged;
      }
    }
  }
  return result;
}

function mergeTuples(a: readonly string[], b: readonly string[]): string[] | undefined {
  let common = false;
  const merged: string[] = [];
  for (const [i, left] of a.entries()) {
    const right = b[i] as string;
    if (left === right) common = true;
    else if (left !== '' && right !== '') return undefined;
    merged.push(left || right);
  }
  return common ? merged : undefined;
}

/** The keys that any element has, with the values of one element; all of them if none has any. */
export function usableKeys(
  tuples: readonly (readonly string[])[],
  values: readonly string[],
  keys: readonly string[],
): ElementKeys {
  const used = new Set<string>();
  for (const tuple of tuples) for (const [i, value] of tuple.entries()) if (value !== '') used.add(keys[i] as string);
  if (used.size === 0) return { keys, values };
  return {
    keys: keys.filter((key) => used.has(key)),
    values: values.filter((value, i) => value !== '' || used.has(keys[i] as string)),
  };
}
