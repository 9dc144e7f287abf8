import type { FieldErrors, Schema } from '@tiphys/apimachinery';
import { isFields } from '@tiphys/kubernetes';

/** Lists that are sets or maps hold nothing twice; of what is there more often, the second is reported. */
export function validateListTypes(value: unknown, schema: Schema, errors: FieldErrors, path = ''): void {
  if (Array.isArray(value)) {
    const type = schema['x-kubernetes-list-type'];
    if (type === 'set') for (const index of repeated(value)) errors.duplicate(`${path}[${index}]`, value[index]);
    else if (type === 'map') validateMap(value, schema, errors, path);
    const { items } = schema;
    if (items) for (const [index, item] of value.entries()) validateListTypes(item, items, errors, `${path}[${index}]`);
    return;
  }
  if (!isFields(value)) return;
  const { properties = {}, additionalProperties } = schema;
  for (const [key, item] of Object.entries(value)) {
    if (typeof additionalProperties === 'object')
      validateListTypes(item, additionalProperties, errors, `${path}[${key}]`);
    const property = properties[key];
    if (property) validateListTypes(item, property, errors, path ? `${path}.${key}` : key);
  }
}

function validateMap(value: readonly unknown[], schema: Schema, errors: FieldErrors, path: string): void {
  const wrong = value.findIndex((item) => item !== null && !isFields(item));
  if (wrong >= 0) {
    errors.invalid(`${path}[${wrong}]`, value[wrong], 'must be an object for an array of list-type map');
    return;
  }
  const names = schema['x-kubernetes-list-map-keys'] ?? [];
  const keys = value.map((item) =>
    Object.fromEntries(
      names.flatMap((name) => (isFields(item) && Object.hasOwn(item, name) ? [[name, item[name]] as const] : [])),
    ),
  );
  for (const index of repeated(keys)) errors.duplicate(`${path}[${index}]`, keys[index]);
}

/** Where an item is for the second time. */
function repeated(items: readonly unknown[]): number[] {
  const seen = new Map<string, number>();
  return items.flatMap((item, index) => {
    const text = JSON.stringify(item);
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    return times === 2 ? [index] : [];
  });
}
