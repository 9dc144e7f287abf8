/** JSON pointers of the deepest values that two documents do not share, in order; elements of lists of different length as the whole list. */
export function changedPointers(live: unknown, desired: unknown): string[] {
  return pointersOf(live, desired, '').sort();
}

function pointersOf(a: unknown, b: unknown, path: string): string[] {
  if (JSON.stringify(a) === JSON.stringify(b)) return [];
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length)
    return a.flatMap((item, index) => pointersOf(item, b[index], `${path}/${index}`));
  if (!isMap(a) || !isMap(b)) return [path];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) =>
    pointersOf(a[key], b[key], `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
