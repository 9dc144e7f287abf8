import {
  FieldErrors,
  isDns1035Label,
  isDnsLabel,
  isPathSegment,
  type Resource,
  type Schema,
  validateMeta,
} from '@tiphys/apimachinery';
import { isFields, type KubeObject } from '@tiphys/kubernetes';

/** The type and the metadata of embedded resources, at any depth; the value itself counts where `embedded` says so. */
export function validateEmbedded(
  value: unknown,
  schema: Schema,
  errors: FieldErrors,
  path = '',
  embedded = schema['x-kubernetes-embedded-resource'] === true,
): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items) for (const [index, item] of value.entries()) validateEmbedded(item, items, errors, `${path}[${index}]`);
    return;
  }
  if (!isFields(value)) return;
  if (embedded) validateResource(value, errors, path);
  const { properties = {}, additionalProperties } = schema;
  for (const [key, item] of Object.entries(value)) {
    const property = properties[key];
    if (property) validateEmbedded(item, property, errors, childOf(path, key));
    else if (typeof additionalProperties === 'object')
      validateEmbedded(item, additionalProperties, errors, `${path}[${key}]`);
  }
}

const childOf = (path: string, key: string) => (path ? `${path}.${key}` : key);

function validateResource(value: Record<string, unknown>, errors: FieldErrors, path: string): void {
  const { apiVersion, kind, metadata } = value;
  for (const name of ['apiVersion', 'kind']) if (!Object.hasOwn(value, name)) errors.required(childOf(path, name));
  if (apiVersion !== undefined) validateText(apiVersion, childOf(path, 'apiVersion'), errors, apiVersionProblem);
  if (kind !== undefined) validateText(kind, childOf(path, 'kind'), errors, kindProblem);
  if (isFields(metadata)) validateMetadata(metadata, childOf(path, 'metadata'), errors);
}

function validateText(
  value: unknown,
  path: string,
  errors: FieldErrors,
  problemOf: (text: string) => string | undefined,
): void {
  if (typeof value !== 'string') errors.invalid(path, value, 'must be a string');
  else {
    const problem = value === '' ? 'must not be empty' : problemOf(value);
    if (problem !== undefined) errors.invalid(path, value, problem);
  }
}

function apiVersionProblem(text: string): string | undefined {
  return text.split('/').length > 2 ? `unexpected GroupVersion string: ${text}` : undefined;
}

function kindProblem(text: string): string | undefined {
  const problems = isDns1035Label(text.toLowerCase());
  return problems.length ? `may have mixed case, but should otherwise match: ${problems.join(',')}` : undefined;
}

function validateMetadata(metadata: Record<string, unknown>, path: string, errors: FieldErrors): void {
  const found = new FieldErrors();
  const { name, namespace } = metadata;
  const object = { metadata: { ...metadata, name: name || 'fakename' } } as KubeObject;
  validateMeta({ strategy: { nameRule: isPathSegment }, custom: '' } as unknown as Resource, object, found, true);
  const problems = typeof namespace === 'string' && namespace ? isDnsLabel(namespace) : [];
  const first = found.causes.findIndex(({ field = '' }) => !/^metadata\.(name|generateName)$/.test(field));
  const space = new FieldErrors();
  for (const problem of problems) space.invalid('metadata.namespace', namespace, problem);
  found.causes.splice(first < 0 ? found.causes.length : first, 0, ...space.causes);
  for (const cause of found.causes)
    errors.causes.push({ ...cause, field: (cause.field ?? '').replace(/^metadata/, path) });
}
