import { isIP, isIPv4, isIPv6 } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { RE2JS } from 're2js';
import { parseDuration } from '../cel/library/time.ts';
import type { FieldErrors } from '../server/field-errors.ts';
import { qualifiedNameProblems, validateLabels } from '../server/object-meta.ts';
import { isUnchanged, type Past, pastOfField, pastOfItem } from './correlation.ts';
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

/**
 * Validates a value against a structural schema, with the API server's words. `path` is empty for the object itself. What
 * an update leaves as it was may be wrong.
 */
export function validateSchema(value: unknown, schema: Schema, path: string, errors: FieldErrors, past?: Past): void {
  if ((value === null && schema.nullable) || isUnchanged(value, past)) return;
  let fits = true;
  if (schema['x-kubernetes-int-or-string']) {
    if (typeof value !== 'string' && !Number.isInteger(value))
      errors.typeInvalid(
        path,
        typeOf(value),
        `${path} in body must be of type integer,string: ${JSON.stringify(typeOf(value))}`,
      );
  } else fits = checkType(value, schema, path, errors);
  if (schema.enum && !schema.enum.some((option) => isDeepStrictEqual(option, value)))
    errors.notSupported(
      path,
      value,
      schema.enum.map((option) => (typeof option === 'string' ? option : JSON.stringify(option))),
    );
  if (fits) {
    if (typeof value === 'string') checkString(value, schema, path, errors);
    else if (typeof value === 'number') checkNumber(value, schema, path, errors);
    else if (Array.isArray(value)) checkList(value, schema, path, errors, past);
    else if (isObject(value)) checkObject(value, schema, path, errors, past);
  }
  checkCombinations(value, schema, path, errors);
}

function checkType(value: unknown, schema: Schema, path: string, errors: FieldErrors): boolean {
  const { type } = schema;
  const actual = typeOf(value);
  const { format } = schema;
  if (format && type !== 'integer' && type !== 'number') {
    // A format is checked in texts, and in lists not at all.
    if (typeof value === 'string' || Array.isArray(value)) return true;
  }
  if (!type || actual === type || (type === 'number' && actual === 'integer')) return true;
  if (value === null && !schema.nullable && schema.properties === undefined && type === undefined) return true;
  errors.typeInvalid(path || '<nil>', actual, `${path} in body must be of type ${type}: ${JSON.stringify(actual)}`);
  return false;
}

const HOST =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u;
const hexUuid = (version: string) =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, 'i');

/** Formats that are checked; others only say what a text is for. */
const FORMATS: Record<string, (text: string) => boolean> = {
  'date-time': (text) => /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:?\d\d)?$/.test(text),
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
  duration: (text) =>
    parseDuration(text) !== undefined ||
    /^\s*\d+\s*(ns|us|µs|ms|s|m|h|d|w|nano|micro|milli|second|minute|hour|day|week)s?\s*$/.test(text),
  byte: (text) => /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0 && text !== '',
  uuid: (text) => hexUuid('[0-9a-f]').test(text),
  uuid3: (text) => hexUuid('3').test(text),
  uuid4: (text) => hexUuid('4').test(text),
  uuid5: (text) => hexUuid('5').test(text),
  ipv4: (text) => isIPv4(text),
  ipv6: (text) => isIPv6(text),
  cidr: (text) => /^[0-9a-fA-F:.]+\/\d{1,3}$/.test(text) && isIP(text.split('/')[0] ?? '') > 0,
  mac: (text) => /^([0-9a-fA-F]{2}[:-]){5}([0-9a-fA-F]{2})$/.test(text),
  uri: (text) => /^([A-Za-z][A-Za-z0-9+.-]*:|\/)\S*$/.test(text),
  hostname: (text) => HOST.test(text),
  email: (text) => /^[^@\s]+@[^@\s]+$/.test(text),
  hexcolor: (text) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
  bsonobjectid: (text) => /^[0-9a-fA-F]{24}$/.test(text),
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
    errors.typeInvalid(path, value, `${path} in body must be of type ${schema.format}: ${JSON.stringify(value)}`);
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
  // Whole numbers are divided by the whole part of the factor.
  const factor = Number.isInteger(value) ? Math.trunc(multipleOf ?? 1) : (multipleOf ?? 1);
  if (factor <= 0) errors.invalid(path, factor, `factor MultipleOf declared for ${path} must be positive: ${factor}`);
  else if (multipleOf !== undefined && !Number.isInteger(value / factor))
    errors.invalid(path, value, `${path} in body should be a multiple of ${multipleOf}`);
}

function checkList(value: unknown[], schema: Schema, path: string, errors: FieldErrors, past: Past | undefined): void {
  if (schema.maxItems !== undefined && value.length > schema.maxItems)
    errors.tooMany(path, value.length, schema.maxItems);
  if (schema.minItems !== undefined && value.length < schema.minItems)
    errors.invalid(path, value.length, `${path} in body should have at least ${schema.minItems} items`);
  const { items } = schema;
  value.forEach((item, index) => {
    if (items) validateSchema(item, items, `${path}[${index}]`, errors, pastOfItem(past, item, schema));
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
    if (type === 'map' && !isObject(item))
      errors.invalid(`${path}[${index}]`, item, 'must be an object for an array of list-type map');
    const id = identity(item);
    const text = JSON.stringify(id);
    if (seen.has(text)) errors.duplicate(`${path}[${index}]`, id);
    seen.add(text);
  });
}

function checkObject(
  value: Record<string, unknown>,
  schema: Schema,
  path: string,
  errors: FieldErrors,
  past: Past | undefined,
): void {
  const child = (key: string) => (path ? `${path}.${key}` : key);
  const count = Object.keys(value).length;
  if (schema.maxProperties !== undefined && count > schema.maxProperties)
    errors.tooMany(path, count, schema.maxProperties);
  if (schema.minProperties !== undefined && count < schema.minProperties)
    errors.invalid(path, count, `${path} in body should have at least ${schema.minProperties} properties`);
  for (const key of schema.required ?? []) if (value[key] === undefined) errors.required(child(key));
  for (const [key, item] of Object.entries(value)) {
    const property = schema.properties?.[key];
    const before = pastOfField(past, key, path === '');
    if (property) validateSchema(item, property, child(key), errors, before);
    else if (typeof schema.additionalProperties === 'object')
      validateSchema(item, schema.additionalProperties, `${path}.${key}`, errors, before);
  }
  if (schema['x-kubernetes-embedded-resource']) checkEmbedded(value, child, errors);
}

function checkEmbedded(value: Record<string, unknown>, child: (key: string) => string, errors: FieldErrors): void {
  for (const name of ['apiVersion', 'kind']) {
    const text = value[name];
    if (text === undefined) errors.required(child(name));
    else if (text === '') errors.required(child(name), 'must not be empty');
  }
  if (!isObject(value.metadata)) return;
  const { labels, annotations } = value.metadata as { labels?: Record<string, string>; annotations?: object };
  validateLabels(labels, `${child('metadata')}.labels`, errors);
  for (const key of Object.keys(annotations ?? {}))
    for (const problem of qualifiedNameProblems(key.toLowerCase()))
      errors.invalid(`${child('metadata')}.annotations`, key, problem);
}

/** allOf, anyOf, oneOf and not: what the nearest part says follows the error of the combination. */
function checkCombinations(value: unknown, schema: Schema, path: string, errors: FieldErrors): void {
  const outcome = (part: Schema) => {
    const found = errors.fresh();
    validateSchema(value, part, path, found);
    return found;
  };
  const fail = (text: string, nearest?: FieldErrors) => {
    errors.invalid('<nil>', '', `${JSON.stringify(path)} ${text}`);
    if (nearest) errors.causes.push(...nearest.causes);
  };
  if (schema.anyOf && !schema['x-kubernetes-int-or-string']) {
    const outcomes = schema.anyOf.map(outcome);
    if (outcomes.every(({ any }) => any)) fail('must validate at least one schema (anyOf)', outcomes[0]);
  }
  if (schema.oneOf) {
    const outcomes = schema.oneOf.map(outcome);
    const count = outcomes.filter(({ any }) => !any).length;
    if (count === 0) fail('must validate one and only one schema (oneOf). Found none valid', outcomes[0]);
    if (count > 1) fail(`must validate one and only one schema (oneOf). Found ${count} valid alternatives`);
  }
  if (schema.allOf?.length) {
    const outcomes = schema.allOf.map(outcome);
    for (const { causes } of outcomes) errors.causes.push(...causes);
    const valid = outcomes.filter(({ any }) => !any).length;
    if (valid < outcomes.length) fail(`must validate all the schemas (allOf)${valid ? '' : '. None validated'}`);
  }
  if (schema.not && !outcome(schema.not).any) fail('must not validate the schema (not)');
}
