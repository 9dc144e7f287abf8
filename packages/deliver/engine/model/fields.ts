/** Reading of untyped JSON. */
export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object at the path, or an empty one. */
export function objectAt(value: unknown, ...path: string[]): JsonObject {
  const found = valueAt(value, ...path);
  return isObject(found) ? found : {};
}

/** The objects of the list at the path. */
export function objectsAt(value: unknown, ...path: string[]): JsonObject[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found.filter(isObject) : [];
}

/** The text at the path, or the empty text. */
export function textAt(value: unknown, ...path: string[]): string {
  const found = valueAt(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** The number at the path; undefined if there is none. */
export function numberAt(value: unknown, ...path: string[]): number | undefined {
  const found = valueAt(value, ...path);
  return typeof found === 'number' ? found : undefined;
}

export function valueAt(value: unknown, ...path: string[]): unknown {
  let current = value;
  for (const name of path) {
    if (!isObject(current)) return undefined;
    current = current[name];
  }
  return current;
}
