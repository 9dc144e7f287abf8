/** Reads a value by a dotted path; undefined where something is missing. */
export function at(object: unknown, path: string): unknown {
  let value = object;
  for (const part of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

export function textAt(object: unknown, path: string, missing = ''): string {
  const value = at(object, path);
  return value === undefined || value === null || value === '' ? missing : String(value);
}

export function numberAt(object: unknown, path: string): number {
  const value = at(object, path);
  return typeof value === 'number' ? value : 0;
}

export function listAt<T = Record<string, unknown>>(object: unknown, path: string): T[] {
  const value = at(object, path);
  return Array.isArray(value) ? (value as T[]) : [];
}

/** `a=b,c=d` with sorted keys, `<none>` for no labels. */
export function formatLabels(labels: unknown): string {
  const entries = Object.entries((labels ?? {}) as Record<string, string>).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.length ? entries.map(([key, value]) => `${key}=${value}`).join(',') : '<none>';
}

/** The first items, and how many more there are. */
export function shortList(items: readonly string[], max: number, separator = ','): string {
  const text = items.slice(0, max).join(separator);
  return items.length > max ? `${text} + ${items.length - max} more...` : text || '<unset>';
}
