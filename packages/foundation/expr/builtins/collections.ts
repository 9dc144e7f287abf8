import {
  anyType,
  compareStrings,
  elementsOf,
  entriesOf,
  GoMap,
  GoSlice,
  type GoType,
  GoValue,
  int,
  integerOf,
  keyText,
  mapOf,
  sliceOf,
  sprintf,
  typeOf,
  type Value,
} from '@tiphys/template';
import { Panic } from '../fault/expr-error.ts';
import { fetch, get, lengthOf, sequenceOf, slice } from '../values/access.ts';
import { equal, findEntry } from '../values/compare.ts';
import { typeName } from '../values/numbers.ts';
import { sorted } from '../values/sort.ts';
import type { Builtin } from './builtin.ts';
import { lettersOf } from './texts.ts';

const pairType: GoType = Object.freeze({ name: '[2]interface {}', kind: 'array', elem: anyType, named: false });
const mapOfAnything = mapOf(anyType, anyType);

const kindOf = (value: Value): string => typeOf(value)?.kind ?? 'invalid';

function itemsOf(value: Value, refuse: () => string): readonly Value[] {
  const items = elementsOf(value);
  if (!items) throw new Panic(refuse());
  return items;
}

/** Entries by key, so that the order does not depend on how the map was made. */
function sortedEntries(value: Value, refuse: (kind: string) => string): (readonly [Value, Value])[] {
  const entries = entriesOf(value);
  if (!entries) throw new Panic(refuse(kindOf(value)));
  return [...entries].sort(([a], [b]) => compareStrings(keyText(a), keyText(b)));
}

function typeText(value: Value): string {
  if (value === null || value === undefined) return 'nil';
  const type = typeOf(value) as GoType;
  if (type.named) return type.name;
  const { kind } = type;
  if (kind.startsWith('int')) return kind === 'interface' ? 'unknown' : 'int';
  if (kind.startsWith('uint')) return 'uint';
  if (kind.startsWith('float')) return 'float';
  if (kind === 'slice') return 'array';
  return ['bool', 'string', 'array', 'map', 'func', 'struct'].includes(kind) ? kind : 'unknown';
}

function first(value: Value, index: number): Value {
  try {
    return fetch(value, int(index));
  } catch (error) {
    if (error instanceof Panic) return null;
    throw error;
  }
}

function flatten(items: readonly Value[], depth: number): Value[] {
  if (depth > 1000) throw new Panic('recursion depth exceeded', 'limit');
  return items.flatMap((item) => {
    const inner = elementsOf(item);
    return inner ? flatten(inner, depth + 1) : [item];
  });
}

function fromPairs(value: Value): Value {
  const entries = new Map<Value, Value>();
  const out = new GoMap(mapOfAnything, entries);
  for (const pair of itemsOf(value, () => `cannot transform ${sprintf('%v', [value])} from pairs`)) {
    const parts = elementsOf(pair);
    if (!parts) throw new Panic(`invalid pair ${sprintf('%v', [pair])}`);
    if (parts.length !== 2) throw new Panic(`invalid pair length ${sprintf('%v', [pair])}`);
    putEntry(out, entries, parts[0] as Value, parts[1] as Value);
  }
  return out;
}

/** Sets a key of a map that may have keys of any type. */
export function putEntry(map: GoMap, entries: Map<Value, Value>, key: Value, value: Value): void {
  if (elementsOf(key) || entriesOf(key)) throw new Panic(`hash of unhashable type: ${typeName(key)}`);
  entries.set(key instanceof GoValue ? (findEntry(map, entries, key)?.[0] ?? key) : key, value);
}

export const collections: Readonly<Record<string, Builtin>> = {
  len: ([value]) => int(lettersOf(value) ?? lengthOf(value)),
  type: ([value]) => typeText(value),
  first: ([value]) => first(value, 0),
  last: ([value]) => first(value, -1),
  get: ([value, key]) => get(value, key),
  take: ([value, count]) => {
    const items = itemsOf(value, () => `cannot take from ${kindOf(value)}`);
    const wanted = integerOf(count);
    if (wanted === undefined || kindOf(count).startsWith('u')) throw new Panic(`cannot take ${kindOf(count)} elements`);
    if (wanted < 0n) throw new Panic('reflect.Value.Slice: slice index out of bounds');
    return slice(value, int(0), wanted > items.length ? int(items.length) : count);
  },
  keys: ([value]) => sortedEntries(value, (kind) => `cannot get keys from ${kind}`).map(([key]) => key),
  values: ([value]) => sortedEntries(value, (kind) => `cannot get values from ${kind}`).map(([, item]) => item),
  toPairs: ([value]) => {
    const entries = sortedEntries(value, (kind) => `cannot transform ${kind} to pairs`);
    return new GoSlice(
      sliceOf(pairType),
      entries.map((pair) => new GoSlice(pairType, [...pair])),
    );
  },
  fromPairs: ([value]) => fromPairs(value),
  reverse: ([value], { budget }) => {
    const items = itemsOf(value, () => `cannot reverse ${kindOf(value)}`);
    budget.grow(items.length);
    return items.toReversed();
  },
  uniq: ([value], { budget }) => {
    const out: Value[] = [];
    for (const item of itemsOf(value, () => `cannot uniq ${kindOf(value)}`)) {
      budget.step(out.length);
      if (!out.some((kept) => equal(item, kept))) out.push(item);
    }
    return out;
  },
  concat: (lists, { budget }) => {
    const all = lists.map((list) => itemsOf(list, () => `cannot concat ${kindOf(list)}`));
    budget.grow(all.reduce((size, items) => size + items.length, 0));
    return all.flat();
  },
  flatten: ([value], { budget }) => {
    const out = flatten(
      itemsOf(value, () => `cannot flatten ${kindOf(value)}`),
      0,
    );
    budget.grow(out.length);
    return out;
  },
  sort: ([value, order], { budget }) => {
    const items = sequenceOf(value) && typeof value !== 'string' ? (elementsOf(value) as readonly Value[]) : [];
    budget.grow(items.length);
    return sorted(items, { keys: items, order: order === undefined ? 'asc' : sortOrder(order) });
  },
};

function sortOrder(order: Value): string {
  if (typeof order !== 'string') throw new Panic(`sort order argument must be a string (got ${typeName(order)})`);
  if (order !== 'asc' && order !== 'desc') throw new Panic(`invalid order ${order}, expected asc or desc`);
  return order;
}
