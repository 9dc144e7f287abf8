/**
 * The JSON merge patch (RFC 7386) that turns `before` into `after`, or undefined if they are equal.
 * Lists are replaced whole.
 */
export function mergePatch(before: unknown, after: unknown): unknown {
  if (before === after) return undefined;
  if (isRecord(before) && isRecord(after)) {
    let patch: Record<string, unknown> | undefined;
    const change = (key: string, value: unknown) => {
      patch ??= {};
      patch[key] = value;
    };
    for (const key of Object.keys(before))
      if (before[key] !== undefined && (!Object.hasOwn(after, key) || after[key] === undefined)) change(key, null);
    for (const key of Object.keys(after)) {
      const value = after[key];
      if (value === undefined) continue;
      const old = Object.hasOwn(before, key) ? before[key] : undefined;
      const inner = old === undefined ? value : mergePatch(old, value);
      if (inner !== undefined) change(key, inner);
    }
    return patch;
  }
  return deepEqual(before, after) ? undefined : after;
}

/** Equality of JSON data; an absent member equals an undefined one. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => deepEqual(item, b[index]))
    );
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  for (const key of Object.keys(a)) if (!deepEqual(a[key], b[key])) return false;
  for (const key of Object.keys(b)) if (b[key] !== undefined && a[key] === undefined) return false;
  return true;
}

/** A deep copy of JSON data; several times faster than `structuredClone`. */
export function copyJson<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item) => copyJson(item)) as T;
  if (!isRecord(value)) return value;
  // own members all, so that one called __proto__ stays a member
  const copy: Record<string, unknown> = { ...value };
  for (const [key, member] of Object.entries(copy)) if (typeof member === 'object') copy[key] = copyJson(member);
  return copy as T;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
