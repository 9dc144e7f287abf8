import type { Json } from '../model/notification.ts';

const reference = /[$]([\w-]+)/g;

/** A document with each `$key` in its texts replaced by the value that the Secret has; the keys that it lacks. */
export function resolveReferences(
  document: Json,
  secret: ReadonlyMap<string, string>,
): { value: Json; missing: string[] } {
  const missing = new Set<string>();
  const visit = (value: Json): Json => {
    if (typeof value === 'string')
      return value.replace(reference, (whole, key: string) => {
        const found = secret.get(key);
        if (found === undefined) missing.add(key);
        return found ?? whole;
      });
    if (Array.isArray(value)) return value.map(visit);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, visit(item)]));
  };
  return { value: visit(document), missing: [...missing] };
}
