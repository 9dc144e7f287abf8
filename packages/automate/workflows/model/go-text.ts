import type { AnyString, Item } from './types.ts';

/** JSON as Go writes it: `<`, `>` and `&` escaped; keys of maps in order. */
export function goJson(value: unknown): string {
  return JSON.stringify(sorted(value)).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => [key, sorted(field)]),
  );
}

/** A parameter's value as text, whatever it was written as. */
export function anyText(value: AnyString): string {
  return String(value);
}

/** An item of a loop as it appears in names and in `{{item}}`. */
export function itemText(item: Item): string {
  return typeof item === 'string' ? item : JSON.stringify(item);
}
