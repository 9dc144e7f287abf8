import type { KubeObject } from './object.ts';

/** Characters of the sets that are remembered. */
const room = 2_000_000;
/** Sets of fields by their text. Which fields a manager owns is the same of most objects that it writes in the same way. */
const sets = new Map<string, object>();
let used = 0;

/**
 * The object with the sets of its managed fields in common with other objects: they are often more than half of what an object
 * takes. The object is changed; the sets are read-only from now on.
 */
export function shareManagedFields<T extends KubeObject>(object: T): T {
  for (const entry of object.metadata.managedFields ?? [])
    if (entry.fieldsV1) entry.fieldsV1 = shared(entry.fieldsV1) as typeof entry.fieldsV1;
  return object;
}

function shared(fields: object): object {
  const text = JSON.stringify(fields);
  const known = sets.get(text);
  if (known) return known;
  sets.set(text, fields);
  used += text.length;
  // the oldest go first; objects that use them keep them
  for (const oldest of sets.keys()) {
    if (used <= room) break;
    sets.delete(oldest);
    used -= oldest.length;
  }
  return fields;
}
