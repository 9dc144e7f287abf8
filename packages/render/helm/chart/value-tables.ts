import { GoMap, GoSlice, type Value, type ValueMap } from '@tiphys/template';

/** The map behind a table of values, or undefined. */
export function tableOf(value: Value): ValueMap | undefined {
  if (value instanceof Map) return value;
  return value instanceof GoMap && !value.nil ? (value.entries as ValueMap) : undefined;
}

/** A copy down to the scalars. */
export function deepCopy<T extends Value>(value: T): T {
  if (value instanceof Map) return deepCopyMap(value as ValueMap) as T;
  if (Array.isArray(value)) return value.map(deepCopy) as T;
  if (value instanceof GoMap)
    return new GoMap(
      value.type,
      new Map([...value.entries].map(([k, v]) => [k, deepCopy(v)])),
      value.nil,
    ) as unknown as T;
  if (value instanceof GoSlice) return new GoSlice(value.type, value.items.map(deepCopy), value.nil) as unknown as T;
  return value;
}

export function deepCopyMap(map: ValueMap): ValueMap {
  const copy: ValueMap = new Map();
  for (const [key, value] of map) copy.set(key, deepCopy(value));
  return copy;
}

/** Values files over values files: tables merge, everything else replaces, null too. Neither argument is changed. */
export function mergeMaps(under: ValueMap, over: ValueMap): ValueMap {
  const merged = new Map(under);
  for (const [key, value] of over) {
    const below = merged.get(key);
    merged.set(
      key,
      value instanceof Map && below instanceof Map ? mergeMaps(below as ValueMap, value as ValueMap) : value,
    );
  }
  return merged;
}

/** The table at a path, or the name of the first step that is none. */
export function tableAt(map: ValueMap, path: readonly string[]): { table: ValueMap } | { missing: string } {
  let table = map;
  for (const step of path) {
    const next = tableOf(table.get(step));
    if (!next) return { missing: step };
    table = next;
  }
  return { table };
}
