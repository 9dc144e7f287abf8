import { define, defineTyped, FunctionError, type FunctionSpec } from '../value/function-spec.ts';
import { type GoType, namedType, pointerTo, uint64Type } from '../value/type.ts';
import { GoInt, GoStruct, int, type Value } from '../value/value.ts';
import { compareVersions, formatVersion, readVersion, type Version } from './versions/version.ts';
import { readRange } from './versions/version-range.ts';

/** A semver.Version, or a pointer to one. */
class VersionValue extends GoStruct {
  readonly version: Version;
  constructor(version: Version, type: GoType = pointerTo(versionType)) {
    const number = (value: bigint): Value => new GoInt(uint64Type, value);
    const { major, minor, patch, pre, metadata, original } = version;
    super(
      type,
      new Map<string, Value>([
        ['major', number(major)],
        ['minor', number(minor)],
        ['patch', number(patch)],
        ['pre', pre],
        ['metadata', metadata],
        ['original', original],
      ]),
    );
    this.version = version;
  }
  override toGoString(): string {
    return formatVersion(this.version);
  }
  override toJsonValue(): Value {
    return this.toGoString();
  }
}

const self = (value: Value): Version => {
  if (value instanceof VersionValue) return value.version;
  throw new FunctionError('runtime error: invalid memory address or nil pointer dereference');
};
const get = (name: 'pre' | 'metadata' | 'original'): FunctionSpec => define('', ([receiver]) => self(receiver)[name]);
const part = (name: 'major' | 'minor' | 'patch'): FunctionSpec =>
  define('', ([receiver]) => new GoInt(uint64Type, self(receiver)[name]));

/** The next version; its `v` stays. */
const next = (change: (version: Version) => Partial<Version>): FunctionSpec =>
  define('', ([receiver]) => {
    const version = { ...self(receiver), pre: '', metadata: '', ...change(self(receiver)) };
    const prefix = version.original.startsWith('v') ? 'v' : '';
    return new VersionValue({ ...version, original: prefix + formatVersion(version) }, versionType);
  });

/** The version with a part given anew; its `v` stays. */
const changed = (change: (text: string) => Partial<Version>, refusal: string, refusesZeros: boolean): FunctionSpec =>
  define('string', ([receiver, text]) => {
    for (const part of text === '' ? [] : (text as string).split('.')) {
      if (refusesZeros && /^0[0-9]+$/.test(part)) throw new FunctionError('version segment starts with 0');
      if (!/^[0-9A-Za-z-]+$/.test(part)) throw new FunctionError(refusal);
    }
    const version = { ...self(receiver), ...change(text as string) };
    const prefix = version.original.startsWith('v') ? 'v' : '';
    return new VersionValue({ ...version, original: prefix + formatVersion(version) }, versionType);
  });

const versionType: GoType = namedType(
  'semver.Version',
  { kind: 'struct', fields: ['major', 'minor', 'patch', 'pre', 'metadata', 'original'] },
  (type) => {
    const relation = (test: (order: number) => Value): FunctionSpec =>
      defineTyped([pointerTo(type)], ([receiver, other]) => test(compareVersions(self(receiver), self(other))));
    return {
      Major: part('major'),
      Minor: part('minor'),
      Patch: part('patch'),
      Prerelease: get('pre'),
      Metadata: get('metadata'),
      Original: get('original'),
      String: define('', ([receiver]) => formatVersion(self(receiver))),
      Compare: relation((order) => int(Math.sign(order))),
      Equal: relation((order) => order === 0),
      LessThan: relation((order) => order < 0),
      LessThanEqual: relation((order) => order <= 0),
      GreaterThan: relation((order) => order > 0),
      GreaterThanEqual: relation((order) => order >= 0),
      IncMajor: next(({ major }) => ({ major: major + 1n, minor: 0n, patch: 0n })),
      IncMinor: next(({ minor }) => ({ minor: minor + 1n, patch: 0n })),
      SetPrerelease: changed((pre) => ({ pre }), 'invalid prerelease string', true),
      SetMetadata: changed((metadata) => ({ metadata }), 'invalid metadata string', false),
      MarshalText: define('', ([receiver]) => Buffer.from(formatVersion(self(receiver)))),
      MarshalJSON: define('', ([receiver]) => Buffer.from(`"${formatVersion(self(receiver))}"`)),
      Value: define('', ([receiver]) => formatVersion(self(receiver))),
      // The release of a prerelease is its own next patch.
      IncPatch: next(({ patch, pre }) => ({ patch: pre === '' ? patch + 1n : patch })),
    };
  },
);

function versionOf(text: string): Version {
  const version = readVersion(text);
  if (typeof version === 'string') throw new FunctionError(version);
  return version;
}

/** Sprig's functions of versions. */
export const semverFunctions: ReadonlyMap<string, FunctionSpec> = new Map<string, FunctionSpec>([
  ['semver', define('string', ([text]) => new VersionValue(versionOf(text as string)))],
  [
    'semverCompare',
    define('string, string', ([range, text]) => {
      const test = readRange(range as string);
      if (typeof test === 'string') throw new FunctionError(test);
      return test(versionOf(text as string));
    }),
  ],
]);
