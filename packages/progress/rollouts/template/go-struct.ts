import { readFileSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { canonicalQuantity } from '@tiphys/kubernetes';

/**
 * Fields of Go structs in their order, as `name?:type`: `?` for omitempty, `!` for omitzero; `[]`, `{}` and `*` before a type are
 * list, map and pointer. Hashes are taken of JSON that Go wrote, so the order of fields is part of Argo Rollouts' interface.
 */
const declared = new Map<string, string>(
  Object.entries(
    JSON.parse(readFileSync(joinPath(import.meta.dirname, 'go-types.json'), 'utf8')) as Record<string, string>,
  ),
);

interface Field {
  readonly name: string;
  readonly omitEmpty: boolean;
  readonly type: string;
}

const parsed = new Map<string, readonly Field[]>();

function fieldsOf(type: string): readonly Field[] {
  let fields = parsed.get(type);
  if (!fields) {
    fields = (declared.get(type) ?? '')
      .split(' ')
      .filter(Boolean)
      .map((text) => {
        const colon = text.indexOf(':');
        const name = text.slice(0, colon).replace(/(?<![?!])[?!]+$/, '');
        return { name, omitEmpty: text.slice(0, colon).includes('?'), type: text.slice(colon + 1) };
      });
    parsed.set(type, fields);
  }
  return fields;
}

type Json = unknown;
type JsonObject = Record<string, Json>;

/** Told of each place whose value does not fit, such as `spec.containers[0].resources.requests.memory`. */
export type OnUnreadable = (path: string, value: Json) => void;

const ignore: OnUnreadable = () => undefined;

/**
 * The value as a Go program keeps it: fields that the type does not have and values that do not fit it are gone, quantities are in
 * their canonical form, what is empty is left out. Undefined if nothing of it fits.
 */
export function decodeGo(value: Json, type: string, onUnreadable: OnUnreadable = ignore, path = ''): Json {
  if (value === null || value === undefined) return undefined;
  const decoded = decodeValue(value, type, onUnreadable, path);
  if (decoded === undefined) onUnreadable(path, value);
  return decoded;
}

function decodeValue(value: Json, type: string, onUnreadable: OnUnreadable, path: string): Json {
  if (type.startsWith('*')) return decodeValue(value, type.slice(1), onUnreadable, path);
  if (type.startsWith('[]')) {
    if (!Array.isArray(value)) return undefined;
    return value
      .map((item, index) => decodeGo(item, type.slice(2), onUnreadable, `${path}[${index}]`))
      .filter((item) => item !== undefined);
  }
  if (type.startsWith('{}')) return isObject(value) ? decodeMap(value, type.slice(2), onUnreadable, path) : undefined;
  if (declared.has(type)) return isObject(value) ? decodeStruct(value, type, onUnreadable, path) : undefined;
  return decodeScalar(value, type);
}

function decodeMap(value: JsonObject, type: string, onUnreadable: OnUnreadable, path: string): JsonObject {
  const entries = Object.keys(value)
    .sort()
    .map((key) => [key, decodeGo(value[key], type, onUnreadable, join(path, key))] as const)
    .filter(([, entry]) => entry !== undefined);
  return Object.fromEntries(entries);
}

function decodeStruct(value: JsonObject, type: string, onUnreadable: OnUnreadable, path: string): JsonObject {
  const kept: JsonObject = {};
  for (const { name, type: member, omitEmpty } of fieldsOf(type)) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    const decoded = decodeGo(given, member, onUnreadable, join(path, name));
    if (decoded !== undefined && !(omitEmpty && isEmpty(decoded, member))) kept[name] = decoded;
  }
  return kept;
}

function join(path: string, name: string): string {
  return path ? `${path}.${name}` : name;
}

function decodeScalar(value: Json, type: string): Json {
  switch (type) {
    case 'string':
      return typeof value === 'string' ? value : undefined;
    case 'time':
      return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : undefined;
    case 'bool':
      return typeof value === 'boolean' ? value : undefined;
    case 'int':
      return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
    case 'intstr':
      return typeof value === 'string' || (typeof value === 'number' && Number.isInteger(value)) ? value : undefined;
    case 'quantity':
      return typeof value === 'string' || typeof value === 'number'
        ? canonicalQuantity(String(value).trim())
        : undefined;
    default:
      // raw JSON
      return sortedKeys(value);
  }
}

/** The JSON that Go writes of a decoded value. */
export function encodeGo(value: Json, type: string): string {
  return JSON.stringify(complete(decodeGo(value, type), type))
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e')
    .replaceAll('&', '\\u0026')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

/** With the members that Go writes though nothing was given for them: structs, and what has no omitempty. */
function complete(value: Json, type: string): Json {
  if (type.startsWith('*')) return value === undefined ? undefined : complete(value, type.slice(1));
  if (type.startsWith('[]'))
    return value === undefined ? null : (value as Json[]).map((item) => complete(item, type.slice(2)));
  if (type.startsWith('{}')) {
    if (value === undefined) return null;
    const item = type.slice(2);
    return Object.fromEntries(Object.entries(value as JsonObject).map(([key, entry]) => [key, complete(entry, item)]));
  }
  if (!declared.has(type)) return value ?? zeroOf(type);
  const given = (value ?? {}) as JsonObject;
  const whole: JsonObject = {};
  for (const { name, type: member, omitEmpty } of fieldsOf(type)) {
    if (given[name] === undefined && omitEmpty && !declared.has(member)) continue;
    const written = complete(given[name], member);
    whole[name] = written === undefined ? null : written;
  }
  return whole;
}

function zeroOf(type: string): Json {
  if (type === 'string') return '';
  if (type === 'bool') return false;
  if (type === 'int' || type === 'intstr') return 0;
  return type === 'quantity' ? '0' : null;
}

/** What omitempty leaves out; a pointer to an empty value is not empty. */
function isEmpty(value: Json, type: string): boolean {
  if (type.startsWith('*')) return false;
  if (type.startsWith('[]')) return (value as Json[]).length === 0;
  if (type.startsWith('{}')) return Object.keys(value as JsonObject).length === 0;
  return value === '' || value === 0 || value === false;
}

function sortedKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortedKeys(value[key])]),
  );
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
