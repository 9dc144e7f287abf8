import { matchPath } from '@tiphys/glob';

/** Whether a path from the folder of the `.gitattributes` fits a pattern. */
export type PathMatcher = (path: string) => boolean;

const classes: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  blank: ' \t',
  digit: '0-9',
  lower: 'a-z',
  space: ' \t\n\v\f\r',
  upper: 'A-Z',
  xdigit: '0-9A-Fa-f',
};

/**
 * Patterns of `.gitattributes`: one without a slash is about names at any depth, others are about the path; `**` is any number of folders.
 * Undefined for what can fit no file: a negated pattern, or one that ends in a slash.
 */
export function compileAttributePattern(pattern: string): PathMatcher | undefined {
  if (pattern.startsWith('!') || pattern.endsWith('/') || pattern === '') return undefined;
  const parts = pattern.replace(/^\//, '').split('/').map(inGoWords);
  const [only = ''] = parts;
  if (!pattern.includes('/')) return (path) => matchPath(only, path.slice(path.lastIndexOf('/') + 1));
  // `a/**` is what is inside of the folder, and not the folder
  if (parts.at(-1) === '**') parts.push('*');
  return (path) => matchParts(parts, path.split('/'));
}

/** As Go writes sets: `[^…]`, without named classes. */
function inGoWords(part: string): string {
  if (part === '**') return part;
  return part
    .replace(/\[:([a-z]{1,6}):\]/g, (whole, name: string) => classes[name] ?? whole)
    .replace(/(^|[^\\])\[!/g, '$1[^');
}

/** The first place that fits what stands between two `**` is kept: the time is at most that of length times length. */
function matchParts(pattern: readonly string[], path: readonly string[]): boolean {
  let [at, place] = [0, 0];
  let [star, resumed] = [-1, 0];
  while (place < path.length) {
    if (pattern[at] === '**') {
      [star, resumed] = [at, place];
      at += 1;
    } else if (at < pattern.length && matchPath(pattern[at] as string, path[place] as string)) {
      at += 1;
      place += 1;
    } else if (star >= 0) {
      resumed += 1;
      [at, place] = [star + 1, resumed];
    } else return false;
  }
  while (pattern[at] === '**') at += 1;
  return at === pattern.length;
}
