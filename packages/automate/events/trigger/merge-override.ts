/** Merges as mergo with override: objects key by key; other values that are not empty replace; empty ones change nothing. */
export function mergeOverride(into: Record<string, unknown>, from: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(from)) {
    const present = into[key];
    if (isObject(value) && isObject(present)) mergeOverride(present, value);
    else if (!isEmpty(value) || present === undefined)
      Object.defineProperty(into, key, { value, enumerable: true, configurable: true, writable: true });
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.keys(value).length === 0;
  return value === null || value === undefined || value === '' || value === 0 || value === false;
}
