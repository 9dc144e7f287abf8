import { formatJsonFloat } from '@tiphys/yaml';
import { charge, limitText } from '../bounds/active-budget.ts';
import { compareStrings } from '../text/bytes.ts';
import {
  elementsOf,
  entriesOf,
  GoError,
  GoFloat32,
  GoInt,
  GoMap,
  GoNil,
  GoSlice,
  GoString,
  GoStruct,
  type Value,
} from './value.ts';

/** A value that Go's encoding/json refuses, in its words. */
export class EncodeError extends Error {}

/** `json.Marshal`: sorted keys, HTML characters escaped. */
export function encodeJson(value: Value, depth = 0): string {
  const json = encode(value, depth);
  charge();
  limitText(json.length);
  return json;
}

function encode(value: Value, depth: number): string {
  if (depth > 10_000) throw new EncodeError('json: unsupported value: encountered a cycle');
  if (value === null || value === undefined || value instanceof GoNil) return 'null';
  if (typeof value === 'string') return encodeString(value);
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return encodeFloat(value);
  if (value instanceof GoInt) return String(value.value);
  if (value instanceof GoFloat32) return encodeFloat(value.value);
  if (value instanceof GoString) return encodeString(value.value);
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('base64')}"`;
  if (value instanceof GoStruct) return encodeStruct(value, depth);
  if (value instanceof GoError) return '{}';
  if ((value instanceof GoSlice || value instanceof GoMap) && value.nil) return 'null';
  const items = elementsOf(value);
  if (items) return `[${items.map((item) => encodeJson(item, depth + 1)).join(',')}]`;
  const entries = entriesOf(value);
  if (!entries) throw new EncodeError(`json: unsupported type: ${'type' in value ? value.type.name : typeof value}`);
  const pairs = [...entries]
    .map(([key, item]) => [keyText(key), item] as const)
    .sort(([a], [b]) => compareStrings(a, b));
  return `{${pairs.map(([key, item]) => `${encodeString(key)}:${encodeJson(item, depth + 1)}`).join(',')}}`;
}

function encodeStruct(value: GoStruct, depth: number): string {
  const custom = value.toJsonValue();
  if (custom !== undefined) return encodeJson(custom, depth + 1);
  const fields = value.jsonFields();
  return `{${fields.map(([name, item]) => `${encodeString(name)}:${encodeJson(item, depth + 1)}`).join(',')}}`;
}

/** The text of a map's key in JSON. */
export function keyText(key: Value): string {
  if (key instanceof GoInt) return String(key.value);
  return key instanceof GoString ? key.value : String(key);
}

function encodeFloat(value: number): string {
  if (!Number.isFinite(value))
    throw new EncodeError(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`);
  return formatJsonFloat(value);
}

const needsEscape = /[<>&\u2028\u2029\ud800-\udfff\x7f]/;

function encodeString(text: string): string {
  if (!text.isWellFormed()) {
    // Go writes a byte that is no UTF-8 as an escape, and a real U+FFFD as itself.
    return `"${text
      .split(/([\ud800-\udfff])/u)
      .map((part, i) => (i % 2 === 1 ? '\\ufffd' : encodeString(part).slice(1, -1)))
      .join('')}"`;
  }
  const json = JSON.stringify(text);
  if (!needsEscape.test(json)) return json;
  return json.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
