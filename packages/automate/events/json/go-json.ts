const escaped = /[<>&\u2028\u2029]/g;

function htmlSafe(text: string): string {
  return text.replace(escaped, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** JSON as Go's `json.Marshal` writes it, with the keys in the order that they have: `<`, `>` and `&` are escaped. */
export function goJson(value: unknown): string {
  return htmlSafe(JSON.stringify(value));
}

/** A number that JSON has no words for, with the message of encoding/json. */
export class UnsupportedValue extends Error {
  constructor(value: number) {
    super(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`);
  }
}

/** JSON as Go's `json.Marshal` writes a map: the keys of every object in the order of their bytes, numerals among them. */
export function goMapJson(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new UnsupportedValue(value);
  if (Array.isArray(value)) return `[${value.map((item) => goMapJson(item ?? null)).join(',')}]`;
  if (Object.is(value, -0)) return '-0';
  if (typeof value !== 'object' || value === null) return goJson(value);
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  const inOrder = entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${inOrder.map(([key, item]) => `${goJson(key)}:${goMapJson(item)}`).join(',')}}`;
}

/** An object with its keys sorted; `__proto__` is a key like any other. */
export function sortedEntries(entries: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, item] of [...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
    Object.defineProperty(result, key, { value: item, enumerable: true, configurable: true, writable: true });
  return result;
}
