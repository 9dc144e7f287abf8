/** What stands at a path such as `spec.triggers[0].template`; undefined where nothing does. Names may have anything but dots and brackets. */
export function valueAt(whole: unknown, path: string): unknown {
  let value = whole;
  for (const step of path.split(/[.[\]]/).filter(Boolean)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}
