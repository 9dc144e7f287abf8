import type { Schema } from '@tiphys/apimachinery';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  fromJson,
  INT,
  KeyedList,
  keyText,
  listOf,
  type MapKey,
  mapOf,
  parseDuration,
  parseTimestamp,
  STRING,
  TIMESTAMP,
  type Type,
  type Value,
} from '@tiphys/cel';

const TEXTS: Record<string, Type> = { byte: BYTES, duration: DURATION, date: TIMESTAMP, 'date-time': TIMESTAMP };
const META: Schema = {
  type: 'object',
  properties: { name: { type: 'string' }, generateName: { type: 'string' } },
};

/** The schema of a resource with the fields that rules may use of every object. */
export function withTypeAndMeta(schema: Schema): Schema {
  const metadata = schema.properties?.metadata;
  return {
    ...schema,
    properties: {
      ...schema.properties,
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { ...META, properties: { ...META.properties, ...metadata?.properties } },
    },
  };
}

/** Types of schemas, by whether they are those of whole resources: a schema is read often and never changed. */
const types = {
  resource: new WeakMap<Schema, { type: Type | undefined }>(),
  plain: new WeakMap<Schema, { type: Type | undefined }>(),
};

/** The type that rules see; undefined for what they can't. */
export function schemaType(
  schema: Schema,
  resource = schema['x-kubernetes-embedded-resource'] === true,
): Type | undefined {
  const known = resource ? types.resource : types.plain;
  let found = known.get(schema);
  if (!found) {
    found = { type: typeOf(schema, resource) };
    known.set(schema, found);
  }
  return found.type;
}

function typeOf(schema: Schema, resource: boolean): Type | undefined {
  if (schema['x-kubernetes-int-or-string']) return DYN;
  switch (schema.type) {
    case 'array': {
      const items = schema.items && schemaType(schema.items);
      return items && listOf(items);
    }
    case 'object':
      return objectType(resource ? withTypeAndMeta(schema) : schema);
    case 'string':
      return TEXTS[schema.format ?? ''] ?? STRING;
    case 'boolean':
      return BOOL;
    case 'integer':
      return INT;
    case 'number':
      return DOUBLE;
    default:
      return undefined;
  }
}

function objectType(schema: Schema): Type | undefined {
  if (typeof schema.additionalProperties === 'object') {
    const value = schemaType(schema.additionalProperties);
    return value && mapOf(STRING, value);
  }
  const fields = new Map<string, Type>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const type = schemaType(property);
    const escaped = escapeName(name);
    if (type && escaped !== undefined) fields.set(escaped, type);
  }
  return { kind: 'object', name: 'object', fields };
}

/** Why rules can't see a value as its schema says; undefined if they can. */
export function misfitOf(value: unknown, schema: Schema): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (schema['x-kubernetes-int-or-string'])
    return typeof value === 'string' || Number.isInteger(value)
      ? undefined
      : 'invalid data, expected XIntOrString value to be either a string or integer';
  const type = goType(value);
  const [fits, wanted] = SEEN[schema.type ?? ''] ?? [() => true, ''];
  if (fits(value)) return undefined;
  const shown = schema.type === 'object' || schema.type === 'array';
  return `invalid data, expected ${wanted}${shown ? ` for the provided schema with type=${schema.type}` : `, got ${type}`}`;
}

const SEEN: Readonly<Record<string, readonly [fits: (value: unknown) => boolean, wanted: string]>> = {
  string: [(value) => typeof value === 'string', 'string'],
  integer: [(value) => Number.isInteger(value), 'int'],
  number: [(value) => typeof value === 'number', 'float'],
  boolean: [(value) => typeof value === 'boolean', 'bool'],
  object: [(value) => typeof value === 'object' && !Array.isArray(value), 'a map'],
  array: [(value) => Array.isArray(value), 'an array'],
};

function goType(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

/** JSON as rules see it: by the types of the schema, with escaped names. */
export function schemaValue(
  value: unknown,
  schema: Schema | undefined,
  resource = schema?.['x-kubernetes-embedded-resource'] === true,
): Value {
  if (value === undefined || value === null) return null;
  if (!schema || schema['x-kubernetes-int-or-string']) return fromJson(value);
  if (typeof value === 'number') return schema.type === 'number' || !Number.isInteger(value) ? value : BigInt(value);
  if (typeof value === 'string') return textValue(value, schema.format);
  if (typeof value === 'boolean') return value;
  if (Array.isArray(value)) return listValue(value, schema);
  return objectValue(value as Record<string, unknown>, resource ? withTypeAndMeta(schema) : schema);
}

function textValue(text: string, format: string | undefined): Value {
  if (format === 'byte') return new Uint8Array(Buffer.from(text, 'base64'));
  if (format === 'duration') return parseDuration(text) ?? text;
  if (format === 'date') return parseTimestamp(`${text}T00:00:00Z`) ?? text;
  if (format === 'date-time') return parseTimestamp(text) ?? text;
  return text;
}

function listValue(items: readonly unknown[], schema: Schema): Value {
  const values = items.map((item) => schemaValue(item, schema.items));
  const type = schema['x-kubernetes-list-type'];
  if (type !== 'set' && type !== 'map') return values;
  const list = new KeyedList(...([] as Value[]));
  for (const item of values) list.push(item);
  if (type === 'map') {
    const keys = (schema['x-kubernetes-list-map-keys'] ?? []).map((key) => escapeName(key) ?? key);
    list.keyOf = (item) =>
      keys
        .map((key) => keyText((item instanceof Map ? (item as Map<MapKey, Value>).get(key) : undefined) ?? null))
        .join();
  }
  return list;
}

function objectValue(value: Record<string, unknown>, schema: Schema): Value {
  const result = new Map<MapKey, Value>();
  const { additionalProperties } = schema;
  for (const [key, item] of Object.entries(value)) {
    if (typeof additionalProperties === 'object') result.set(key, schemaValue(item, additionalProperties));
    else {
      const property = schema.properties?.[key];
      const escaped = escapeName(key);
      if (property && escaped !== undefined && item !== null) result.set(escaped, schemaValue(item, property));
      else if (property && escaped !== undefined && property.nullable) result.set(escaped, null);
    }
  }
  return result;
}

const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** A field's name as rules have to write it; undefined for names that they can't. */
export function escapeName(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
}
