/** Words of the language, which are no names. */
const words = new Set([
  'true',
  'false',
  'nil',
  'not',
  'and',
  'or',
  'in',
  'matches',
  'contains',
  'startsWith',
  'endsWith',
  'let',
  'if',
  'else',
]);

/**
 * Names of variables in an expression, with their members as far as they are written out: `a.b['c-d']` gives `a.b.c-d`. Left out is
 * what may be missing (`?.`, `??`), what is called, and what belongs to an item of a list (`#`, `.name` in a closure).
 */
export function namesIn(source: string): string[] {
  const text = source.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`/gs, (quoted, at: number) =>
    /\[\s*$/.test(source.slice(Math.max(0, at - 8), at)) ? quoted : ' '.repeat(quoted.length),
  );
  const names = new Set<string>();
  const local = new Set([...text.matchAll(/\blet\s+([A-Za-z_]\w*)/g)].map((match) => match[1]));
  const path = /(?<![\w.#?$'"\]])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\s*(?:'[^'\\]*'|"[^"\\]*")\s*\])*/g;
  for (const match of text.matchAll(path)) {
    const end = match.index + match[0].length;
    const after = text.slice(end).trimStart();
    const parts = partsOf(match[0]);
    if (words.has(parts[0] ?? '') || local.has(parts[0])) continue;
    if (after.startsWith('??') || after.startsWith('?.') || after.startsWith('(')) continue;
    // the key of a map: `{key: value}`
    if (parts.length === 1 && after.startsWith(':') && /[{,]\s*$/.test(text.slice(0, match.index))) continue;
    names.add(parts.join('.'));
  }
  return [...names];
}

function partsOf(path: string): string[] {
  return [...path.matchAll(/[A-Za-z_]\w*(?=[.[]|$)|\.([A-Za-z_]\w*)|\[\s*['"]([^'"]*)['"]\s*\]/g)].map(
    (match) => match[1] ?? match[2] ?? match[0],
  );
}
