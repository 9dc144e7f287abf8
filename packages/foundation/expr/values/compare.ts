import {
  compareStrings,
  deepEqual,
  elementsOf,
  entriesOf,
  isNil,
  TimeValue,
  typeOf,
  type Value,
} from '@tiphys/template';
import { Panic } from '../fault/expr-error.ts';
import { durationOf, numberOf, plainInteger, typeName } from './numbers.ts';

/** Lists that are equal to each other when their elements are. */
const plainLists = new Set(
  'interface {} string int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 float32 float64'
    .split(/ (?!\{)/)
    .map((elem) => `[]${elem}`),
);

/** `==`: numbers of all types by value, everything else by type and content. */
export function equal(a: Value, b: Value): boolean {
  const [x, y] = [plainInteger(a), plainInteger(b)];
  if (x !== undefined && y !== undefined) return BigInt.asIntN(64, x) === BigInt.asIntN(64, y);
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left !== undefined && right !== undefined) return left === right;
  if (a instanceof TimeValue && b instanceof TimeValue) return a.nanos === b.nanos;
  if (isNil(a) && isNil(b)) return true;
  if (plainLists.has(typeName(a)) && plainLists.has(typeName(b)) && areComparable(a, b)) {
    const items = elementsOf(a) as readonly Value[];
    const others = elementsOf(b) as readonly Value[];
    return items.length === others.length && items.every((item, i) => equal(item, others[i]));
  }
  return deepEqual(a, b);
}

/** Lists of one type, or of any with a typed one. */
function areComparable(a: Value, b: Value): boolean {
  const [x, y] = [typeOf(a), typeOf(b)];
  return x === y || typeName(a) === '[]interface {}' || typeName(b) === '[]interface {}';
}

const tests = {
  '<': (order: number) => order < 0,
  '>': (order: number) => order > 0,
  '<=': (order: number) => order <= 0,
  '>=': (order: number) => order >= 0,
} as const;

export type Comparison = keyof typeof tests;

/** `<` and its like, for numbers, texts, times and durations. */
export function compare(operator: Comparison, a: Value, b: Value): boolean {
  return tests[operator](orderOf(operator, a, b));
}

const sign = (difference: bigint): number => (difference < 0n ? -1 : difference > 0n ? 1 : 0);

/** Negative, 0 or positive; NaN if one of them is. */
function orderOf(operator: Comparison, a: Value, b: Value): number {
  const [x, y] = [plainInteger(a), plainInteger(b)];
  if (x !== undefined && y !== undefined) return sign(x - y);
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left !== undefined && right !== undefined)
    return left < right ? -1 : left > right ? 1 : left === right ? 0 : Number.NaN;
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  if (a instanceof TimeValue && b instanceof TimeValue) return sign(a.nanos - b.nanos);
  const [from, to] = [durationOf(a), durationOf(b)];
  if (from !== undefined && to !== undefined) return sign(from - to);
  throw new Panic(`invalid operation: ${typeName(a)} ${operator} ${typeName(b)}`);
}

/** `in`: an element of a list, a key of a map. */
export function contains(needle: Value, haystack: Value): boolean {
  if (haystack === null || haystack === undefined) return false;
  const items = elementsOf(haystack);
  if (items) return items.some((item) => equal(item, needle));
  const entries = entriesOf(haystack);
  if (!entries) throw new Panic(`operator "in" not defined on ${typeName(haystack)}`);
  return findEntry(haystack, entries, needle) !== undefined;
}

/** The entry of a key, which must be of the map's type of keys; nil is the empty key. */
export function findEntry(
  map: Value,
  entries: ReadonlyMap<Value, Value>,
  key: Value,
): readonly [Value, Value] | undefined {
  const keyType = typeOf(map)?.key;
  if (keyType?.kind === 'interface') {
    for (const entry of entries) if (sameKey(entry[0], key)) return entry;
    return undefined;
  }
  const wanted = key === null || key === undefined ? '' : key;
  if (typeOf(wanted) !== keyType)
    throw new Panic(
      `reflect.Value.MapIndex: value of type ${typeName(key)} is not assignable to type ${keyType?.name}`,
    );
  return entries.has(wanted) ? [wanted, entries.get(wanted)] : undefined;
}

/** Go's `==` of keys: one type and one value. */
export function sameKey(a: Value, b: Value): boolean {
  if ((a ?? null) === (b ?? null)) return true;
  return typeOf(a) !== undefined && typeOf(a) === typeOf(b) && deepEqual(a, b);
}
