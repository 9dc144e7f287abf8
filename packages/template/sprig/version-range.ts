/** A version of Masterminds/semver: parts that are not written are 0. */
export interface Version {
  readonly numbers: readonly [number, number, number];
  readonly pre: string;
  /** The minor number, or only the patch number, was left out or is a wildcard. */
  readonly minorWild: boolean;
  readonly patchWild: boolean;
  /** Some number was left out or is a wildcard. */
  readonly wild: boolean;
}

export type Test = (version: Version) => boolean;

const versionPattern =
  /^v?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?$/;
const partial =
  'v?(?:[0-9]+|[xX*])(?:\\.(?:[0-9]+|[xX*]))?(?:\\.(?:[0-9]+|[xX*]))?(?:-[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?(?:\\+[0-9A-Za-z.-]+)?';
const constraintPattern = new RegExp(`(=|!=|>|<|>=|=>|<=|=<|~>|~|\\^|)\\s*(${partial})`, 'g');
const constraintList = new RegExp(
  `^\\s*(?:(?:=|!=|>|<|>=|=>|<=|=<|~>|~|\\^|)\\s*${partial}\\s*)(?:(?:\\s+|,\\s*)(?:=|!=|>|<|>=|=>|<=|=<|~>|~|\\^|)\\s*${partial}\\s*)*$`,
);
const hyphenPattern = new RegExp(`\\s*(${partial})\\s+-\\s+(${partial})\\s*`, 'g');

const cache = new Map<string, Test | undefined>();

/** Whether a version is in a range, by the rules of Helm (Masterminds/semver); false if either can't be read. */
export function satisfies(version: string, range: string): boolean {
  const parsed = parseVersion(version);
  if (!parsed) return false;
  if (!cache.has(range)) {
    if (cache.size > 1000) cache.clear();
    cache.set(range, parseRange(range));
  }
  return cache.get(range)?.(parsed) ?? false;
}

/** A version, leniently; undefined if the text is none. */
export function parseVersion(text: string): Version | undefined {
  const match = versionPattern.exec(text);
  if (!match || (match[4] ?? '').split('.').some((part) => /^0[0-9]+$/.test(part))) return undefined;
  return {
    numbers: [Number(match[1]), Number(match[2] ?? 0), Number(match[3] ?? 0)],
    pre: match[4] ?? '',
    minorWild: false,
    patchWild: false,
    wild: false,
  };
}

/** The test that a range stands for; undefined if the text is none. */
export function parseRange(text: string): Test | undefined {
  const alternatives: Test[] = [];
  for (const part of text.replace(hyphenPattern, '>=$1 <=$2 ').split('||')) {
    if (part.trim() !== '' && !constraintList.test(part)) return undefined;
    const bounds = [...part.matchAll(constraintPattern)].map(([, operator, version]) => ({
      operator,
      bound: parsePartial(version as string),
    }));
    // Prereleases are in a range if one of its parts names a prerelease.
    const pre = bounds.some(({ bound }) => bound.pre !== '');
    alternatives.push(
      (version) =>
        (pre || version.pre === '' || bounds.length === 0) &&
        bounds.every(({ operator, bound }) => passes(operator as string, version, bound)),
    );
  }
  return (candidate) => alternatives.some((test) => test(candidate));
}

function passes(operator: string, version: Version, bound: Version): boolean {
  const order = compare(version, bound);
  const { minorWild, patchWild, wild } = bound;
  const [major, minor] = [version.numbers[0] - bound.numbers[0], version.numbers[1] - bound.numbers[1]];
  switch (operator) {
    case '':
    case '=':
      return wild ? tilde(version, bound) : order === 0;
    case '!=':
      if (!wild || (!minorWild && !patchWild)) return order !== 0;
      return major !== 0 || (minor !== 0 && !minorWild);
    case '>':
      if (!wild || major !== 0) return wild ? major > 0 : order > 0;
      if (minorWild) return false;
      return patchWild ? minor > 0 : order > 0;
    case '<':
      return order < 0;
    case '>=':
    case '=>':
      return order >= 0;
    case '<=':
    case '=<':
      return wild ? major < 0 || (major === 0 && (minor <= 0 || minorWild)) : order <= 0;
    case '^':
      return caret(version, bound);
    default:
      return tilde(version, bound);
  }
}

function tilde(version: Version, bound: Version): boolean {
  if (compare(version, bound) < 0) return false;
  if (bound.numbers.every((number) => number === 0) && !bound.minorWild && !bound.patchWild) return true;
  if (version.numbers[0] !== bound.numbers[0]) return false;
  return version.numbers[1] === bound.numbers[1] || bound.minorWild;
}

function caret(version: Version, bound: Version): boolean {
  const [major, minor, patch] = bound.numbers;
  if (compare(version, bound) < 0) return false;
  if (major > 0 || bound.minorWild) return version.numbers[0] === major;
  if (version.numbers[0] > 0) return false;
  if (minor > 0 || bound.patchWild) return version.numbers[1] === minor;
  return version.numbers[1] === 0 && version.numbers[2] === patch;
}

function parsePartial(text: string): Version {
  const [core = '', ...rest] = text.replace(/^v/, '').split('+')[0]?.split('-') ?? [];
  const parts = core.split('.');
  const wildAt = parts.findIndex((part) => /^[xX*]$/.test(part));
  const written = wildAt < 0 ? parts.length : wildAt;
  const number = (i: number): number => (i < written ? Number(parts[i]) : 0);
  return {
    numbers: [number(0), number(1), number(2)],
    pre: rest.join('-'),
    minorWild: written === 1,
    patchWild: written === 2,
    wild: written < 3,
  };
}

/** Order of two versions. */
export function compare(a: Version, b: Version): number {
  for (let i = 0; i < 3; i++) {
    const difference = (a.numbers[i] as number) - (b.numbers[i] as number);
    if (difference !== 0) return difference;
  }
  if (a.pre === b.pre) return 0;
  if (a.pre === '' || b.pre === '') return a.pre === '' ? 1 : -1;
  const [x, y] = [a.pre.split('.'), b.pre.split('.')];
  for (let i = 0; i < x.length && i < y.length; i++) {
    if (x[i] === y[i]) continue;
    const [n, m] = [numeric(x[i] as string), numeric(y[i] as string)];
    if (n !== undefined && m !== undefined) return n - m;
    if (n !== undefined || m !== undefined) return n !== undefined ? -1 : 1;
    return (x[i] as string) < (y[i] as string) ? -1 : 1;
  }
  return x.length - y.length;
}

function numeric(text: string): number | undefined {
  return /^[0-9]+$/.test(text) ? Number(text) : undefined;
}
