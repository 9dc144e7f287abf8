import { goQuote } from '../fmt/quote.ts';
import { define, FunctionError, type FunctionSpec } from '../functions/function-spec.ts';
import { namedType, pointerTo, uint64Type } from '../value/type.ts';
import { GoInt, GoStruct, int, type Value } from '../value/value.ts';
import { compare, parseRange, parseVersion, type Version } from './version-range.ts';

class SemverValue extends GoStruct {
  readonly version: Version;
  readonly original: string;
  constructor(version: Version, original: string) {
    const [major, minor, patch] = version.numbers.map((number) => new GoInt(uint64Type, BigInt(number)));
    const plus = original.indexOf('+');
    super(
      versionType,
      new Map<string, Value>([
        ['major', major],
        ['minor', minor],
        ['patch', patch],
        ['pre', version.pre],
        ['metadata', plus < 0 ? '' : original.slice(plus + 1)],
        ['original', original],
      ]),
    );
    this.version = version;
    this.original = original;
  }
  override toGoString(): string {
    const metadata = metadataOf(this);
    return (
      this.version.numbers.join('.') +
      (this.version.pre ? `-${this.version.pre}` : '') +
      (metadata ? `+${metadata}` : '')
    );
  }
  override toJsonValue(): Value {
    return this.toGoString();
  }
}

const self = (value: Value): SemverValue => value as SemverValue;
const part = (index: 0 | 1 | 2): FunctionSpec =>
  define('', ([receiver]) => new GoInt(uint64Type, BigInt(self(receiver).version.numbers[index])));
const relation = (test: (order: number) => boolean): FunctionSpec =>
  define('', ([receiver, other]) => test(compare(self(receiver).version, self(other).version)));

function metadataOf(value: SemverValue): string {
  const plus = value.original.indexOf('+');
  return plus < 0 ? '' : value.original.slice(plus + 1);
}

function increment(index: 0 | 1 | 2): FunctionSpec {
  return define('', ([receiver]) => {
    const { version } = self(receiver);
    const numbers: [number, number, number] = [...version.numbers];
    // The release of a prerelease is its own next patch.
    if (!(index === 2 && version.pre !== '')) numbers[index]++;
    for (let i = index + 1; i < 3; i++) numbers[i] = 0;
    return new SemverValue({ ...version, numbers, pre: '' }, numbers.join('.'));
  });
}

const versionType = pointerTo(
  namedType(
    'semver.Version',
    { kind: 'struct', fields: ['major', 'minor', 'patch', 'pre', 'metadata', 'original'] },
    {
      Major: part(0),
      Minor: part(1),
      Patch: part(2),
      Prerelease: define('', ([receiver]) => self(receiver).version.pre),
      Metadata: define('', ([receiver]) => metadataOf(self(receiver))),
      Original: define('', ([receiver]) => self(receiver).original),
      String: define('', ([receiver]) => self(receiver).toGoString()),
      Compare: define('', ([receiver, other]) => int(Math.sign(compare(self(receiver).version, self(other).version)))),
      Equal: relation((order) => order === 0),
      LessThan: relation((order) => order < 0),
      LessThanEqual: relation((order) => order <= 0),
      GreaterThan: relation((order) => order > 0),
      GreaterThanEqual: relation((order) => order >= 0),
      IncMajor: increment(0),
      IncMinor: increment(1),
      IncPatch: increment(2),
    },
  ),
);

function versionOf(text: string): Version {
  const version = parseVersion(text);
  if (!version) throw new FunctionError(text === '' ? 'version string empty' : 'invalid semantic version');
  return version;
}

/** Sprig's functions of versions. */
export const semverFunctions: ReadonlyMap<string, FunctionSpec> = new Map<string, FunctionSpec>([
  ['semver', define('string', ([text]) => new SemverValue(versionOf(text as string), text as string))],
  [
    'semverCompare',
    define('string, string', ([range, text]) => {
      const test = parseRange(range as string);
      if (!test) throw new FunctionError(`improper constraint: ${goQuote(range as string)}`);
      return test(versionOf(text as string));
    }),
  ],
]);
