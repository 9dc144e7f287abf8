import type { Value, ValueMap } from '@tiphys/template';

/** JSON as Go holds it in an unstructured object: whole numbers are int64, others float64. */
export function objectValue(json: unknown): Value {
  if (json === null || json === undefined) return null;
  if (typeof json === 'number') return Number.isSafeInteger(json) ? BigInt(json) : json;
  if (Array.isArray(json)) return json.map(objectValue);
  if (typeof json === 'object') return objectMap(json);
  return json as string | boolean;
}

export function objectMap(json: object): ValueMap {
  return new Map(Object.entries(json).map(([key, item]) => [key, objectValue(item)]));
}
