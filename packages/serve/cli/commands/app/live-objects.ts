import { structured, table } from '../../terminal/output.ts';

export interface LiveFlags {
  readonly project?: string;
  readonly filterFields?: string[];
  readonly showManagedFields?: boolean;
  readonly output: string;
  readonly resourceName?: string;
}

type Value = Readonly<Record<string, unknown>>;

/** The object as the flags want it shown; a field inside of lists is looked for in each of their items. */
export function shownFields(object: Value, { filterFields, showManagedFields }: LiveFlags): Value {
  const { managedFields, ...metadata } = (object['metadata'] ?? {}) as Value;
  const whole = { ...object, metadata: { ...metadata, ...(showManagedFields ? { managedFields } : {}) } };
  if (!filterFields) return whole;
  const picked = filterFields.map((field) => pick(whole, field.split('.'))).filter(isObject);
  return picked.reduce(merge, { metadata: { name: metadata['name'] } });
}

/** One line for each field, or the objects themselves. */
export function printObjects(objects: readonly Value[], { output, resourceName }: LiveFlags): string {
  if (output === 'json' || output === 'yaml')
    return objects.map((object) => structured(output, object)).join(output === 'yaml' ? '\n---\n' : '\n');
  const named = resourceName === undefined;
  const rows = objects.flatMap((object) =>
    leaves(object).map(([field, value]) =>
      named ? [field, String((object['metadata'] as Value)['name']), value] : [field, value],
    ),
  );
  return table([named ? ['FIELD', 'RESOURCE NAME', 'VALUE'] : ['FIELD', 'VALUE'], ...rows]);
}

function pick(value: unknown, [field, ...rest]: readonly string[]): unknown {
  if (field === undefined) return value;
  if (Array.isArray(value)) {
    const found = value.map((item) => pick(item, [field, ...rest])).filter((item) => item !== undefined);
    return found.length > 0 ? found : undefined;
  }
  if (!isObject(value) || !Object.hasOwn(value, field)) return undefined;
  const below = pick(value[field], rest);
  return below === undefined ? undefined : { [field]: below };
}

function merge(a: Value, b: Value): Value {
  const result: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const before = result[key];
    result[key] = isObject(before) && isObject(value) ? merge(before, value) : value;
  }
  return result;
}

function leaves(value: unknown, path = ''): [field: string, value: string][] {
  const entries = Array.isArray(value) ? value.map((item, index) => [String(index), item] as const) : undefined;
  const fields = entries ?? (isObject(value) ? Object.entries(value) : undefined);
  if (!fields || fields.length === 0) return [[path, typeof value === 'string' ? value : JSON.stringify(value)]];
  return fields.flatMap(([key, item]) => leaves(item, path === '' ? key : `${path}.${key}`));
}

function isObject(value: unknown): value is Value {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
