import { builtinModels, builtinSchema, type GroupVersionKind, type OpenApiSchema } from '@tiphys/kubernetes';

/** Versions whose replacement reads the same fields in another way, although it has all of them. */
const otherMeaning: ReadonlyMap<string, string> = new Map([
  ['policy/v1beta1/PodDisruptionBudget', 'an empty selector selects no pod in v1beta1, and every pod in v1'],
]);
const limit = 5;

/**
 * Why an object of a built-in kind cannot be moved to another version by its apiVersion alone: fields that are gone, have moved or
 * must be given, at most five. Empty if one line does it; undefined if the fields of the other version are not known here.
 */
export function versionChangeProblems(
  object: Readonly<Record<string, unknown>>,
  from: GroupVersionKind,
  to: GroupVersionKind,
): readonly string[] | undefined {
  if (from.kind !== to.kind) return [`${to.kind} is another kind`];
  const schema = builtinSchema(to);
  if (!schema) return undefined;
  const meaning = otherMeaning.get(`${from.group}/${from.version}/${from.kind}`);
  const selector = (object.spec as { selector?: object } | null | undefined)?.selector;
  if (meaning && Object.keys(selector ?? {}).length === 0) return [meaning];
  return misfits(object, schema, '');
}

/** Fields that a schema does not have, and those that it wants and are missing. */
function misfits(value: unknown, unresolved: OpenApiSchema, path: string): string[] {
  const schema = builtinModels().resolve(unresolved);
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.flatMap((item, index) => misfits(item, items, `${path}[${index}]`)).slice(0, limit) : [];
  }
  const { properties, additionalProperties } = schema;
  if (typeof value !== 'object' || value === null) return [];
  if (!properties) {
    if (typeof additionalProperties !== 'object') return [];
    return Object.entries(value)
      .flatMap(([key, each]) => misfits(each, additionalProperties, `${path}.${key}`))
      .slice(0, limit);
  }
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(value, name));
  const problems = missing.map((name) => `${`${path}.${name}`.slice(1)} must be given`);
  for (const [key, each] of Object.entries(value)) {
    const field = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (field) problems.push(...misfits(each, field, `${path}.${key}`));
    else problems.push(`${`${path}.${key}`.slice(1)} is gone or has moved`);
  }
  return problems.slice(0, limit);
}
