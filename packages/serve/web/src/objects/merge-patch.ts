/** The JSON merge patch that makes `after` of `before`; undefined if they are the same. */
export function mergePatchOf(before: unknown, after: unknown): Record<string, unknown> | undefined {
  const patch: Record<string, unknown> = {};
  const [a, b] = [before, after] as Record<string, unknown>[];
  for (const key of new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})])) {
    const [old, now] = [a?.[key], b?.[key]];
    if (now === undefined) patch[key] = null;
    else if (isMap(old) && isMap(now)) {
      const inner = mergePatchOf(old, now);
      if (inner) patch[key] = inner;
    } else if (JSON.stringify(old) !== JSON.stringify(now)) patch[key] = now;
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}

/** What a merge patch makes of an object: a null takes a field out. */
export function withMergePatch(before: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const merged = new Map(isMap(before) ? Object.entries(before) : []);
  for (const [key, value] of Object.entries(patch))
    if (value === null) merged.delete(key);
    else merged.set(key, withMergePatch(merged.get(key), value));
  return Object.fromEntries(merged);
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
