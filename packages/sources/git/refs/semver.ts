/** A version as Masterminds/semver v3 reads it: a leading `v` and missing minor and patch are allowed. */
export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** Without the `-`; empty for a release. */
  readonly pre: string;
  /** As it was written. */
  readonly original: string;
}

interface Comparator {
  readonly operator: string;
  /** Missing parts are 0. */
  readonly version: Version;
  /** How many of major, minor and patch were given as numbers. */
  readonly parts: number;
}

const versionPattern =
  /^v?(0|[1-9]\d*)(?:\.(0|[1-9]\d*))?(?:\.(0|[1-9]\d*))?(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/;
const part = '(\\d+|[xX*])';
const comparatorPattern = new RegExp(
  `\\s*(=|!=|>=|=>|<=|=<|>|<|~>|~|\\^|)\\s*v?${part}(?:\\.${part})?(?:\\.${part})?(?:-([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?(?:\\+[0-9A-Za-z.-]+)?\\s*(?=[\\s,]|$)`,
  'y',
);
const hyphenPattern = /(?<=^|\s|,)(v?[\dxX*][^\s,]*)\s+-\s+(v?[\dxX*][^\s,]*)/g;
/** Nothing that names a version is longer; the bound keeps matching cheap. */
const maxLength = 512;
/** Of major, minor and patch, as upstream's unsigned integers. */
const maxNumber = 2n ** 64n - 1n;

/** Undefined if the text is no version, or one of its numbers has more than 64 bits. */
export function parseVersion(text: string): Version | undefined {
  const match = text.length > maxLength ? null : versionPattern.exec(text);
  if (!match) return undefined;
  const [, major = '0', minor = '0', patch = '0', pre = ''] = match;
  if ([major, minor, patch].some((digits) => digits.length > 19 && BigInt(digits) > maxNumber)) return undefined;
  return { major: Number(major), minor: Number(minor), patch: Number(patch), pre, original: text };
}

/** Negative, zero or positive; build metadata does not count. */
export function compareVersions(a: Version, b: Version): number {
  return compareCore(a, b) || comparePre(a.pre, b.pre);
}

function compareCore(a: Version, b: Version): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch;
}

function comparePre(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '') return 1;
  if (b === '') return -1;
  const [left, right] = [a.split('.'), b.split('.')];
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const order = compareIdentifier(left[index], right[index]);
    if (order !== 0) return order;
  }
  return 0;
}

function compareIdentifier(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined) return -1;
  if (b === undefined) return 1;
  const [numericA, numericB] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (numericA && numericB) return Number(a) - Number(b);
  if (numericA !== numericB) return numericA ? -1 : 1;
  return a < b ? -1 : 1;
}

/**
 * A range as Masterminds/semver v3.4 reads it: `1.2.*`, `>=1.0 <2`, `~1.2`, `^1`, `1.0 - 2.0`, `a || b`.
 * Prereleases match only where a comparator of the same group names one.
 */
export class Constraint {
  readonly #groups: readonly (readonly Comparator[])[];

  private constructor(groups: readonly (readonly Comparator[])[]) {
    this.#groups = groups;
  }

  /** Undefined if the text is no constraint. */
  static parse(text: string): Constraint | undefined {
    if (text.length > maxLength) return undefined;
    const groups: Comparator[][] = [];
    for (const group of text.replace(hyphenPattern, '>=$1, <=$2').split('||')) {
      const comparators = parseGroup(group);
      if (!comparators) return undefined;
      groups.push(comparators);
    }
    return new Constraint(groups);
  }

  matches(version: Version): boolean {
    return this.#groups.some((group) => {
      const prereleases = group.some((comparator) => comparator.version.pre !== '');
      if (version.pre !== '' && !prereleases) return false;
      return group.every((comparator) => satisfies(version, comparator));
    });
  }
}

function parseGroup(group: string): Comparator[] | undefined {
  const comparators: Comparator[] = [];
  comparatorPattern.lastIndex = 0;
  let position = 0;
  while (position < group.length) {
    comparatorPattern.lastIndex = position;
    const match = comparatorPattern.exec(group);
    if (!match) return undefined;
    comparators.push(comparatorOf(match));
    position = comparatorPattern.lastIndex;
    if (group[position] === ',') position += 1;
  }
  return comparators.length > 0 ? comparators : undefined;
}

function comparatorOf([, operator = '', ...rest]: RegExpExecArray): Comparator {
  const given = rest.slice(0, 3);
  const wild = given.findIndex((value) => value === undefined || /^[xX*]$/.test(value));
  const parts = wild < 0 ? 3 : wild;
  const [major = 0, minor = 0, patch = 0] = given.slice(0, parts).map(Number);
  return { operator, parts, version: { major, minor, patch, pre: rest[3] ?? '', original: '' } };
}

function satisfies(version: Version, { operator, version: bound, parts }: Comparator): boolean {
  switch (operator) {
    case '':
    case '=':
      return parts < 3 ? tilde(version, bound, parts) : compareVersions(version, bound) === 0;
    case '!=':
      return notEqual(version, bound, parts);
    case '>':
      return parts === 1 || parts === 2 ? compareParts(version, bound, parts) > 0 : compareVersions(version, bound) > 0;
    case '<':
      return compareVersions(version, bound) < 0;
    case '>=':
    case '=>':
      return compareVersions(version, bound) >= 0;
    case '<=':
    case '=<':
      return parts < 3 ? compareParts(version, bound, parts || 2) <= 0 : compareVersions(version, bound) <= 0;
    case '~':
    case '~>':
      return tilde(version, bound, parts);
    default:
      return caret(version, bound, parts);
  }
}

function compareParts(a: Version, b: Version, parts: number): number {
  return a.major - b.major || (parts > 1 ? a.minor - b.minor : 0) || (parts > 2 ? a.patch - b.patch : 0);
}

function notEqual(version: Version, bound: Version, parts: number): boolean {
  if (parts === 1) return version.major !== bound.major;
  if (parts === 2) return compareParts(version, bound, 2) !== 0 || comparePre(version.pre, bound.pre) !== 0;
  return compareVersions(version, bound) !== 0;
}

function tilde(version: Version, bound: Version, parts: number): boolean {
  if (compareVersions(version, bound) < 0) return false;
  const zero = bound.major === 0 && bound.minor === 0 && bound.patch === 0;
  // Upstream takes ~0.0.0 for "any", as it does ~*.
  if (parts === 0 || (zero && parts === 3)) return true;
  return compareParts(version, bound, parts === 1 ? 1 : 2) === 0;
}

function caret(version: Version, bound: Version, parts: number): boolean {
  if (compareVersions(version, bound) < 0) return false;
  if (bound.major > 0 || parts === 1) return version.major === bound.major;
  if (bound.minor > 0 || parts === 2) return compareParts(version, bound, 2) === 0;
  // Upstream reads ^* as ^0.0.0, which is exact.
  return compareCore(version, bound) === 0;
}
