import { typeName } from '../fmt/format-value.ts';
import { define, FunctionError, type FunctionSpec } from '../functions/function-spec.ts';
import { fromBytes, toBytes } from '../value/bytes.ts';
import { EncodeError, encodeJson } from '../value/json-encode.ts';
import { JsonError, parseJson } from '../value/json-decode.ts';
import { typeOf, type Value } from '../value/value.ts';
import { isEmpty } from './convert.ts';
import { deepEqual } from './deep-equal.ts';

function kindOf(value: Value): string {
  return typeOf(value)?.kind ?? 'invalid';
}

function fromJson(text: string): Value {
  try {
    return parseJson(text).value;
  } catch (error) {
    if (error instanceof JsonError) return null;
    throw error;
  }
}

function mustFromJson(text: string): Value {
  try {
    return parseJson(text).value;
  } catch (error) {
    if (error instanceof JsonError) throw new FunctionError(error.message);
    throw error;
  }
}

function encoded(value: Value, style: 'plain' | 'pretty' | 'raw', must: boolean): string {
  try {
    const json = encodeJson(value);
    if (style === 'plain') return json;
    if (style === 'raw') return unescapeHtml(json);
    return prettyJson(json);
  } catch (error) {
    if (!(error instanceof EncodeError)) throw error;
    if (must) throw new FunctionError(error.message);
    return '';
  }
}

function unescapeHtml(json: string): string {
  return json.replace(/(\\\\)|\\u(003c|003e|0026)/g, (all, _escaped, code: string | undefined) => (code ? String.fromCharCode(Number.parseInt(code, 16)) : all));
}

/** json.Indent with two spaces. */
function prettyJson(json: string): string {
  let out = '';
  let depth = 0;
  for (let i = 0; i < json.length; i++) {
    const char = json[i] as string;
    if (char === '"') {
      let end = i + 1;
      while (json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
      out += json.slice(i, end + 1);
      i = end;
    } else if (char === '{' || char === '[') {
      const close = json[i + 1];
      if (close === '}' || close === ']') {
        out += char + close;
        i++;
      } else out += `${char}\n${'  '.repeat(++depth)}`;
    } else if (char === '}' || char === ']') out += `\n${'  '.repeat(--depth)}${char}`;
    else if (char === ',') out += `,\n${'  '.repeat(depth)}`;
    else out += char === ':' ? ': ' : char;
  }
  return out;
}

const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function encodeBase32(bytes: Uint8Array): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  const groups = bits.match(/.{1,5}/g) ?? [];
  const text = groups.map((group) => base32[Number.parseInt(group.padEnd(5, '0'), 2)]).join('');
  return text.padEnd(Math.ceil(text.length / 8) * 8, '=');
}

function decodeBase32(text: string): string {
  const compact = text.replace(/[\r\n]/g, '');
  const plain = compact.replace(/=+$/, '');
  const bad = [...plain].findIndex((char) => !base32.includes(char));
  if (bad >= 0) return `illegal base32 data at input byte ${bad}`;
  if (compact.length % 8 !== 0) return `illegal base32 data at input byte ${compact.length}`;
  let bits = '';
  for (const char of plain) bits += base32.indexOf(char).toString(2).padStart(5, '0');
  const bytes = (bits.match(/.{8}/g) ?? []).map((group) => Number.parseInt(group, 2));
  return fromBytes(Uint8Array.from(bytes));
}

/** base64.StdEncoding.DecodeString; the error's words are the result, as Sprig has it. */
export function decodeBase64(text: string): { readonly bytes: Uint8Array } | { readonly error: string } {
  const compact = text.replace(/[\r\n]/g, '');
  const match = /^[A-Za-z0-9+/]*/.exec(compact) as RegExpExecArray;
  const rest = compact.slice(match[0].length);
  const needed = (4 - (match[0].length % 4)) % 4;
  if (match[0].length % 4 === 1 || rest !== '='.repeat(needed)) {
    const at = rest === '' || needed === 0 ? match[0].length - (rest === '' ? match[0].length % 4 : 0) : match[0].length;
    return { error: `illegal base64 data at input byte ${at}` };
  }
  return { bytes: Buffer.from(compact, 'base64') };
}

/** Sprig's functions on values of any type. */
export const valueFunctions: ReadonlyMap<string, FunctionSpec> = new Map<string, FunctionSpec>([
  ['default', define('any, ...any', ([fallback, given]) => (given === undefined || isEmpty(given) ? fallback : given), 'all')],
  ['empty', define('any', ([value]) => isEmpty(value))],
  ['coalesce', define('...any', (args) => args.find((arg) => !isEmpty(arg)) ?? null, 'all')],
  ['all', define('...any', (args) => args.every((arg) => !isEmpty(arg)))],
  ['any', define('...any', (args) => args.some((arg) => !isEmpty(arg)))],
  ['ternary', define('any, any, bool', ([yes, no, test]) => (test ? yes : no), 'all')],
  ['fromJson', define('string', ([text]) => fromJson(text as string))],
  ['mustFromJson', define('string', ([text]) => mustFromJson(text as string))],
  ['toJson', define('any', ([value]) => encoded(value, 'plain', false), 'through')],
  ['mustToJson', define('any', ([value]) => encoded(value, 'plain', true), 'through')],
  ['toPrettyJson', define('any', ([value]) => encoded(value, 'pretty', false), 'through')],
  ['mustToPrettyJson', define('any', ([value]) => encoded(value, 'pretty', true), 'through')],
  ['toRawJson', define('any', ([value]) => encoded(value, 'raw', true), 'through')],
  ['mustToRawJson', define('any', ([value]) => encoded(value, 'raw', true), 'through')],
  ['typeOf', define('any', ([value]) => typeName(value))],
  ['typeIs', define('string, any', ([wanted, value]) => wanted === typeName(value))],
  ['typeIsLike', define('string, any', ([wanted, value]) => wanted === typeName(value) || `*${wanted as string}` === typeName(value))],
  ['kindOf', define('any', ([value]) => kindOf(value))],
  ['kindIs', define('string, any', ([wanted, value]) => wanted === kindOf(value))],
  ['deepEqual', define('any, any', ([a, b]) => deepEqual(a, b))],
  ['b64enc', define('string', ([text]) => Buffer.from(toBytes(text as string)).toString('base64'), 'through')],
  ['b64dec', define('string', ([text]) => {
    const decoded = decodeBase64(text as string);
    return 'error' in decoded ? decoded.error : fromBytes(decoded.bytes);
  }, 'through')],
  ['b32enc', define('string', ([text]) => encodeBase32(toBytes(text as string)), 'through')],
  ['b32dec', define('string', ([text]) => decodeBase32(text as string), 'through')],
]);
