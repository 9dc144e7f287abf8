import { isDeepStrictEqual } from 'node:util';

/** Equality as `apiequality.Semantic` has it for API objects: absent, null and empty are the same. */
export function semanticallyEqual(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a, b) || canonicalJson(a) === canonicalJson(b);
}

function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_key, item: unknown) => {
      if (item === null || typeof item !== 'object') return item ?? undefined;
      if (Array.isArray(item)) return item.length > 0 ? item : undefined;
      const entries = Object.entries(item).filter(([, child]) => !isEmpty(child));
      return entries.length > 0
        ? Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)))
        : undefined;
    }) ?? ''
  );
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}
