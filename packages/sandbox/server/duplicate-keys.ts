/** Paths of the keys that a JSON text has twice in one object. `value` is the parsed text. */
export function duplicateKeys(text: string, value: unknown): string[] {
  // A compact text without duplicates is as long as what it parses to.
  if (text.length === JSON.stringify(value).length) return [];
  const found: string[] = [];
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
        if (top.keys.has(top.key)) found.push(childPath(top));
        top.keys.add(top.key);
    }
  }
  return [...new Set(found)];
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
