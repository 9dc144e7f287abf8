import { isDeepStrictEqual } from 'node:util';
import { RE2JS } from 're2js';
import type { FieldErrors } from '../server/field-errors.ts';
import type { Schema } from './definition.ts';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const patterns = new Map<string, RE2JS>();

function matches(pattern: string, text: string): boolean {
  let compiled = patterns.get(pattern);
  if (!compiled) {
    compiled = RE2JS.compile(pattern);
    patterns.set(pattern, compiled);
  }
  return compiled.matcher(text).find();
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'object' ? 'object' : typeof value;
}

/** Validates a value against a structural schema, with the API server's words. `path` is empty for the object itself. */
export function validateSchema(value: unknown, schema: Schema, path: string, errors: FieldErrors): void {
  if (value === null && schema.nullable) return;
  if (schema['x-kubernetes-int-or-string']) {
    if (typeof value !== 'string' && !Number.isInteger(value))
      errors.typeInvalid(
        path,
        typeOf(value),
        `${path} in body must be of type integer,string: ${JSON.stringify(typeOf(value))}`,
      );
  } else if (!checkType(value, schema, path, errors)) return;
  if (schema.enum && !schema.enum.some((option) => isDeepStrictEqual(option, value)))
    errors.notSupported(
      path,
      value,
      schema.enum.map((option) => (typeof option === 'string' ? option : JSON.stringify(option))),
    );
  if (typeof value === 'string') checkString(value, schema, path, errors);
  else if (typeof value === 'number') checkNumber(value, schema, path, errors);
  else if (Array.isArray(value)) checkList(value, schema, path, errors);
  else if (isObject(value)) checkObject(value, schema, path, errors);
  checkCombinations(value, schema, path, errors);
}

function checkType(value: unknown, schema: Schema, path: string, errors: FieldErrors): boolean {
  const { type } = schema;
  const actual = typeOf(value);
  if (!type || actual === type || (type === 'number' && actual === 'integer')) return true;
  if (value === null && !schema.nullable && schema.properties === undefined && type === undefined) return true;
  errors.typeInvalid(path || '<nil>', actual, `${path} in body must be of type ${type}: ${JSON.stringify(actual)}`);
  return false;
}

const FORMATS: Record<string, (text: string) => boolean> = {
  'date-time': (text) => /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(text),
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text),
  byte: (text) => /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0,
  uuid: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  ipv4: (text) => /^(\d{1,3}\.){3}\d{1,3}$/.test(text) && text.split('.').every((part) => Number(part) < 256),
  uri: (text) => URL.canParse(text),
  email: (text) => /^[^@\s]+@[^@\s]+$/.test(text),
};

function checkString(value: string, schema: Schema, path: string, errors: FieldErrors): void {
  const length = [...value].length;
  if (schema.maxLength !== undefined && length > schema.maxLength) errors.tooLong(path, schema.maxLength);
  if (schema.minLength !== undefined && length < schema.minLength)
    errors.invalid(path, value, `${path} in body should be at least ${schema.minLength} chars long`);
  if (schema.pattern && !matches(schema.pattern, value))
    errors.invalid(path, value, `${path} in body should match '${schema.pattern}'`);
  const format = schema.format && FORMATS[schema.format];
  if (format && !format(value))
    errors.invalid(path, value, `${path} in body must be of type ${schema.format}: ${JSON.stringify(value)}`);
}

function checkNumber(value: number, schema: Schema, path: string, errors: FieldErrors): void {
  const { minimum, maximum, multipleOf } = schema;
  if (minimum !== undefined && (schema.exclusiveMinimum ? value <= minimum : value < minimum))
    errors.invalid(
      path,
      value,
      `${path} in body should be greater than ${schema.exclusiveMinimum ? '' : 'or equal to '}${minimum}`,
    );
  if (maximum !== undefined && (schema.exclusiveMaximum ? value >= maximum : value > maximum))
    errors.invalid(
      path,
      value,
      `${path} in body should be less than ${schema.exclusiveMaximum ? '' : 'or equal to '}${maximum}`,
    );
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf))
    errors.invalid(path, value, `${path} in body should be a multiple of ${multipleOf}`);
  if (schema.format === 'int32' && Math.abs(value) > 2147483648)
    errors.invalid(path, value, `Checked value must be of type integer with format int32`);
}

function checkList(value: unknown[], schema: Schema, path: string, errors: FieldErrors): void {
  if (schema.maxItems !== undefined && value.length > schema.maxItems)
    errors.tooMany(path, value.length, schema.maxItems);
  if (schema.minItems !== undefined && value.length < schema.minItems)
    errors.invalid(path, value.length, `${path} in body should have at least ${schema.minItems} items`);
  const { items } = schema;
  value.forEach((item, index) => {
    if (items) validateSchema(item, items, `${path}[${index}]`, errors);
  });
  checkListType(value, schema, path, errors);
}

function checkListType(value: unknown[], schema: Schema, path: string, errors: FieldErrors): void {
  const type = schema['x-kubernetes-list-type'];
  if (type !== 'set' && type !== 'map' && !schema.uniqueItems) return;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const identity = (item: unknown) =>
    type === 'map' && isObject(item)
      ? Object.fromEntries(keys.map((key) => [key, item[key] ?? schema.items?.properties?.[key]?.default ?? null]))
      : item;
  const seen = new Set<string>();
  value.forEach((item, index) => {
    const id = identity(item);
    const text = JSON.stringify(id);
    if (seen.has(text)) errors.duplicate(`${path}[${index}]`, id);
    seen.add(text);
  });
}

function checkObject(value: Record<string, unknown>, schema: Schema, path: string, errors: FieldErrors): void {
  const child = (key: string) => (path ? `${path}.${key}` : key);
  const count = Object.keys(value).length;
  if (schema.maxProperties !== undefined && count > schema.maxProperties)
    errors.tooMany(path, count, schema.maxProperties);
  if (schema.minProperties !== undefined && count < schema.minProperties)
    errors.invalid(path, count, `${path} in body should have at least ${schema.minProperties} properties`);
  for (const key of schema.required ?? []) if (value[key] === undefined) errors.required(child(key));
  for (const [key, item] of Object.entries(value)) {
    const property = schema.properties?.[key];
    if (property) validateSchema(item, property, child(key), errors);
    else if (typeof schema.additionalProperties === 'object')
      validateSchema(item, schema.additionalProperties, child(key), errors);
  }
  if (schema['x-kubernetes-embedded-resource']) {
    if (typeof value.apiVersion !== 'string' || !value.apiVersion)
      errors.required(child('apiVersion'), 'must not be empty');
    if (typeof value.kind !== 'string' || !value.kind) errors.required(child('kind'), 'must not be empty');
  }
}

/** allOf, anyOf, oneOf and not: the parts only say what fits, the errors are those of the combination. */
function checkCombinations(value: unknown, schema: Schema, path: string, errors: FieldErrors): void {
  const fits = (part: Schema) => {
    const found = errors.fresh();
    validateSchema(value, part, path, found);
    return !found.any;
  };
  for (const part of schema.allOf ?? []) validateSchema(value, part, path, errors);
  const where = path || '""';
  if (schema.anyOf && !schema['x-kubernetes-int-or-string'] && !schema.anyOf.some(fits))
    errors.invalid(path, value, `${where} must validate at least one schema (anyOf)`);
  if (schema.oneOf) {
    const count = schema.oneOf.filter(fits).length;
    if (count === 0)
      errors.invalid(path, value, `${where} must validate one and only one schema (oneOf). Found none valid`);
    if (count > 1)
      errors.invalid(
        path,
        value,
        `${where} must validate one and only one schema (oneOf). Found ${count} valid alternatives`,
      );
  }
  if (schema.not && fits(schema.not)) errors.invalid(path, value, `${where} must not validate the schema (not)`);
}
