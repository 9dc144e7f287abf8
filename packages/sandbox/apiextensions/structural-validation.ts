import { FieldErrors, type Schema } from '@tiphys/apimachinery';
import { RE2JS } from 're2js';

type Level = 'root' | 'item' | 'field';

/** Checks that a schema is structural; the errors are sorted as the API server sorts them. */
export function validateStructural(schema: Schema, path: string, errors: FieldErrors): void {
  const found = new FieldErrors();
  validateInvariants(schema, 'root', path, found);
  validateCompleteness(schema, path, found);
  const text = ({ field, message }: { field?: string; message: string }) => `${field}: ${message}`;
  errors.causes.push(...found.causes.toSorted((a, b) => (text(a) < text(b) ? -1 : 1)));
}

function validateInvariants(schema: Schema, level: Level, path: string, errors: FieldErrors): void {
  if (schema.type === 'array' && !schema.items) errors.required(`${path}.items`, 'must be specified');
  if (schema.items) validateInvariants(schema.items, 'item', `${path}.items`, errors);
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    validateInvariants(property, 'field', `${path}.properties[${name}]`, errors);
  const { additionalProperties } = schema;
  if (additionalProperties !== undefined && level === 'root')
    errors.forbidden(`${path}.additionalProperties`, 'must not be used at the root');
  if (typeof additionalProperties === 'object')
    validateInvariants(additionalProperties, 'field', `${path}.additionalProperties`, errors);
  validateExtensions(schema, path, errors);
  const either = isIntOrString(schema.anyOf);
  const first = schema.allOf?.[0];
  validateNested(schema, { skipAnyOf: either, skipFirst: isIntOrString(first?.anyOf) }, path, errors);
  validateType(schema, level, path, errors);
  validateResourceFields(schema, level, path, errors);
}

function validateType(schema: Schema, level: Level, path: string, errors: FieldErrors): void {
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const { type = '' } = schema;
  if (embedded && type !== 'object') {
    const text = 'must be object if x-kubernetes-embedded-resource is true';
    if (!type) errors.required(`${path}.type`, text);
    else errors.invalid(`${path}.type`, type, text);
  } else if (!type && !schema['x-kubernetes-int-or-string'] && !schema['x-kubernetes-preserve-unknown-fields']) {
    const where = { root: 'at the root', item: 'for specified array items', field: 'for specified object fields' };
    errors.required(`${path}.type`, `must not be empty ${where[level]}`);
  }
  if (embedded && schema.additionalProperties !== undefined)
    errors.forbidden(`${path}.additionalProperties`, 'must not be used if x-kubernetes-embedded-resource is set');
  if (level === 'root' && type && type !== 'object') errors.invalid(`${path}.type`, type, 'must be object at the root');
}

function validateResourceFields(schema: Schema, level: Level, path: string, errors: FieldErrors): void {
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const resource = level === 'root' || embedded;
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  if (kind && resource && kind.type !== 'string')
    errors.invalid(`${path}.properties[kind].type`, kind.type ?? '', 'must be string');
  if (apiVersion && resource && apiVersion.type !== 'string')
    errors.invalid(`${path}.properties[apiVersion].type`, apiVersion.type ?? '', 'must be string');
  if (metadata) {
    if (resource && metadata.type !== 'object')
      errors.invalid(`${path}.properties[metadata].type`, metadata.type ?? '', 'must be object');
    const { type: _, properties = {}, default: __, ...rest } = metadata;
    const allowed = Object.keys(properties).every((name) => name === 'name' || name === 'generateName');
    const more = Object.keys(rest).filter((name) => name !== 'description' && name !== 'title');
    if (level === 'root' && (!allowed || more.length))
      errors.forbidden(
        `${path}.properties[metadata]`,
        'must not specify anything other than name and generateName, but metadata is implicitly specified',
      );
  }
  if (embedded && !schema['x-kubernetes-preserve-unknown-fields'] && !Object.keys(schema.properties ?? {}).length)
    errors.required(
      `${path}.properties`,
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
    );
}

function validateExtensions(schema: Schema, path: string, errors: FieldErrors): void {
  if (!schema['x-kubernetes-int-or-string']) return;
  for (const name of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'])
    if (schema[name]) errors.invalid(`${path}.${name}`, true, 'must be false if x-kubernetes-int-or-string is true');
}

function isIntOrString(parts: readonly Schema[] | undefined): boolean {
  return JSON.stringify(parts) === '[{"type":"integer"},{"type":"string"}]';
}

function validateNested(
  schema: Schema,
  skip: { skipAnyOf: boolean; skipFirst: boolean },
  path: string,
  errors: FieldErrors,
): void {
  if (!skip.skipAnyOf)
    schema.anyOf?.forEach((part, index) => {
      validateJunctor(part, false, `${path}.anyOf[${index}]`, errors);
    });
  schema.allOf?.forEach((part, index) => {
    validateJunctor(part, skip.skipFirst && index === 0, `${path}.allOf[${index}]`, errors);
  });
  schema.oneOf?.forEach((part, index) => {
    validateJunctor(part, false, `${path}.oneOf[${index}]`, errors);
  });
  if (schema.not) validateJunctor(schema.not, false, `${path}.not`, errors);
  if (!schema.pattern) return;
  try {
    RE2JS.compile(schema.pattern);
  } catch (error) {
    errors.invalid(
      `${path}.pattern`,
      schema.pattern,
      `must be a valid regular expression, but isn't: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

const EMPTY: readonly [field: string, text: string][] = [
  ['type', 'must be empty to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
];

/** Below allOf, anyOf, oneOf and not only values may be described. */
function validateJunctor(schema: Schema, skipAnyOf: boolean, path: string, errors: FieldErrors): void {
  validateNested(schema, { skipAnyOf, skipFirst: false }, path, errors);
  if (schema.items) validateJunctor(schema.items, false, `${path}.items`, errors);
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    validateJunctor(property, false, `${path}.properties[${name}]`, errors);
  for (const [field, text] of EMPTY) if (schema[field]) errors.forbidden(`${path}.${field}`, text);
  if (schema.properties?.metadata)
    errors.forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context');
}

/** What is described below a junctor of the root must be there outside of it; other junctors are not looked at. */
function validateCompleteness(schema: Schema, path: string, errors: FieldErrors): void {
  const junctors = (part: Schema, at: string): [Schema, string][] => [
    ...(['allOf', 'anyOf', 'oneOf'] as const).flatMap((name) =>
      (part[name] ?? []).map((item, index): [Schema, string] => [item, `${at}.${name}[${index}]`]),
    ),
    ...(part.not ? [[part.not, `${at}.not`] as [Schema, string]] : []),
  ];
  const compare = (nested: Schema, at: string, structural: Schema | undefined, home: string): void => {
    if (nested.items) {
      if (!structural?.items) errors.required(`${home}.items`, `because it is defined in ${at}.items`);
      compare(nested.items, `${at}.items`, structural?.items, `${home}.items`);
    }
    for (const [name, property] of Object.entries(nested.properties ?? {})) {
      const there = structural?.properties?.[name];
      if (!there) errors.required(`${home}.properties[${name}]`, `because it is defined in ${at}.properties[${name}]`);
      compare(property, `${at}.properties[${name}]`, there, `${home}.properties[${name}]`);
    }
    for (const [part, place] of junctors(nested, at)) compare(part, place, structural, home);
  };
  for (const [part, place] of junctors(schema, path)) compare(part, place, schema, path);
}
