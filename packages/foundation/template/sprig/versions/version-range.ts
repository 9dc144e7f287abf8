import { goQuote } from '@tiphys/go';
import { comparePrereleases, compareVersions, readVersion, type Version } from './version.ts';

/** Whether a version is in a range. */
export type Test = (version: Version) => boolean;

/** A version in a range: numbers may be left out or be wildcards. */
interface Bound extends Version {
  readonly minorWild: boolean;
  readonly patchWild: boolean;
  /** Any number was left out or is a wildcard. */
  readonly wild: boolean;
}

const operator = '=|!=|>|<|>=|=>|<=|=<|~|~>|\\^';
const operators = `${operator}|`;
const number = '[0-9|xX*]+';
const identifiers = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const bound = `v?${number}(?:\\.${number})?(?:\\.${number})?(?:-${identifiers})?(?:\\+${identifiers})?`;
const hyphen = new RegExp(`\\s*(${bound})\\s+-\\s+(${bound})\\s*`, 'g');
const one = new RegExp(
  `^\\s*(${operators})\\s*(v?(${number})(?:\\.(${number}))?(?:\\.(${number}))?(-${identifiers})?(?:\\+${identifiers})?)\\s*$`,
);
const each = new RegExp(`(?:${operators})\\s*(?:${bound})`, 'g');
/** Each space can be read in one way only: there is an operator, or none and no space for one. */
const item = `(?:(?:${operator})\\s*)?(?:${bound})`;
const whole = new RegExp(`^\\s*${item}(?:(?:\\s+(?:,\\s*)?|,\\s*)${item})*\\s*$`);

const cache = new Map<string, Test | string>();

/** Whether a version is in a range, by the rules of Helm (Masterminds/semver); false if either can't be read. */
export function satisfies(version: string, range: string): boolean {
  const test = readRange(range);
  const parsed = readVersion(version);
  return typeof test === 'function' && typeof parsed === 'object' && test(parsed);
}

/** The test that a range stands for, or the words of the refusal. */
export function readRange(text: string): Test | string {
  let test = cache.get(text);
  if (test === undefined) {
    if (cache.size > 1000) cache.clear();
    test = compileRange(text);
    cache.set(text, test);
  }
  return test;
}

function compileRange(text: string): Test | string {
  if (Buffer.byteLength(text) > 512) return 'version constraint string is too long (max 512 bytes)';
  const groups = text.replace(hyphen, '>= $1, <= $2 ').split('||');
  if (groups.length > 32) return 'version constraint has too many groups (max 32)';
  const alternatives: Test[] = [];
  for (const group of groups) {
    if (!whole.test(group)) return `improper constraint: ${goQuote(group)}`;
    const tests: { readonly operator: string; readonly bound: Bound }[] = [];
    for (const [part] of group.matchAll(each)) {
      const parsed = readBound(part);
      if (typeof parsed === 'string') return parsed;
      tests.push(parsed);
    }
    // Prereleases are in a range if one of its parts names a prerelease.
    const takesPrereleases = tests.some(({ bound }) => bound.pre !== '');
    alternatives.push(
      (version) =>
        (version.pre === '' || takesPrereleases) &&
        tests.every(({ operator, bound }) => passes(operator, version, bound)),
    );
  }
  return (version) => alternatives.some((test) => test(version));
}

const isWild = (part: string | undefined): boolean => part === undefined || /^[xX*]$/.test(part);

function readBound(text: string): { readonly operator: string; readonly bound: Bound } | string {
  const match = one.exec(text);
  if (!match) return `improper constraint: ${goQuote(text)}`;
  const [, operator = '', written = '', major, minor, patch, pre = ''] = match;
  let version = written;
  const wilds = { wild: true, minorWild: false, patchWild: false };
  if (isWild(major)) version = `0.0.0${pre}`;
  else if (isWild(minor)) {
    wilds.minorWild = true;
    version = `${major}.0.0${pre}`;
  } else if (isWild(patch)) {
    wilds.patchWild = true;
    version = `${major}.${minor}.0${pre}`;
  } else wilds.wild = false;
  const parsed = readVersion(version);
  return typeof parsed === 'string' ? 'constraint parser error' : { operator, bound: { ...parsed, ...wilds } };
}

function passes(operator: string, version: Version, bound: Bound): boolean {
  const order = compareVersions(version, bound);
  switch (operator) {
    case '':
    case '=':
      return bound.wild ? tilde(version, bound) : order === 0;
    case '!=':
      return differs(version, bound, order);
    case '>':
      if (!bound.wild) return order > 0;
      if (version.major !== bound.major) return version.major > bound.major;
      if (bound.minorWild) return false;
      return bound.patchWild ? version.minor > bound.minor : order > 0;
    case '<':
      return order < 0;
    case '>=':
    case '=>':
      return order >= 0;
    case '<=':
    case '=<':
      if (!bound.wild) return order <= 0;
      if (version.major > bound.major) return false;
      return !(version.major === bound.major && version.minor > bound.minor && !bound.minorWild);
    case '^':
      return caret(version, bound);
    default:
      return tilde(version, bound);
  }
}

function differs(version: Version, bound: Bound, order: number): boolean {
  if (bound.wild) {
    if (bound.major !== version.major) return true;
    if (bound.minor !== version.minor && !bound.minorWild) return true;
    if (bound.minorWild) return false;
    if (bound.patch !== version.patch && !bound.patchWild) return true;
    if (bound.patchWild) return version.pre !== bound.pre && comparePrereleases(version.pre, bound.pre) !== 0;
  }
  return order !== 0;
}

function tilde(version: Version, bound: Bound): boolean {
  if (compareVersions(version, bound) < 0) return false;
  const isZero = bound.major === 0n && bound.minor === 0n && bound.patch === 0n;
  if (isZero && !bound.minorWild && !bound.patchWild) return true;
  return version.major === bound.major && (version.minor === bound.minor || bound.minorWild);
}

function caret(version: Version, bound: Bound): boolean {
  if (compareVersions(version, bound) < 0) return false;
  if (bound.major > 0n || bound.minorWild) return version.major === bound.major;
  if (version.major > 0n) return false;
  if (bound.minor > 0n || bound.patchWild) return version.minor === bound.minor;
  return version.minor === 0n && version.patch === bound.patch;
}
