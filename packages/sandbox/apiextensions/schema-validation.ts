import { isDeepStrictEqual } from 'node:util';
import { FieldErrors, type Schema } from '@tiphys/apimachinery';
import { BOOL, type Program, STRING } from '@tiphys/cel';
import { compileFor, compileProblem, RuleRun, validateRules } from './cel-rules.ts';
import { schemaType } from './cel-schema.ts';
import { elementCount, schemaSizes } from './cel-sizes.ts';
import { validateEmbedded } from './embedded-resources.ts';
import { validFieldPath } from './field-path.ts';
import { RuleCosts } from './rule-costs.ts';
import { prune } from './structural.ts';
import { validateStructural } from './structural-validation.ts';
import { validateSchema } from './validate.ts';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const AT_ROOT =
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations'.split(
    ' ',
  );

/** Validates the schema of a version, with the API server's words and order; `path` is that of the schema. */
export function validateVersionSchema(schema: Schema, path: string, statusEnabled: boolean, errors: FieldErrors): void {
  if (statusEnabled) validateRootFields(schema, path, errors);
  if (schema.nullable) errors.forbidden(`${path}.nullable`, 'nullable cannot be true at the root');
  const structural = new FieldErrors();
  const problem = conversionProblem(schema);
  const convertible = problem === undefined;
  const known = errors.causes.length;
  if (convertible) validateStructural(schema, path, structural);
  if (convertible && !structural.any) validateDefaults(schema, path, { root: true, meta: false }, structural);
  errors.causes.push(...structural.causes);
  const [found, rules, costs] = [new FieldErrors(), new FieldErrors(), new RuleCosts()];
  const place = { root: true, meta: false, nested: false, uncorrelated: '', noDefaults: '', count: 1 };
  validateNode(schema, path, place, { errors: found, rules, costs });
  errors.causes.push(...found.causes);
  // Mostly told already, in other words.
  if (problem !== undefined && errors.causes.length === known) errors.invalid(path, '', problem);
  if (structural.any || !convertible) return;
  errors.causes.push(...rules.causes);
  costs.finish(path, errors);
}

const UNSUPPORTED: readonly [field: keyof Schema, name: string][] = [
  ['id', 'id'],
  ['$schema', 'schema'],
  ['$ref', '$ref'],
  ['patternProperties', 'patternProperties'],
  ['dependencies', 'dependencies'],
  ['additionalItems', 'additionalItems'],
  ['definitions', 'definitions'],
];

/** What a schema says that structural schemas have no words for; undefined if there is nothing. */
export function conversionProblem(schema: Schema): string | undefined {
  const unsupported = UNSUPPORTED.find(([field]) => schema[field]);
  if (unsupported) return `OpenAPIV3Schema '${unsupported[1]}' is not supported`;
  const { items, properties = {}, additionalProperties, not, allOf = [], anyOf = [], oneOf = [] } = schema;
  const inside = (parts: readonly unknown[]) => {
    for (const part of parts) {
      const problem = typeof part === 'object' && part !== null ? conversionProblem(part as Schema) : undefined;
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
  const nested = inside([not, ...allOf, ...anyOf, ...oneOf]);
  if (nested !== undefined) return nested;
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  if (Array.isArray(items)) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  return inside([items, ...Object.values(properties), additionalProperties]);
}

/** With a status subresource the root says nothing that would be lost for the status. */
function validateRootFields(schema: Schema, path: string, errors: FieldErrors): void {
  const goName = (name: string) =>
    name.startsWith('x-kubernetes-')
      ? `X${name.slice('x-kubernetes-'.length).replace(/(^|-)([a-z])/g, (_, __, letter: string) => letter.toUpperCase())}`
      : `${name[0]?.toUpperCase()}${name.slice(1)}`;
  if (schema.type !== undefined && schema.type !== 'object') {
    errors.invalid(
      `${path}.type`,
      schema.type,
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
    );
    return;
  }
  if (Object.entries(schema).some(([name, value]) => value !== false && !AT_ROOT.includes(goName(name))))
    errors.invalid(
      path,
      schema,
      `only [${AT_ROOT.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`,
    );
}

interface Place {
  readonly root: boolean;
  /** Inside of apiVersion, kind or metadata of a resource. */
  readonly meta: boolean;
  /** Below a junctor: no rules. */
  readonly nested: boolean;
  /** The first ancestor whose parts can't be told apart between two versions of an object. */
  readonly uncorrelated: string;
  /** Why there may be no defaults; empty where they may be. */
  readonly noDefaults: string;
  /** How often such a value may be in an object; undefined when nothing tells it. */
  readonly count: number | undefined;
}

interface Found {
  readonly errors: FieldErrors;
  readonly rules: FieldErrors;
  readonly costs: RuleCosts;
}

function validateNode(schema: Schema, path: string, place: Place, found: Found): void {
  const { errors } = found;
  const before = errors.causes.length;
  validateFields(schema, path, place, errors);
  if (schema.uniqueItems)
    errors.forbidden(
      `${path}.uniqueItems`,
      'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    );
  validateChildren(schema, path, place, found);
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    errors.invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined');
  validateMapType(schema, path, errors);
  validateListType(schema, path, errors);
  if (schema['x-kubernetes-list-type'] === 'map') validateMapList(schema, path, errors);
  validateKeyFields(schema, path, errors);
  validateRuleFields(schema, path, errors);
  if (errors.causes.length === before && !place.nested) validateRuleTexts(schema, path, place, found);
}

function validateFields(schema: Schema, path: string, place: Place, errors: FieldErrors): void {
  if (schema.type && !TYPES.includes(schema.type)) errors.notSupported(`${path}.type`, schema.type, TYPES);
  if (schema.default !== undefined && place.noDefaults)
    errors.forbidden(`${path}.default`, `must not be set ${place.noDefaults}`);
  for (const field of ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'])
    if (schema[field]) errors.forbidden(`${path}.${field}`, `${field} is not supported`);
  if (schema.type === 'null')
    errors.forbidden(`${path}.type`, 'type cannot be set to null, use nullable as an alternative');
  if (Array.isArray(schema.items)) errors.forbidden(`${path}.items`, 'items must be a schema object and not an array');
  if (place.meta && schema['x-kubernetes-embedded-resource'])
    errors.forbidden(`${path}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta');
}

function validateChildren(schema: Schema, path: string, place: Place, found: Found): void {
  const { additionalProperties, properties = {}, items } = schema;
  const parts = elementCount(schema);
  const count = place.count === undefined || parts === undefined ? undefined : Math.min(place.count * parts, 2 ** 64);
  const inner = { ...place, root: false, count };
  if (additionalProperties !== undefined && Object.keys(properties).length && additionalProperties !== true)
    found.errors.forbidden(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive');
  if (typeof additionalProperties === 'object')
    validateNode(
      additionalProperties,
      `${path}.additionalProperties`,
      {
        ...inner,
        noDefaults: place.meta ? 'inside additionalProperties applying to object metadata' : place.noDefaults,
      },
      found,
    );
  for (const [name, property] of Object.entries(properties)) {
    const meta =
      (place.root || schema['x-kubernetes-embedded-resource']) && ['metadata', 'kind', 'apiVersion'].includes(name);
    validateNode(
      property,
      `${path}.properties[${name}]`,
      {
        ...inner,
        meta: place.meta || Boolean(meta),
        noDefaults: meta && place.root ? `in top-level ${name}` : place.noDefaults,
      },
      found,
    );
  }
  const nested = { ...inner, nested: true };
  if (schema.not) validateNode(schema.not, `${path}.not`, nested, found);
  for (const name of ['allOf', 'oneOf', 'anyOf'] as const)
    schema[name]?.forEach((part, index) => {
      validateNode(part, `${path}.${name}[${index}]`, nested, found);
    });
  if (items && !Array.isArray(items)) {
    const map = schema['x-kubernetes-list-type'] === 'map';
    validateNode(items, `${path}.items`, { ...inner, uncorrelated: place.uncorrelated || (map ? '' : path) }, found);
  }
}

function validateMapType(schema: Schema, path: string, errors: FieldErrors): void {
  const type = schema['x-kubernetes-map-type'];
  if (type === undefined) return;
  const text = 'must be object if x-kubernetes-map-type is specified';
  if (!schema.type) errors.required(`${path}.type`, text);
  else if (schema.type !== 'object') errors.invalid(`${path}.type`, schema.type, text);
  if (type !== 'atomic' && type !== 'granular')
    errors.notSupported(`${path}.x-kubernetes-map-type`, type, ['atomic', 'granular']);
}

function validateListType(schema: Schema, path: string, errors: FieldErrors): void {
  const type: string | undefined = schema['x-kubernetes-list-type'];
  const { items } = schema;
  const text = 'must be array if x-kubernetes-list-type is specified';
  if (type !== undefined && schema.type !== 'array') {
    if (!schema.type) errors.required(`${path}.type`, text);
    else errors.invalid(`${path}.type`, schema.type, text);
  } else if (type === 'set' && items) {
    const why = 'must be atomic as item of a list with x-kubernetes-list-type=set';
    const inner = items['x-kubernetes-list-type'];
    if (items.type === 'array' && inner !== undefined && inner !== 'atomic')
      errors.invalid(`${path}.items.x-kubernetes-list-type`, inner, why);
    if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic')
      errors.invalid(`${path}.items.x-kubernetes-map-type`, inner ?? null, why);
  }
  if (type !== undefined && !['atomic', 'set', 'map'].includes(type))
    errors.notSupported(`${path}.x-kubernetes-list-type`, type, ['atomic', 'set', 'map']);
  if (!schema['x-kubernetes-list-map-keys']?.length) return;
  const must = 'must be map if x-kubernetes-list-map-keys is non-empty';
  if (type === undefined) errors.required(`${path}.x-kubernetes-list-type`, must);
  else if (type !== 'map') errors.invalid(`${path}.x-kubernetes-list-type`, type, must);
}

function validateMapList(schema: Schema, path: string, errors: FieldErrors): void {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const { items } = schema;
  if (!keys.length)
    errors.required(`${path}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map');
  if (!items) {
    errors.required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map');
    return;
  }
  if (items.type !== 'object') {
    errors.invalid(
      `${path}.items.type`,
      items.type ?? '',
      "must be object if parent array's x-kubernetes-list-type is map",
    );
    return;
  }
  const seen = new Set<string>();
  for (const key of keys) {
    const property = items.properties?.[key];
    if (!property)
      errors.invalid(`${path}.x-kubernetes-list-map-keys`, keys, 'entries must all be names of item properties');
    else if (property.type === 'array' || property.type === 'object')
      errors.invalid(
        `${path}.items.properties[${key}].type`,
        items.type,
        "must be a scalar type if parent array's x-kubernetes-list-type is map",
      );
    if (seen.has(key)) errors.invalid(`${path}.x-kubernetes-list-map-keys`, keys, 'must not contain duplicate entries');
    seen.add(key);
  }
}

function validateKeyFields(schema: Schema, path: string, errors: FieldErrors): void {
  const type = schema['x-kubernetes-list-type'];
  const { items } = schema;
  if (!items || (type !== 'set' && type !== 'map')) return;
  if (items.nullable)
    errors.forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${type}`);
  if (type !== 'map') return;
  for (const key of schema['x-kubernetes-list-map-keys'] ?? []) {
    const property = items.properties?.[key];
    if (!property) continue;
    const at = `${path}.items.properties[${key}]`;
    if (!items.required?.includes(key) && property.default === undefined)
      errors.required(
        `${at}.default`,
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      );
    if (property.nullable)
      errors.forbidden(`${at}.nullable`, 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable');
  }
}

function validateRuleFields(schema: Schema, path: string, errors: FieldErrors): void {
  (schema['x-kubernetes-validations'] ?? []).forEach((rule, index) => {
    const at = `${path}.x-kubernetes-validations[${index}]`;
    const { message = '', messageExpression = '', reason, fieldPath = '' } = rule;
    const text = (rule.rule ?? '').trim();
    if (!text) errors.required(`${at}.rule`, 'rule is not specified');
    else if (message && !message.trim()) errors.invalid(`${at}.message`, message, 'must be non-empty if specified');
    else if (/[\n\r]/.test(message.trim())) errors.invalid(`${at}.message`, message, 'must not contain line breaks');
    else if (/[\n\r]/.test(text) && !message.trim())
      errors.required(`${at}.message`, 'message must be specified if rule contains line breaks');
    if (messageExpression && !messageExpression.trim())
      errors.required(`${at}.messageExpression`, 'messageExpression must be non-empty if specified');
    if (reason !== undefined && !REASONS.includes(reason)) errors.notSupported(`${at}.reason`, reason, REASONS);
    if (fieldPath && !fieldPath.trim()) errors.invalid(`${at}.fieldPath`, fieldPath, 'must be non-empty if specified');
    if (/[\n\r]/.test(fieldPath)) errors.invalid(`${at}.fieldPath`, fieldPath, 'must not contain line breaks');
    if (fieldPath && conversionProblem(schema) === undefined && 'problem' in validFieldPath(fieldPath, schema))
      errors.invalid(`${at}.fieldPath`, fieldPath, 'must be a valid path');
  });
}

function validateRuleTexts(schema: Schema, path: string, place: Place, { rules: errors, costs }: Found): void {
  const rules = schema['x-kubernetes-validations'] ?? [];
  if (!rules.length) return;
  if (!schemaType(schema, place.root || schema['x-kubernetes-embedded-resource'] === true)) {
    errors.internal(
      `${path}.x-kubernetes-validations`,
      'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations',
    );
    return;
  }
  const { sizeAt, count } = schemaSizes(schema, place.root);
  rules.forEach((rule, index) => {
    const at = `${path}.x-kubernetes-validations[${index}]`;
    let usesPast = false;
    try {
      const program = compileFor(schema, rule.rule, rule, place.root);
      if (program.type === BOOL) {
        usesPast = program.used.has('oldSelf');
        const cost = program.estimate(sizeAt);
        costs.add('rule', `${at}.rule`, Math.min(cost * (place.count ?? count), 2 ** 64), errors);
        const message = messageProgram(schema, rule, { at, root: place.root }, errors);
        if (message) costs.add('messageExpression', `${at}.messageExpression`, message.estimate(sizeAt), errors);
      } else errors.invalid(`${at}.rule`, rule, 'cel expression must evaluate to a bool');
    } catch (error) {
      errors.invalid(`${at}.rule`, rule, compileProblem(error, ''));
    }
    if (!usesPast) {
      if (rule.optionalOldSelf !== undefined)
        errors.invalid(`${at}.optionalOldSelf`, rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule');
    } else if (place.uncorrelated)
      errors.invalid(
        `${at}.rule`,
        rule.rule,
        `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelated}`,
      );
  });
}

/** The program of a rule's message; undefined if it has none, or none that is right. */
function messageProgram(
  schema: Schema,
  rule: NonNullable<Schema['x-kubernetes-validations']>[number],
  { at, root }: { at: string; root: boolean },
  errors: FieldErrors,
): Program | undefined {
  if (!rule.messageExpression) return undefined;
  const field = `${at}.messageExpression`;
  try {
    const program = compileFor(schema, rule.messageExpression, rule, root);
    if (program.type === STRING) return program;
    errors.invalid(field, rule, 'messageExpression must evaluate to a string');
  } catch (error) {
    errors.invalid(field, rule, compileProblem(error, 'messageExpression '));
  }
  return undefined;
}

/** Defaults must be what the schema would accept and leave as they are. `meta`: inside of the metadata of a resource. */
function validateDefaults(
  schema: Schema,
  path: string,
  { root, meta }: { root: boolean; meta: boolean },
  errors: FieldErrors,
): void {
  const embedded = root || schema['x-kubernetes-embedded-resource'] === true;
  const inMeta = meta && !embedded;
  if (schema.default !== undefined) validateDefault(schema, `${path}.default`, { root, embedded, inMeta }, errors);
  if (schema.items) validateDefaults(schema.items, `${path}.items`, { root: false, meta: inMeta }, errors);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const at = `${path}.properties[${name}]`;
    validateDefaults(property, at, { root: false, meta: inMeta || (embedded && META.has(name)) }, errors);
  }
}

const META = new Set(['metadata', 'apiVersion', 'kind']);

function validateDefault(
  schema: Schema,
  at: string,
  { root, embedded, inMeta }: { root: boolean; embedded: boolean; inMeta: boolean },
  errors: FieldErrors,
): void {
  const value = schema.default;
  if (!inMeta) {
    const pruned = prune(structuredClone(value), schema, [], '', embedded);
    if (!isDeepStrictEqual(pruned, value)) errors.invalid(at, value, 'must not have unknown fields');
  }
  const place = (field = '<nil>') => (field === '<nil>' ? '' : field.startsWith('[') ? field : `.${field}`);
  const found = new FieldErrors();
  const tell = (fieldOf: (field?: string) => string) => {
    errors.causes.push(...found.causes.map((cause) => ({ ...cause, field: `${at}${fieldOf(cause.field)}` })));
    return found.any;
  };
  validateEmbedded(value, schema, found, '', embedded);
  if (tell(place)) return;
  validateSchema(value, schema, found, { isDefault: true });
  if (tell((field = '<nil>') => (field === '<nil>' ? '' : `.${field}`))) return;
  // Rules that may do without a past are asked for both.
  for (const past of [{ value }, undefined])
    if (!found.any) validateRules(value, past, schema, new RuleRun(found, found), root);
  tell(place);
}
