import type { Value } from '@tiphys/template';

/** JSON data as expressions take it: objects are Maps, numbers floats, dates their text. */
export function toValue(data: unknown): Value {
  if (data === undefined || data === null) return null;
  if (Array.isArray(data)) return data.map(toValue);
  if (data instanceof Date) return data.toISOString();
  if (typeof data === 'object') return new Map(Object.entries(data).map(([key, value]) => [key, toValue(value)]));
  return data as Value;
}
