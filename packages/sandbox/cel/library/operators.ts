import { type Overload, overload } from '../language/functions.ts';
import {
  CelError,
  checkedInt,
  checkedUint,
  compare,
  concatenated,
  type Duration,
  type Timestamp,
  Uint,
  type Value,
} from '../language/values.ts';
import { checkedDuration, checkedTimestamp } from './time.ts';

const div = (a: bigint, b: bigint): bigint => {
  if (b === 0n) throw new CelError('division by zero');
  return a / b;
};
const mod = (a: bigint, b: bigint): bigint => {
  if (b === 0n) throw new CelError('modulus by zero');
  return a % b;
};

const ORDERED = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration'];
const MIXED = [
  ['int', 'uint'],
  ['int', 'double'],
  ['uint', 'int'],
  ['uint', 'double'],
  ['double', 'int'],
  ['double', 'uint'],
];

function comparisons(): Overload[] {
  const operators: [string, (order: number) => boolean][] = [
    ['_<_', (order) => order < 0],
    ['_<=_', (order) => order <= 0],
    ['_>_', (order) => order > 0],
    ['_>=_', (order) => order >= 0],
  ];
  const pairs = [...ORDERED.map((type) => [type, type]), ...MIXED];
  return operators.flatMap(([name, holds]) =>
    pairs.map(([left, right]) =>
      overload(`${name}(${left}, ${right}): bool`, (a: Value, b: Value) => holds(compare(a, b) ?? Number.NaN)),
    ),
  );
}

/** The operators that evaluate all their arguments. */
export const operators: readonly Overload[] = [
  ...comparisons(),
  overload('_&&_(bool, bool): bool', () => false),
  overload('_||_(bool, bool): bool', () => false),
  overload('_==_(A, A): bool', () => false),
  overload('_!=_(A, A): bool', () => false),
  overload('@in(A, list<A>): bool', () => false),
  overload('@in(A, map<A, B>): bool', () => false),
  overload('!_(bool): bool', (value: boolean) => !value),
  overload('-_(int): int', (value: bigint) => checkedInt(-value)),
  overload('-_(double): double', (value: number) => -value),
  overload('_+_(int, int): int', (a: bigint, b: bigint) => checkedInt(a + b)),
  overload('_+_(uint, uint): uint', (a: Uint, b: Uint) => checkedUint(a.value + b.value)),
  overload('_+_(double, double): double', (a: number, b: number) => a + b),
  overload('_+_(string, string): string', (a: string, b: string) => a + b),
  overload('_+_(bytes, bytes): bytes', (a: Uint8Array, b: Uint8Array) => new Uint8Array([...a, ...b])),
  overload('_+_(list<A>, list<A>): list<A>', concatenated),
  overload('_+_(timestamp, duration): timestamp', (a: Timestamp, b: Duration) =>
    checkedTimestamp(a.nanos + b.nanos, a.offset),
  ),
  overload('_+_(duration, timestamp): timestamp', (a: Duration, b: Timestamp) =>
    checkedTimestamp(a.nanos + b.nanos, b.offset),
  ),
  overload('_+_(duration, duration): duration', (a: Duration, b: Duration) => checkedDuration(a.nanos + b.nanos)),
  overload('_-_(int, int): int', (a: bigint, b: bigint) => checkedInt(a - b)),
  overload('_-_(uint, uint): uint', (a: Uint, b: Uint) => checkedUint(a.value - b.value)),
  overload('_-_(double, double): double', (a: number, b: number) => a - b),
  overload('_-_(timestamp, timestamp): duration', (a: Timestamp, b: Timestamp) => checkedDuration(a.nanos - b.nanos)),
  overload('_-_(timestamp, duration): timestamp', (a: Timestamp, b: Duration) =>
    checkedTimestamp(a.nanos - b.nanos, a.offset),
  ),
  overload('_-_(duration, duration): duration', (a: Duration, b: Duration) => checkedDuration(a.nanos - b.nanos)),
  overload('_*_(int, int): int', (a: bigint, b: bigint) => checkedInt(a * b)),
  overload('_*_(uint, uint): uint', (a: Uint, b: Uint) => checkedUint(a.value * b.value)),
  overload('_*_(double, double): double', (a: number, b: number) => a * b),
  overload('_/_(int, int): int', (a: bigint, b: bigint) => checkedInt(div(a, b))),
  overload('_/_(uint, uint): uint', (a: Uint, b: Uint) => new Uint(div(a.value, b.value))),
  overload('_/_(double, double): double', (a: number, b: number) => a / b),
  overload('_%_(int, int): int', (a: bigint, b: bigint) => mod(a, b)),
  overload('_%_(uint, uint): uint', (a: Uint, b: Uint) => new Uint(mod(a.value, b.value))),
];
