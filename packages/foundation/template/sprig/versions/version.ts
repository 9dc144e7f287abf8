import { goQuote } from '@tiphys/go';
import { compareStrings } from '../../text/bytes.ts';
import { parseUint } from '../../text/parse-number.ts';

/** A version as Masterminds/semver reads it: parts that are not written are 0. */
export interface Version {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly pre: string;
  readonly metadata: string;
  /** As it was written. */
  readonly original: string;
}

const identifiers = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const pattern = new RegExp(
  `^v?([0-9]+)(?:\\.([0-9]+))?(?:\\.([0-9]+))?(?:-(${identifiers}))?(?:\\+(${identifiers}))?$`,
);

/** A version, leniently (`v1.2` is one), or the words of the refusal. */
export function readVersion(text: string): Version | string {
  if (Buffer.byteLength(text) > 256) return 'version string is too long (max 256 bytes)';
  const match = pattern.exec(text);
  if (!match) return 'invalid semantic version';
  const numbers: bigint[] = [];
  for (const digits of match.slice(1, 4)) {
    const parsed = parseUint(digits ?? '0');
    if (parsed.fault)
      return `error parsing version segment: strconv.ParseUint: parsing ${goQuote(digits ?? '')}: value out of range`;
    numbers.push(parsed.value);
  }
  const [major = 0n, minor = 0n, patch = 0n] = numbers;
  const [, , , , pre = '', metadata = ''] = match;
  if (pre.split('.').some((part) => /^0[0-9]+$/.test(part))) return 'version segment starts with 0';
  return { major, minor, patch, pre, metadata, original: text };
}

/** The version as `String` prints it: all three numbers, no `v`. */
export function formatVersion({ major, minor, patch, pre, metadata }: Omit<Version, 'original'>): string {
  return `${major}.${minor}.${patch}${pre ? `-${pre}` : ''}${metadata ? `+${metadata}` : ''}`;
}

/** Order of two versions: negative, 0 or positive; metadata does not count. */
export function compareVersions(a: Version, b: Version): number {
  for (const part of ['major', 'minor', 'patch'] as const) {
    if (a[part] !== b[part]) return a[part] < b[part] ? -1 : 1;
  }
  if (a.pre === '' || b.pre === '') return a.pre === b.pre ? 0 : a.pre === '' ? 1 : -1;
  return comparePrereleases(a.pre, b.pre);
}

/** Order of two prereleases, identifier by identifier; a missing one comes first. */
export function comparePrereleases(a: string, b: string): number {
  const [x, y] = [a.split('.'), b.split('.')];
  for (let i = 0; i < Math.max(x.length, y.length); i++) {
    const order = compareIdentifiers(x[i] ?? '', y[i] ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

function compareIdentifiers(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '' || b === '') return a === '' ? -1 : 1;
  const [x, y] = [parseUint(a), parseUint(b)];
  if (x.fault && y.fault) return compareStrings(a, b);
  if (x.fault || y.fault) return x.fault ? 1 : -1;
  return x.value > y.value ? 1 : -1;
}
