import { compareStrings } from '@tiphys/template';
import { formatJsonFloat, type Printable } from '@tiphys/yaml';

/** JSON as Go's encoder writes it: keys sorted, `<`, `>` and `&` escaped. */
export function formatJson(value: Printable): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') return formatJsonFloat(value);
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(formatJson).join(',')}]`;
  const entries: [string, Printable][] =
    value instanceof Map ? [...(value as Map<string, Printable>)] : Object.entries(value);
  entries.sort(([a], [b]) => compareStrings(a, b));
  return `{${entries.map(([key, item]) => `${quote(key)}:${formatJson(item)}`).join(',')}}`;
}

const escapes = /[<>&\u2028\u2029\x7f]/g;

function quote(text: string): string {
  return JSON.stringify(text).replace(escapes, (char) =>
    char === '\x7f' ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
