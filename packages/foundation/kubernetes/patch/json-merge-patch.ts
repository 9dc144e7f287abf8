import { type Fields, isFields, sameValue } from '../smd/typed-value.ts';

/** Applies an RFC 7386 patch: null removes, objects are merged, anything else replaces. Nothing given is changed. */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch;
  const result: Fields = isFields(document) ? { ...document } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (name === '__proto__') continue; // assigning it would change the prototype; no kind has such a field
    if (value === null) delete result[name];
    else if (isFields(value)) result[name] = applyMergePatch(result[name], value);
    else result[name] = value;
  }
  return result;
}

/** The merge patch that makes `to` of `from`. */
export function createMergePatch(from: Fields, to: Fields): Fields {
  const patch: Fields = {};
  for (const [name, value] of Object.entries(to)) {
    const before = from[name];
    if (!Object.hasOwn(from, name)) patch[name] = value;
    else if (isFields(before) && isFields(value)) {
      const inner = createMergePatch(before, value);
      if (Object.keys(inner).length > 0) patch[name] = inner;
    } else if (!sameValue(before, value)) patch[name] = value;
  }
  for (const name of Object.keys(from)) if (!Object.hasOwn(to, name)) patch[name] = null;
  return patch;
}

/**
 * The merge patch of client-side apply for kinds without strategic merge: what `modified` changes in `current`, and
 * removals of what `original`, the last applied, had and `modified` has not.
 */
export function threeWayMergePatch(original: Fields, modified: Fields, current: Fields): Fields {
  const changes = filterNulls(createMergePatch(current, modified), false);
  const removals = filterNulls(createMergePatch(original, modified), true);
  return overlay(removals, changes);
}

/** Either the nulls of a patch alone, or all but them. */
function filterNulls(patch: Fields, keep: boolean): Fields {
  const result: Fields = {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) {
      if (keep) result[name] = null;
    } else if (isFields(value) && Object.keys(value).length > 0) {
      const inner = filterNulls(value, keep);
      if (Object.keys(inner).length > 0) result[name] = inner;
    } else if (!keep) result[name] = value;
  }
  return result;
}

function overlay(below: Fields, above: Fields): Fields {
  const result = { ...below };
  for (const [name, value] of Object.entries(above)) {
    const under = result[name];
    result[name] = isFields(value) && isFields(under) ? overlay(under, value) : value;
  }
  return result;
}
