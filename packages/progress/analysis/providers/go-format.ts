/** A number with all its digits and no exponent, as Go's `strconv.FormatFloat(v, 'f', -1, 64)`. */
export function plainNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const text = String(value);
  const parts = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!parts) return Object.is(value, -0) ? '-0' : text;
  const [, sign = '', first = '', rest = '', exponent = '0'] = parts;
  const digits = first + rest;
  const point = 1 + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, '0')}`;
}

/** A value as Go's `fmt.Sprint` prints it. */
export function goText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (typeof value !== 'number') return value === null || value === undefined ? '<nil>' : String(value);
  const magnitude = Math.abs(value);
  if (!Number.isFinite(value) || value === 0 || (magnitude >= 1e-4 && magnitude < 1e21)) return plainNumber(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

/** JSON as Go's `json.Marshal` writes it: keys in order, characters of HTML escaped. */
export function goJson(value: unknown): string {
  return JSON.stringify(ordered(value)).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, ordered(item)]),
  );
}
