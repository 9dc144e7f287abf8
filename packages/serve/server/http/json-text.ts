/** Items of one list that are written without a break. */
const atOnce = 100;

/** `JSON.stringify`; between the parts of an object's long lists `pause` is awaited, so that others have their turn. */
export async function jsonText(value: unknown, pause: () => Promise<void>): Promise<string> {
  const isLong = (item: unknown): item is unknown[] => Array.isArray(item) && item.length > atOnce;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject || !Object.values(value).some(isLong)) return JSON.stringify(value);
  const members: string[] = [];
  for (const [key, item] of Object.entries(value)) {
    if (!isLong(item)) {
      const text: string | undefined = JSON.stringify(item);
      if (text !== undefined) members.push(`${JSON.stringify(key)}:${text}`);
      continue;
    }
    const parts: string[] = [];
    for (let from = 0; from < item.length; from += atOnce) {
      if (from > 0) await pause();
      parts.push(JSON.stringify(item.slice(from, from + atOnce)).slice(1, -1));
    }
    members.push(`${JSON.stringify(key)}:[${parts.join(',')}]`);
  }
  return `{${members.join(',')}}`;
}
