const escaped = /[<>&\u2028\u2029]/g;

function htmlSafe(text: string): string {
  return text.replace(escaped, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** JSON as Go's `json.Marshal` writes it, with the keys in the order that they have: `<`, `>` and `&` are escaped. */
export function goJson(value: unknown): string {
  return htmlSafe(JSON.stringify(value));
}

/** JSON as Go's `json.Marshal` writes a map: the keys of every object in the order of their bytes. */
export function goMapJson(value: unknown): string {
  return goJson(sorted(value));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return sortedEntries(Object.entries(value), sorted);
}

/** An object with its keys sorted; `__proto__` is a key like any other. */
export function sortedEntries(
  entries: Iterable<readonly [string, unknown]>,
  convert: (value: unknown) => unknown = (value) => value,
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, item] of [...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
    Object.defineProperty(result, key, { value: convert(item), enumerable: true, configurable: true, writable: true });
  return result;
}
