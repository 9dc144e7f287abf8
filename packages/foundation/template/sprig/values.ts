import { isEmpty } from '../fmt/convert.ts';
import { typeName } from '../fmt/format-value.ts';
import { fromBytes, toBytes } from '../text/bytes.ts';
import { deepEqual } from '../value/deep-equal.ts';
import { define, FunctionError, type FunctionSpec } from '../value/function-spec.ts';
import { JsonError, parseJson } from '../value/json-decode.ts';
import { EncodeError, encodeJson } from '../value/json-encode.ts';
import { typeOf, type Value } from '../value/value.ts';
import { indentJson } from './indent-json.ts';

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
    return indentJson(json);
  } catch (error) {
    if (!(error instanceof EncodeError)) throw error;
    if (must) throw new FunctionError(error.message);
    return '';
  }
}

function unescapeHtml(json: string): string {
  return json.replace(/(\\\\)|\\u(003c|003e|0026)/g, (all, _escaped, code: string | undefined) =>
    code ? String.fromCharCode(Number.parseInt(code, 16)) : all,
  );
}

const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function encodeBase32(bytes: Uint8Array): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  const groups = bits.match(/.{1,5}/g) ?? [];
  const text = groups.map((group) => base32[Number.parseInt(group.padEnd(5, '0'), 2)]).join('');
  return text.padEnd(Math.ceil(text.length / 8) * 8, '=');
}

/** base32.StdEncoding.DecodeString; the error's words are the result, as Sprig has it. */
function decodeBase32(text: string): string {
  const source = fromBytes(toBytes(text)).replace(/[\r\n]/g, '');
  const bytes = toBytes(source);
  const fault = (at: number): string => `illegal base32 data at input byte ${at}`;
  let bits = '';
  let at = 0;
  for (let j = 0; at < bytes.length || j > 0; ) {
    if (at === bytes.length) return fault(at - j);
    const char = String.fromCharCode(bytes[at++] as number);
    const left = bytes.length - at;
    if (char === '=' && j >= 2 && left < 8) {
      if (left + j < 7) return fault(bytes.length);
      for (let k = 0; k < 7 - j; k++) if (left > k && bytes[at + k] !== 0x3d) return fault(at + k - 1);
      if (j === 3 || j === 6) return fault(at - 1);
      break;
    }
    const value = base32.indexOf(char);
    if (value < 0) return fault(at - 1);
    bits += value.toString(2).padStart(5, '0');
    j = (j + 1) % 8;
  }
  return fromBytes(Uint8Array.from((bits.match(/.{8}/g) ?? []).map((group) => Number.parseInt(group, 2))));
}

/** base64.StdEncoding.DecodeString; the error's words are the result, as Sprig has it. */
export function decodeBase64(text: string): { readonly bytes: Uint8Array } | { readonly error: string } {
  const fault = base64Fault(toBytes(text));
  if (fault >= 0) return { error: `illegal base64 data at input byte ${fault}` };
  return { bytes: Buffer.from(text, 'base64') };
}

/** Offset at which Go finds the first fault, or -1. Line ends are skipped; a lone rest is a fault where it began. */
function base64Fault(bytes: Uint8Array): number {
  let at = 0;
  const isLineEnd = (index: number): boolean => bytes[index] === 0x0a || bytes[index] === 0x0d;
  for (;;) {
    for (let j = 0; j < 4; ) {
      if (at === bytes.length) return j === 0 ? -1 : at - j;
      const char = String.fromCharCode(bytes[at] as number);
      at++;
      if (/[A-Za-z0-9+/]/.test(char)) j++;
      else if (!isLineEnd(at - 1)) {
        if (char !== '=' || j < 2) return at - 1;
        if (j === 2) {
          while (isLineEnd(at)) at++;
          if (at === bytes.length) return at;
          if (bytes[at] !== 0x3d) return at - 1;
          at++;
        }
        while (isLineEnd(at)) at++;
        return at < bytes.length ? at : -1;
      }
    }
  }
}

/** Sprig's functions on values of any type. */
export const valueFunctions: ReadonlyMap<string, FunctionSpec> = new Map<string, FunctionSpec>([
  ['default', define('any, ...any', ([fallback, given]) => (given === undefined || isEmpty(given) ? fallback : given))],
  ['empty', define('any', ([value]) => isEmpty(value))],
  ['coalesce', define('...any', (args) => args.find((arg) => !isEmpty(arg)) ?? null)],
  ['all', define('...any', (args) => args.every((arg) => !isEmpty(arg)))],
  ['any', define('...any', (args) => args.some((arg) => !isEmpty(arg)))],
  ['ternary', define('any, any, bool', ([yes, no, test]) => (test ? yes : no))],
  ['fromJson', define('string', ([text]) => fromJson(text as string))],
  ['mustFromJson', define('string', ([text]) => mustFromJson(text as string))],
  ['toJson', define('any', ([value]) => encoded(value, 'plain', false))],
  ['mustToJson', define('any', ([value]) => encoded(value, 'plain', true))],
  ['toPrettyJson', define('any', ([value]) => encoded(value, 'pretty', false))],
  ['mustToPrettyJson', define('any', ([value]) => encoded(value, 'pretty', true))],
  ['toRawJson', define('any', ([value]) => encoded(value, 'raw', true))],
  ['mustToRawJson', define('any', ([value]) => encoded(value, 'raw', true))],
  ['typeOf', define('any', ([value]) => typeName(value))],
  ['typeIs', define('string, any', ([wanted, value]) => wanted === typeName(value))],
  [
    'typeIsLike',
    define(
      'string, any',
      ([wanted, value]) => wanted === typeName(value) || `*${wanted as string}` === typeName(value),
    ),
  ],
  ['kindOf', define('any', ([value]) => kindOf(value))],
  ['kindIs', define('string, any', ([wanted, value]) => wanted === kindOf(value))],
  ['deepEqual', define('any, any', ([a, b]) => deepEqual(a, b))],
  ['b64enc', define('string', ([text]) => Buffer.from(toBytes(text as string)).toString('base64'))],
  [
    'b64dec',
    define('string', ([text]) => {
      const decoded = decodeBase64(text as string);
      return 'error' in decoded ? decoded.error : fromBytes(decoded.bytes);
    }),
  ],
  ['b32enc', define('string', ([text]) => encodeBase32(toBytes(text as string)))],
  ['b32dec', define('string', ([text]) => decodeBase32(text as string))],
]);
