import { isRecord, newParams } from '../params/params.ts';
import type { Replace } from './replace.ts';

/** A copy of JSON data in which every text is filled, keys of maps included. */
export function deepReplace<T>(value: T, replace: Replace): T {
  if (typeof value === 'string') return replace(value) as T;
  if (Array.isArray(value)) return value.map((item) => deepReplace(item, replace)) as T;
  if (!isRecord(value)) return value;
  const copy = newParams();
  for (const [key, member] of Object.entries(value))
    copy[key.includes('{{') ? replace(key) : key] = deepReplace(member, replace);
  return copy as T;
}
