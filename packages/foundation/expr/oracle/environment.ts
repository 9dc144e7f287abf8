import {
  define,
  durationType,
  FunctionError,
  type FunctionSpec,
  float64Type,
  GoFunction,
  GoInt,
  GoMap,
  GoSlice,
  type GoType,
  int,
  intType,
  mapOfString,
  sliceOfInt,
  sliceOfString,
  stringType,
  TimeValue,
  uint8Type,
  type Value,
  type ValueMap,
} from '@tiphys/template';

const map = (entries: Record<string, Value> | [string, Value][]): ValueMap =>
  new Map(Array.isArray(entries) ? entries : Object.entries(entries));

function host(name: string, spec: FunctionSpec, result?: GoType): Value {
  return new GoFunction({ name, kind: 'func', named: false, ...(result ? { elem: result } : {}) }, spec);
}

const integer = (value: Value): bigint => (value as GoInt).value;

/** The environment that the Go program has too. */
export function environment(): ValueMap {
  return map({
    i: int(42),
    zero: int(0),
    i64: 7n,
    u8: new GoInt(uint8Type, 200n),
    f: 1.5,
    s: 'héllo',
    empty: '',
    yes: true,
    no: false,
    nothing: null,
    mixed: [1n, 2.5, 'three', null, true],
    ints: new GoSlice(sliceOfInt, [int(3), int(1), int(2)]),
    words: new GoSlice(sliceOfString, ['pear', 'apple', 'fig']),
    bytes: new Uint8Array(Buffer.from('abc')),
    obj: map([
      ['a', 1n],
      ['b', map({ c: 'deep' })],
      ['list', [10n, 20n]],
      ['nil', null],
      ['__proto__', 'plain'],
      ['in', 'keyword'],
    ]),
    labels: new GoMap(
      mapOfString,
      new Map([
        ['app', 'shop'],
        ['tier', 'web'],
      ]),
    ),
    people: [
      map({ name: 'Ann', age: 31n, tags: ['x', 'y'] }),
      map({ name: 'Bob', age: 25n, tags: [] }),
      map({ name: 'Cid', age: 31n, tags: ['z'] }),
    ],
    t: new TimeValue(BigInt(Date.UTC(2024, 1, 29, 12, 30, 15, 5)) * 1_000_000n, 'UTC'),
    d: new GoInt(durationType, 90n * 60_000_000_000n),
    add: host(
      'func(int, int) int',
      define('int, int', ([a, b]) => int(integer(a) + integer(b))),
      intType,
    ),
    half: host(
      'func(float64) float64',
      define('float64', ([value]) => (value as number) / 2),
      float64Type,
    ),
    fail: host(
      'func() (interface {}, error)',
      define('', () => {
        throw new FunctionError('it failed');
      }),
    ),
    echo: host(
      'func(interface {}) interface {}',
      define('any', ([value]) => value),
    ),
    join2: host(
      'func(string, ...string) string',
      define('string, ...string', ([first, ...rest]) => `${first as string}:${rest.join(',')}`),
      stringType,
    ),
    upper2: host(
      'func(string) string',
      define('string', ([text]) => (text as string).toUpperCase()),
      stringType,
    ),
  });
}
