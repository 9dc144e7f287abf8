/** Go's json.Indent with two spaces, of JSON in one line. */
export function indentJson(json: string): string {
  let out = '';
  let depth = 0;
  for (let i = 0; i < json.length; i++) {
    const char = json[i] as string;
    if (char === '"') {
      let end = i + 1;
      while (json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
      out += json.slice(i, end + 1);
      i = end;
    } else if (char === '{' || char === '[') {
      const close = json[i + 1];
      if (close === '}' || close === ']') {
        out += char + close;
        i++;
      } else out += `${char}\n${'  '.repeat(++depth)}`;
    } else if (char === '}' || char === ']') out += `\n${'  '.repeat(--depth)}${char}`;
    else if (char === ',') out += `,\n${'  '.repeat(depth)}`;
    else out += char === ':' ? ': ' : char;
  }
  return out;
}
