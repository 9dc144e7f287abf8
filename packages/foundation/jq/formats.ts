import { JqError, typeOf } from './values.ts';

/** A value as text: a string as it is, others as JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : jsonOf(value);
}

/** JSON with the keys in order. */
export function jsonOf(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) =>
      typeOf(inner) === 'object'
        ? Object.fromEntries(Object.entries(inner as object).sort(([a], [b]) => (a < b ? -1 : 1)))
        : typeof inner === 'number' && Math.abs(inner) === Number.POSITIVE_INFINITY
          ? Math.sign(inner) * Number.MAX_VALUE
          : inner,
    ) ?? 'null'
  );
}

/** `@text`, `@json`, `@base64`, … of a value. */
export function formatText(name: string, value: unknown): string {
  switch (name) {
    case '@text':
      return textOf(value);
    case '@json':
      return jsonOf(value);
    case '@html':
      return textOf(value).replace(
        /[<>&'"]/g,
        (c) => `&${{ '<': 'lt', '>': 'gt', '&': 'amp', "'": '#39', '"': 'quot' }[c]};`,
      );
    case '@uri':
      return encodeURIComponent(textOf(value)).replace(
        /[!'()*]/g,
        (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
      );
    case '@base64':
      return Buffer.from(textOf(value)).toString('base64');
    case '@base64d':
      return decoded(textOf(value));
    case '@csv':
      return row(value, ',', (text) => `"${text.replaceAll('"', '""')}"`);
    case '@tsv':
      return row(value, '\t', (text) =>
        text.replace(/[\\\t\r\n]/g, (c) => ({ '\\': '\\\\', '\t': '\\t', '\r': '\\r' })[c] ?? '\\n'),
      );
    case '@sh':
      return (Array.isArray(value) ? value : [value]).map(shell).join(' ');
    default:
      throw new JqError(`there is no format ${name}`);
  }
}

/** Padding may be left out; a text that is no base64 is an error, as gojq has it. */
function decoded(text: string): string {
  let end = text.length;
  while (text[end - 1] === '=') end -= 1;
  const bare = text.slice(0, end);
  if (bare.length % 4 === 1 || !/^[A-Za-z0-9+/]*$/.test(bare))
    throw new JqError(`@base64d cannot be applied to: ${jsonOf(text)}`);
  return Buffer.from(bare, 'base64').toString('utf8');
}

function row(value: unknown, separator: string, quote: (text: string) => string): string {
  if (!Array.isArray(value)) throw new JqError('a row is no array');
  return value
    .map((cell: unknown) => (typeof cell === 'string' ? quote(cell) : cell === null ? '' : String(cell)))
    .join(separator);
}

function shell(value: unknown): string {
  if (typeof value === 'object' && value !== null) throw new JqError('a word for the shell is no scalar');
  return typeof value === 'string' ? `'${value.replaceAll("'", `'\\''`)}'` : jsonOf(value);
}
