import {
  isDns1035Label,
  isDnsLabel,
  isDnsSubdomain,
  labelValueProblems,
  qualifiedNameProblems,
} from '@tiphys/apimachinery';
import { formatQuantity, parseQuantity, type Quantity } from '@tiphys/kubernetes';
import { type Overload, overload } from '../language/functions.ts';
import { CelError, Opaque, Optional } from '../language/values.ts';
import { parseTimestamp } from './time.ts';
import { urlProblem } from './url.ts';

type QuantityValue = Opaque<Quantity>;

function quantityOf(value: Quantity): QuantityValue {
  return new Opaque('kubernetes.Quantity', value, String(value.nano));
}

function quantity(text: string): QuantityValue {
  const value = parseQuantity(text);
  if (value) return quantityOf(value);
  throw new CelError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

const order = (a: QuantityValue, b: QuantityValue): bigint =>
  a.value.nano < b.value.nano ? -1n : a.value.nano > b.value.nano ? 1n : 0n;
const NANO = 1_000_000_000n;
const plus = ({ value }: QuantityValue, nano: bigint): QuantityValue =>
  quantityOf({ ...value, nano: value.nano + nano });

function integer({ value }: QuantityValue): bigint {
  if (value.nano % NANO !== 0n) throw new CelError('cannot convert value to integer');
  return value.nano / NANO;
}

/** Digits and a power of ten are multiplied as doubles. */
function approximately({ value: { nano } }: QuantityValue): number {
  let digits = nano;
  let exponent = -9;
  while (exponent < 0 && digits % 10n === 0n) {
    digits /= 10n;
    exponent += 1;
  }
  return exponent === 0 ? Number(digits) : Number(digits) * 10 ** exponent;
}

interface Version {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly pre: readonly string[];
}

type Semver = Opaque<Version>;

const STRICT = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$/;

function semver(text: string): Semver {
  const match = STRICT.exec(text);
  const bad = (match?.[4] ?? '').split('.').some((part) => /^0\d+$/.test(part));
  if (!match || bad) throw new CelError(versionProblem(text));
  const numbers = [BigInt(match[1] as string), BigInt(match[2] as string), BigInt(match[3] as string)] as const;
  return new Opaque('kubernetes.Semver', { numbers, pre: match[4]?.split('.') ?? [] }, text.replace(/\+.*$/, ''));
}

function versionProblem(text: string): string {
  if (text === '') return 'Version string empty';
  const parts = text.split('.');
  if (parts.length < 3) return 'No Major.Minor.Patch elements found';
  const names = ['major', 'minor', 'patch'];
  for (const [index, name] of names.entries()) {
    const part = index < 2 ? (parts[index] as string) : (parts.slice(2).join('.').split(/[-+]/)[0] as string);
    if (!/^\d+$/.test(part)) return `Invalid character(s) found in ${name} number ${JSON.stringify(part)}`;
    if (part.length > 1 && part.startsWith('0'))
      return `${name[0]?.toUpperCase()}${name.slice(1)} number must not contain leading zeroes ${JSON.stringify(part)}`;
  }
  return `Invalid character(s) found in prerelease ${JSON.stringify(text)}`;
}

function normalized(text: string): string {
  const [major = '', minor, ...rest] = text.replace(/^v/, '').split('.');
  const parts = [major, ...(minor === undefined ? [] : [minor]), ...(rest.length ? [rest.join('.')] : [])].map(
    (part) => {
      if (part.length < 2) return part;
      const stripped = part.replace(/^0+/, '');
      return /^\d/.test(stripped) ? stripped : `0${stripped}`;
    },
  );
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) as string))
    throw new CelError('short version cannot contain PreRelease/Build meta data');
  while (parts.length < 3) parts.push('0');
  return parts.join('.');
}

function compareVersions(a: Semver, b: Semver): bigint {
  for (const [index, left] of a.value.numbers.entries()) {
    const right = b.value.numbers[index] as bigint;
    if (left !== right) return left < right ? -1n : 1n;
  }
  const [one, other] = [a.value.pre, b.value.pre];
  if (!one.length || !other.length) return BigInt(Number(!one.length) - Number(!other.length));
  for (let index = 0; index < Math.max(one.length, other.length); index++) {
    const [left, right] = [one[index], other[index]];
    if (left === undefined) return -1n;
    if (right === undefined) return 1n;
    if (left === right) continue;
    const numeric = [left, right].map((part) => /^\d+$/.test(part));
    if (numeric[0] && numeric[1]) return BigInt(left) < BigInt(right) ? -1n : 1n;
    if (numeric[0] !== numeric[1]) return numeric[0] ? -1n : 1n;
    return left < right ? -1n : 1n;
  }
  return 0n;
}

function valid(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof CelError) return false;
    throw error;
  }
}

/** A prefix is checked as if something followed a dash at its end. */
const prefix = (rule: (name: string) => string[]) => (text: string) =>
  rule(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text);
const check = (test: RegExp | ((text: string) => boolean), problem: string) => (text: string) =>
  (test instanceof RegExp ? test.test(text) : test(text)) ? [] : [problem];

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const BASE64 = (text: string) => /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0;

const FORMATS: Record<string, (text: string) => string[]> = {
  dns1123Label: isDnsLabel,
  dns1123Subdomain: isDnsSubdomain,
  dns1035Label: isDns1035Label,
  qualifiedName: qualifiedNameProblems,
  dns1123LabelPrefix: prefix(isDnsLabel),
  dns1123SubdomainPrefix: prefix(isDnsSubdomain),
  dns1035LabelPrefix: prefix(isDns1035Label),
  labelValue: labelValueProblems,
  uri: (text) => [urlProblem(text) ?? []].flat(),
  uuid: check(UUID, 'does not match the UUID format'),
  byte: check(BASE64, 'invalid base64'),
  date: check((text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)), 'invalid date'),
  datetime: check((text) => parseTimestamp(text.replace('t', 'T').replace('z', 'Z')) !== undefined, 'invalid datetime'),
};

const namedFormat = (name: string): Opaque<string> => new Opaque('kubernetes.NamedFormat', name, name);

function validate(format: Opaque<string>, text: string): Optional {
  const problems = (FORMATS[format.value] as (text: string) => string[])(text);
  return new Optional(problems.length ? problems : undefined);
}

/** Quantities, semantic versions and named formats. */
export const kubernetes: readonly Overload[] = [
  overload('quantity(string): kubernetes.Quantity', quantity),
  overload('isQuantity(string): bool', (text: string) => parseQuantity(text) !== undefined),
  overload('sign(kubernetes.Quantity): int', ({ value }: QuantityValue) =>
    value.nano < 0n ? -1n : value.nano > 0n ? 1n : 0n,
  ),
  overload(
    'kubernetes.Quantity.isGreaterThan(kubernetes.Quantity): bool',
    (a: QuantityValue, b: QuantityValue) => order(a, b) > 0n,
  ),
  overload(
    'kubernetes.Quantity.isLessThan(kubernetes.Quantity): bool',
    (a: QuantityValue, b: QuantityValue) => order(a, b) < 0n,
  ),
  overload('kubernetes.Quantity.compareTo(kubernetes.Quantity): int', order),
  overload('kubernetes.Quantity.asApproximateFloat(): double', approximately),
  overload('kubernetes.Quantity.asInteger(): int', integer),
  overload('kubernetes.Quantity.isInteger(): bool', ({ value }: QuantityValue) => value.nano % NANO === 0n),
  overload('kubernetes.Quantity.add(kubernetes.Quantity): kubernetes.Quantity', (a: QuantityValue, b: QuantityValue) =>
    plus(a, b.value.nano),
  ),
  overload('kubernetes.Quantity.add(int): kubernetes.Quantity', (a: QuantityValue, b: bigint) => plus(a, b * NANO)),
  overload('kubernetes.Quantity.sub(kubernetes.Quantity): kubernetes.Quantity', (a: QuantityValue, b: QuantityValue) =>
    plus(a, -b.value.nano),
  ),
  overload('kubernetes.Quantity.sub(int): kubernetes.Quantity', (a: QuantityValue, b: bigint) => plus(a, -b * NANO)),
  overload('string(kubernetes.Quantity): string', ({ value }: QuantityValue) => formatQuantity(value)),
  overload('semver(string): kubernetes.Semver', semver),
  overload('semver(string, bool): kubernetes.Semver', (text: string, lax: boolean) =>
    semver(lax ? normalized(text) : text),
  ),
  overload('isSemver(string): bool', (text: string) => valid(() => semver(text))),
  overload('isSemver(string, bool): bool', (text: string, lax: boolean) =>
    valid(() => semver(lax ? normalized(text) : text)),
  ),
  overload(
    'kubernetes.Semver.isGreaterThan(kubernetes.Semver): bool',
    (a: Semver, b: Semver) => compareVersions(a, b) > 0n,
  ),
  overload(
    'kubernetes.Semver.isLessThan(kubernetes.Semver): bool',
    (a: Semver, b: Semver) => compareVersions(a, b) < 0n,
  ),
  overload('kubernetes.Semver.compareTo(kubernetes.Semver): int', compareVersions),
  overload('kubernetes.Semver.major(): int', ({ value }: Semver) => value.numbers[0]),
  overload('kubernetes.Semver.minor(): int', ({ value }: Semver) => value.numbers[1]),
  overload('kubernetes.Semver.patch(): int', ({ value }: Semver) => value.numbers[2]),
  overload(
    'format.named(string): optional_type<kubernetes.NamedFormat>',
    (name: string) => new Optional(FORMATS[name] ? namedFormat(name) : undefined),
  ),
  ...Object.keys(FORMATS).map((name) => overload(`format.${name}(): kubernetes.NamedFormat`, () => namedFormat(name))),
  overload('kubernetes.NamedFormat.validate(string): optional_type<list<string>>', validate),
];
