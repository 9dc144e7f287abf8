import type { Machine } from '../machine/machine.ts';
import {
  JsonnetArray,
  type JsonnetFunction,
  Lazy,
  pointsOf,
  type Slot,
  typeOf,
  type Value,
} from '../machine/values.ts';
import { arrayOf, booleanOf, functionOf, integerOf, type Library, numberOf, textOf } from './native.ts';

/** Elements of an array, or characters of a text. */
function listOf(machine: Machine, slot: Slot): readonly Slot[] {
  const value = machine.force(slot);
  if (typeof value === 'string') return pointsOf(value);
  if (value instanceof JsonnetArray) return value.items;
  throw machine.fail(`Unexpected type ${typeOf(value)}, expected array`);
}

type Keyed = (item: Slot) => Value;

function keyOf(machine: Machine, slot: Slot | undefined): Keyed {
  if (slot === undefined) return (item) => machine.force(item);
  const by = functionOf(machine, slot);
  return (item) => machine.call(by, [item]);
}

function sorted(machine: Machine, items: readonly Slot[], key: Keyed): Slot[] {
  const keyed = items.map((item) => ({ item, by: key(item) }));
  if (keyed.length === 1) machine.force(items[0] as Slot);
  keyed.sort((a, b) => {
    machine.step();
    return machine.compare(a.by, b.by);
  });
  return keyed.map(({ item }) => item);
}

function unique(machine: Machine, items: readonly Slot[], key: Keyed): Slot[] {
  let last: Value | undefined;
  return items.filter((item, index) => {
    const by = key(item);
    const isNew = index === 0 || !machine.equals(last as Value, by);
    last = by;
    return isNew;
  });
}

/** Two sorted sets side by side; `keep` says which of "only in a", "in both" and "only in b" are wanted. */
function merged(
  machine: Machine,
  a: readonly Slot[],
  b: readonly Slot[],
  { key, keep }: { key: Keyed; keep: readonly ('a' | 'both' | 'b')[] },
): JsonnetArray {
  const found: Slot[] = [];
  const take = (from: 'a' | 'both' | 'b', item: Slot) => keep.includes(from) && found.push(item);
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    machine.step();
    const order = machine.compare(key(a[i] as Slot), key(b[j] as Slot));
    if (order < 0) take('a', a[i] as Slot);
    else if (order > 0) take('b', b[j] as Slot);
    else take('both', a[i] as Slot);
    if (order <= 0) i += 1;
    if (order >= 0) j += 1;
  }
  for (; i < a.length; i += 1) take('a', a[i] as Slot);
  for (; j < b.length; j += 1) take('b', b[j] as Slot);
  return machine.array(found);
}

function holds(machine: Machine, test: JsonnetFunction, item: Slot): boolean {
  const held = machine.call(test, [item]);
  if (typeof held === 'boolean') return held;
  throw machine.unexpected(held, 'boolean');
}

function includes(machine: Machine, items: readonly Slot[], wanted: Value): boolean {
  return items.some((item) => machine.equals(machine.force(item), wanted));
}

function extreme(machine: Machine, slots: Slot[], sign: number): Value {
  const [array, key, empty] = slots;
  const items = arrayOf(machine, array as Slot);
  const by = keyOf(machine, key);
  const [first, ...rest] = items;
  if (first === undefined) {
    if (empty !== undefined) return machine.force(empty);
    throw machine.fail('Expected at least one element in array. Got none');
  }
  let best = { item: first, by: by(first) };
  for (const item of rest) {
    const candidate = { item, by: by(item) };
    if (machine.compare(candidate.by, best.by) * sign > 0) best = candidate;
  }
  return machine.force(best.item);
}

const later = (machine: Machine, called: JsonnetFunction, slots: readonly Slot[]): Slot =>
  new Lazy(() => machine.call(called, slots));

function flattened(machine: Machine, value: Value, found: Slot[]): Slot[] {
  machine.enter();
  if (value instanceof JsonnetArray) for (const item of value.items) flattened(machine, machine.force(item), found);
  else found.push(value);
  machine.leave();
  return found;
}

function deepJoined(machine: Machine, value: Value): string {
  if (typeof value === 'string') return value;
  if (!(value instanceof JsonnetArray)) throw machine.fail(`Expected string or array, got ${typeOf(value)}`);
  machine.enter();
  const text = value.items.map((item) => deepJoined(machine, machine.force(item))).join('');
  machine.leave();
  return machine.sized(text);
}

/** What the standard library does with arrays and sets. */
export const arrays: Library = {
  'makeArray(sz, func)': (machine, size, make) => {
    const count = integerOf(machine, size);
    if (count < 0) throw machine.fail(`makeArray requires size >= 0, got ${count}`);
    if (count > machine.limits.size) throw machine.fail(`An array of ${count} elements is too long`, 'limit');
    const called = functionOf(machine, make);
    return machine.array(Array.from({ length: count }, (_, index) => later(machine, called, [index])));
  },
  'range(from, to)': (machine, from, to) => {
    const [first, last] = [integerOf(machine, from), integerOf(machine, to)];
    if (last - first > machine.limits.size) throw machine.fail('The range is too long', 'limit');
    return machine.array(Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index));
  },
  'repeat(what, count)': (machine, what, count) => {
    const value = machine.force(what);
    const times = integerOf(machine, count);
    const size = typeof value === 'string' ? value.length : value instanceof JsonnetArray ? value.items.length : -1;
    if (size < 0) throw machine.fail('std.repeat first argument must be an array or a string');
    if (times < 0) throw machine.fail(`makeArray requires size >= 0, got ${times}`);
    if (size * times > machine.limits.size) throw machine.fail('What is repeated gets too long', 'limit');
    if (typeof value === 'string') return value.repeat(times);
    return machine.array(Array.from({ length: times }, () => (value as JsonnetArray).items).flat());
  },
  'map(func, arr)': (machine, make, list) => {
    const called = functionOf(machine, make);
    return machine.array(listOf(machine, list).map((item) => later(machine, called, [item])));
  },
  'mapWithIndex(func, arr)': (machine, make, list) => {
    const called = functionOf(machine, make);
    return machine.array(listOf(machine, list).map((item, index) => later(machine, called, [index, item])));
  },
  'filter(func, arr)': (machine, test, list) => {
    const called = functionOf(machine, test);
    return machine.array(arrayOf(machine, list).filter((item) => holds(machine, called, item)));
  },
  'filterMap(filter_func, map_func, arr)': (machine, test, make, list) => {
    const [tested, called] = [functionOf(machine, test), functionOf(machine, make)];
    return machine.array(
      arrayOf(machine, list)
        .filter((item) => holds(machine, tested, item))
        .map((item) => later(machine, called, [item])),
    );
  },
  'flatMap(func, arr)': (machine, make, list) => {
    const called = functionOf(machine, make);
    const value = machine.force(list);
    const results = listOf(machine, value).map((item) => machine.call(called, [item]));
    if (typeof value !== 'string') return machine.array(results.flatMap((result) => [...arrayOf(machine, result)]));
    return machine.sized(results.map((result) => textOf(machine, result)).join(''));
  },
  'foldl(func, arr, init)': (machine, step, list, init) => {
    const called = functionOf(machine, step);
    let sum: Slot = init;
    for (const item of listOf(machine, list)) sum = machine.call(called, [sum, item]);
    return machine.force(sum);
  },
  'foldr(func, arr, init)': (machine, step, list, init) => {
    const called = functionOf(machine, step);
    let sum: Slot = init;
    for (const item of listOf(machine, list).toReversed()) sum = machine.call(called, [item, sum]);
    return machine.force(sum);
  },
  'reverse(arr)': (machine, list) => machine.array(listOf(machine, list).toReversed()),
  'member(arr, x)': (machine, list, x) => {
    const value = machine.force(list);
    if (typeof value === 'string') return value.includes(textOf(machine, x)) && textOf(machine, x) !== '';
    return includes(machine, arrayOf(machine, value), machine.force(x));
  },
  'contains(arr, elem)': (machine, list, x) => includes(machine, arrayOf(machine, list), machine.force(x)),
  'count(arr, x)': (machine, list, x) => {
    const wanted = machine.force(x);
    return arrayOf(machine, list).filter((item) => machine.equals(machine.force(item), wanted)).length;
  },
  'find(value, arr)': (machine, x, list) => {
    const wanted = machine.force(x);
    return machine.array(
      arrayOf(machine, list).flatMap((item, index) => (machine.equals(machine.force(item), wanted) ? [index] : [])),
    );
  },
  'remove(arr, elem)': (machine, list, x) => {
    const items = arrayOf(machine, list);
    const wanted = machine.force(x);
    const at = items.findIndex((item) => machine.equals(machine.force(item), wanted));
    return machine.array(at < 0 ? items : items.toSpliced(at, 1));
  },
  'removeAt(arr, i)': (machine, list, i) => {
    const [items, at] = [arrayOf(machine, list), integerOf(machine, i)];
    return machine.array(at < 0 || at >= items.length ? items : items.toSpliced(at, 1));
  },
  'flattenArrays(arrs)': (machine, lists) =>
    machine.array(arrayOf(machine, lists).flatMap((list) => [...arrayOf(machine, list)])),
  'flattenDeepArray(value)': (machine, value) => machine.array(flattened(machine, machine.force(value), [])),
  'deepJoin(arr)': (machine, value) => deepJoined(machine, machine.force(value)),
  'all(arr)': (machine, list) => arrayOf(machine, list).every((item) => booleanOf(machine, item)),
  'any(arr)': (machine, list) => arrayOf(machine, list).some((item) => booleanOf(machine, item)),
  'sum(arr)': (machine, list) =>
    machine.finite(arrayOf(machine, list).reduce<number>((sum, item) => sum + numberOf(machine, item), 0)),
  'avg(arr)': (machine, list) => {
    const items = arrayOf(machine, list);
    if (items.length === 0) throw machine.fail('Cannot calculate average of an empty array.');
    return machine.finite(items.reduce<number>((sum, item) => sum + numberOf(machine, item), 0) / items.length);
  },
  'minArray(arr, keyF=, onEmpty=)': (machine, ...slots) => extreme(machine, slots, -1),
  'maxArray(arr, keyF=, onEmpty=)': (machine, ...slots) => extreme(machine, slots, 1),
  'sort(arr, keyF=)': (machine, list, key) =>
    machine.array(sorted(machine, listOf(machine, list), keyOf(machine, key))),
  'uniq(arr, keyF=)': (machine, list, key) =>
    machine.array(unique(machine, arrayOf(machine, list), keyOf(machine, key))),
  'set(arr, keyF=)': (machine, list, key) => {
    const by = keyOf(machine, key);
    return machine.array(unique(machine, sorted(machine, listOf(machine, list), by), by));
  },
  'setMember(x, arr, keyF=)': (machine, x, list, key) => {
    const by = keyOf(machine, key);
    const wanted = by(x);
    return arrayOf(machine, list).some((item) => machine.compare(by(item), wanted) === 0);
  },
  'setUnion(a, b, keyF=)': (machine, a, b, key) =>
    merged(machine, arrayOf(machine, a), arrayOf(machine, b), { key: keyOf(machine, key), keep: ['a', 'both', 'b'] }),
  'setInter(a, b, keyF=)': (machine, a, b, key) =>
    merged(machine, arrayOf(machine, a), arrayOf(machine, b), { key: keyOf(machine, key), keep: ['both'] }),
  'setDiff(a, b, keyF=)': (machine, a, b, key) =>
    merged(machine, arrayOf(machine, a), arrayOf(machine, b), { key: keyOf(machine, key), keep: ['a'] }),
};
