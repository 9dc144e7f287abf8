import { sameValue } from '@tiphys/kubernetes';
import { isObject, type JsonObject } from '../../model/fields.ts';

/** The JSON merge patch that makes `to` of `from`; undefined where they are equal. Lists are replaced as a whole. */
export function mergePatch(from: JsonObject, to: JsonObject): JsonObject | undefined {
  const patch: JsonObject = {};
  for (const name of Object.keys(from)) if (!Object.hasOwn(to, name)) patch[name] = null;
  for (const [name, value] of Object.entries(to)) {
    const before = from[name];
    if (isObject(before) && isObject(value)) {
      const inner = mergePatch(before, value);
      if (inner) patch[name] = inner;
    } else if (!sameValue(before, value)) patch[name] = value;
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}

/** JSON with the fields of objects in order, as Go writes it. */
export function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const entries = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${sortedJson(value[name])}`);
  return `{${entries.join(',')}}`;
}
