import { roundTrip, type Schema } from '@tiphys/apimachinery';
import { isFields } from '@tiphys/kubernetes';

type Json = unknown;

/** Fields that every object has, whatever its schema says. */
const ROOT_FIELDS = new Set(['apiVersion', 'kind', 'metadata']);

/** A copy without the fields that the schema does not know; their paths go to `unknown`. */
export function prune(value: Json, schema: Schema, unknown: string[], path = '', root = true): Json {
  return pruned(value, { schema, root, keeps: false }, path, unknown);
}

interface Level {
  /** Nothing is known where there is none: lists and maps are left, and empty objects. */
  readonly schema: Schema | undefined;
  readonly root: boolean;
  /** What is not known stays, as around it. */
  readonly keeps: boolean;
}

function pruned(value: Json, { schema, root, keeps }: Level, path: string, unknown: string[]): Json {
  const keepsUnknown = keeps || schema?.['x-kubernetes-preserve-unknown-fields'] === true;
  if (keepsUnknown && !schema) return value;
  if (Array.isArray(value)) {
    const items = { schema: schema?.items, root: false, keeps: keepsUnknown };
    return value.map((item, index) => pruned(item, items, `${path}[${index}]`, unknown));
  }
  if (!isFields(value)) return value;
  const { properties = {}, additionalProperties } = schema ?? {};
  const embedded = schema?.['x-kubernetes-embedded-resource'] === true;
  const result: Record<string, Json> = {};
  for (const [key, item] of Object.entries(value)) {
    const at = path ? `${path}.${key}` : key;
    const property = properties[key] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
    if (root && ROOT_FIELDS.has(key)) result[key] = item;
    else if (embedded && ROOT_FIELDS.has(key)) result[key] = key === 'metadata' ? knownMeta(item, at, unknown) : item;
    else if (property || additionalProperties !== undefined)
      result[key] = pruned(item, { schema: property, root: false, keeps: false }, at, unknown);
    else if (keepsUnknown) result[key] = item;
    else unknown.push(at);
  }
  return result;
}

/** The metadata of an embedded resource, as the type of all metadata writes it. */
function knownMeta(value: Json, path: string, unknown: string[]): Json {
  if (!isFields(value)) return value;
  const issues = { unknown: [] as string[] };
  const known = roundTrip('meta/v1.ObjectMeta', value, issues);
  unknown.push(...issues.unknown.map((name) => `${path}.${name}`));
  return known;
}

/** Sets the schema's defaults where fields are missing, and where null is not allowed; changes the value. */
export function applyDefaults(value: Json, schema: Schema): void {
  if (Array.isArray(value)) {
    if (schema.items) for (const item of value) applyDefaults(item, schema.items);
    return;
  }
  if (!isFields(value)) return;
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    if (property.default !== undefined && (value[key] === undefined || (value[key] === null && !property.nullable)))
      value[key] = structuredClone(property.default);
    if (value[key] !== undefined) applyDefaults(value[key], property);
  }
  if (typeof schema.additionalProperties !== 'object') return;
  for (const [key, item] of Object.entries(value))
    if (!schema.properties?.[key]) applyDefaults(item, schema.additionalProperties);
}

/** Removes nulls of fields that may not be null and have no default: they count as absent. */
export function dropNulls(value: Json, schema: Schema): void {
  if (Array.isArray(value)) {
    if (schema.items) for (const item of value) dropNulls(item, schema.items);
    return;
  }
  if (!isFields(value)) return;
  for (const [key, item] of Object.entries(value)) {
    const declared = schema.properties?.[key];
    const property =
      declared ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined);
    if (!property) continue;
    if (item !== null) dropNulls(item, property);
    else if (!property.nullable && property.default === undefined) delete value[key];
  }
}
