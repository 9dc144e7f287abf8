/** Paths of the keys that a JSON text has twice in one object. `value` is the parsed text. */
export function duplicateKeys(text: string, value: unknown): string[] {
  // A compact text without duplicates is as long as what it parses to.
  if (text.length === JSON.stringify(value).length) return [];
  return [...new Set([...keysOf(text)].filter(({ again }) => again).map(({ path }) => path))];
}

/**
 * What Go's strict decoder says of a JSON text of a known type, in the order in which it meets it: unknown fields, whose
 * values it does not look into, and keys that come again.
 */
export function strictProblems(text: string, unknown: readonly string[]): string[] {
  const told = new Set<string>();
  const within = (path: string) =>
    unknown.some((field) => path.startsWith(`${field}.`) || path.startsWith(`${field}[`));
  for (const { path, again } of keysOf(text)) {
    if (unknown.includes(path)) told.add(unknownField(path));
    else if (again && !within(path)) told.add(duplicateField(path));
  }
  for (const path of unknown) told.add(unknownField(path));
  return [...told];
}

export const unknownField = (path: string) => `unknown field ${JSON.stringify(path)}`;
export const duplicateField = (path: string) => `duplicate field ${JSON.stringify(path)}`;

/** Every key of a text's objects; `again` if its object had it before. */
function* keysOf(text: string): Generator<{ path: string; again: boolean }> {
  const stack: { keys: Set<string> | undefined; path: string; index: number; key: string }[] = [];
  const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;
  let expectKey = false;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [part] = match;
    const top = stack[stack.length - 1];
    switch (part) {
      case '{':
      case '[': {
        const path = top ? childPath(top) : '';
        stack.push({ keys: part === '{' ? new Set() : undefined, path, index: 0, key: '' });
        expectKey = part === '{';
        break;
      }
      case '}':
      case ']':
        stack.pop();
        expectKey = false;
        break;
      case ',':
        if (top) top.index += 1;
        expectKey = top?.keys !== undefined;
        break;
      case ':':
        expectKey = false;
        break;
      default:
        if (!expectKey || !top?.keys) break;
        top.key = JSON.parse(part) as string;
        yield { path: childPath(top), again: top.keys.has(top.key) };
        top.keys.add(top.key);
    }
  }
}

function childPath({
  keys,
  path,
  index,
  key,
}: {
  keys: Set<string> | undefined;
  path: string;
  index: number;
  key: string;
}): string {
  if (!keys) return `${path}[${index}]`;
  return path ? `${path}.${key}` : key;
}
