import { type Overload, overload } from '../language/functions.ts';
import {
  CelError,
  checkedInt,
  checkedUint,
  compare,
  Duration,
  equal,
  Optional,
  Timestamp,
  Uint,
  type Value,
} from '../language/values.ts';
import { pattern } from './conversions.ts';

const COMPARABLE = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];

type List = readonly Value[];

function extreme(name: string, better: (order: number) => boolean) {
  return (list: List): Value => {
    const [first, ...rest] = list;
    if (first === undefined) throw new CelError(`${name} called on empty list`);
    return rest.reduce((best: Value, item) => (better(compare(item, best) ?? 0) ? item : best), first);
  };
}

const sorted = (list: List): boolean =>
  list.every((item, index) => index === 0 || (compare(list[index - 1] as Value, item) ?? 0) <= 0);

const comparable: Overload[] = COMPARABLE.flatMap((type) => [
  overload(`list<${type}>.isSorted(): bool`, sorted),
  overload(
    `list<${type}>.max(): ${type}`,
    extreme('max', (order) => order > 0),
  ),
  overload(
    `list<${type}>.min(): ${type}`,
    extreme('min', (order) => order < 0),
  ),
]);

/** Sums by the type of the items: at run time all lists look the same. */
function sum(list: List): Value {
  const [first] = list;
  if (typeof first === 'number') return (list as readonly number[]).reduce((total, item) => total + item, 0);
  if (first instanceof Uint)
    return list.reduce((total: Uint, item) => checkedUint(total.value + (item as Uint).value), new Uint(0n));
  if (first instanceof Duration)
    return new Duration((list as readonly Duration[]).reduce((total, item) => total + item.nanos, 0n));
  return (list as readonly bigint[]).reduce((total, item) => {
    if (typeof item !== 'bigint') throw new CelError('no such overload');
    return checkedInt(total + item);
  }, 0n);
}

const contains = (list: List, wanted: List): boolean =>
  wanted.every((item) => list.some((other) => equal(other, item)));

function findAll(text: string, expression: string, limit: number): string[] {
  const matcher = compiled(expression).matcher(text);
  const found: string[] = [];
  while ((limit < 0 || found.length < limit) && matcher.find()) found.push(matcher.group() ?? '');
  return found;
}

function compiled(expression: string) {
  try {
    return pattern(expression);
  } catch (error) {
    throw new CelError(`Illegal regex: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === '') return true;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration || value instanceof Timestamp) return value.nanos === 0n;
  if (value instanceof Optional) return value.value === undefined;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length === 0;
  return value instanceof Map && value.size === 0;
}

const none = new Optional(undefined);

function present(optional: Optional): Value {
  if (optional.value === undefined) throw new CelError('optional.none() dereference');
  return optional.value;
}

function unwrapped(list: List): List {
  return list.flatMap((item) => {
    if (!(item instanceof Optional)) throw new CelError('value in list is not optional');
    return item.value === undefined ? [] : [item.value];
  });
}

/** Lists, sets, regular expressions and optional values. */
export const collections: readonly Overload[] = [
  ...comparable,
  ...['int', 'uint', 'double', 'duration'].map((type) => overload(`list<${type}>.sum(): ${type}`, sum)),
  overload('list<A>.indexOf(A): int', (list: List, item: Value) =>
    BigInt(list.findIndex((other) => equal(other, item))),
  ),
  overload('list<A>.lastIndexOf(A): int', (list: List, item: Value) =>
    BigInt(list.findLastIndex((other) => equal(other, item))),
  ),
  overload('sets.contains(list<A>, list<A>): bool', contains),
  overload('sets.equivalent(list<A>, list<A>): bool', (a: List, b: List) => contains(a, b) && contains(b, a)),
  overload('sets.intersects(list<A>, list<A>): bool', (a: List, b: List) =>
    a.some((item) => b.some((other) => equal(other, item))),
  ),
  overload('string.find(string): string', (text: string, expression: string) => findAll(text, expression, 1)[0] ?? ''),
  overload('string.findAll(string): list<string>', (text: string, expression: string) => findAll(text, expression, -1)),
  overload('string.findAll(string, int): list<string>', (text: string, expression: string, limit: bigint) =>
    findAll(text, expression, Number(limit)),
  ),
  overload('optional.of(A): optional_type<A>', (value: Value) => new Optional(value)),
  overload('optional.ofNonZeroValue(A): optional_type<A>', (value: Value) =>
    isZero(value) ? none : new Optional(value),
  ),
  overload('optional.none(): optional_type<A>', () => none),
  overload('list<A>.first(): optional_type<A>', (list: List) => new Optional(list[0])),
  overload('list<A>.last(): optional_type<A>', (list: List) => new Optional(list.at(-1))),
  overload('optional.unwrap(list<optional_type<A>>): list<A>', unwrapped),
  overload('list<optional_type<A>>.unwrapOpt(): list<A>', unwrapped),
  overload('optional_type<A>.hasValue(): bool', (optional: Optional) => optional.value !== undefined),
  overload('optional_type<A>.value(): A', present),
  overload('optional_type<A>.or(optional_type<A>): optional_type<A>', (one: Optional, other: Optional) =>
    one.value === undefined ? other : one,
  ),
  overload('optional_type<A>.orValue(A): A', (optional: Optional, other: Value) =>
    optional.value === undefined ? other : optional.value,
  ),
];
