type Json = Record<string, unknown>;

/**
 * What is left of a JSON answer after the query parameter `fields`: a comma-separated list of dotted paths to keep, or
 * with `-` in front to leave out. Lists are looked through. Without the parameter the value is returned as it is.
 */
export function selectFields(value: unknown, fields: string | null): unknown {
  if (!fields) return value;
  const exclude = fields.startsWith('-');
  const paths = new Set((exclude ? fields.slice(1) : fields).split(','));
  return select(value, '', paths, exclude);
}

function select(value: unknown, path: string, paths: ReadonlySet<string>, exclude: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => select(item, path, paths, exclude));
  if (typeof value !== 'object' || value === null) return value;
  const kept: Json = {};
  for (const [key, item] of Object.entries(value)) {
    const inner = path ? `${path}.${key}` : key;
    const named = paths.has(inner);
    if (exclude) {
      if (!named) kept[key] = select(item, inner, paths, exclude);
    } else if (named) kept[key] = item;
    else if ([...paths].some((wanted) => wanted.startsWith(`${inner}.`)))
      kept[key] = select(item, inner, paths, exclude);
  }
  return kept;
}
