import { chargeCopy } from '../bounds/active-budget.ts';
import { isEmpty, textOf } from '../fmt/convert.ts';
import { typeName } from '../fmt/format-value.ts';
import { define, FunctionError, type FunctionSpec } from '../value/function-spec.ts';
import type { MergeTrace } from '../value/trace/merge-trace.ts';
import { mapOfAny, sliceOfString } from '../value/type.ts';
import { GoMap, GoSlice, type Value, type ValueMap } from '../value/value.ts';

function mapOf(value: Value): ValueMap {
  if (value instanceof Map) return value;
  return value instanceof GoMap ? (value.entries as ValueMap) : new Map();
}

function isMap(value: Value): boolean {
  return value instanceof Map || value instanceof GoMap;
}

function dict(args: Value[]): Value {
  const map: ValueMap = new Map();
  for (let i = 0; i < args.length; i += 2) map.set(textOf(args[i]), i + 1 < args.length ? (args[i + 1] ?? null) : '');
  return map;
}

function deepCopy(value: Value): Value {
  chargeCopy();
  if (value instanceof Map) return new Map([...(value as ValueMap)].map(([key, item]) => [key, deepCopy(item)]));
  if (Array.isArray(value)) return value.map(deepCopy);
  if (value instanceof GoMap)
    return new GoMap(value.type, new Map([...value.entries].map(([key, item]) => [key, deepCopy(item)])), value.nil);
  if (value instanceof GoSlice) return new GoSlice(value.type, value.items.map(deepCopy), value.nil);
  return value instanceof Uint8Array ? value.slice() : value;
}

const deepCopySpec = define('any', ([value]) => {
  if (value === null || value === undefined)
    throw new FunctionError('reflect: call of reflect.Value.Type on zero Value');
  return deepCopy(value);
});

/** mergo's Merge of maps: what is empty in the destination counts as not there. */
function mergeInto(into: ValueMap, from: ValueMap, overwrite: boolean, trace: MergeTrace | undefined): void {
  for (const [key, value] of from) {
    chargeCopy();
    if (value === null || value === undefined) {
      if (overwrite) {
        trace?.take(key);
        into.set(key, null);
      }
      continue;
    }
    const present = into.get(key);
    const has = present !== undefined && !isEmpty(present);
    if (isMap(value) && isMap(present as Value)) {
      if (has) {
        mergeInto(mapOf(present), mapOf(value), overwrite, trace?.enter(key));
        continue;
      }
      // An empty map of the destination is filled and then replaced.
      trace?.take(key);
      into.set(key, value);
      continue;
    }
    if (overwrite || !has) {
      trace?.take(key);
      into.set(key, value);
    }
  }
}

const merge = (overwrite: boolean): FunctionSpec =>
  define('map[string]any, ...map[string]any', ([into, ...from], { trace }) => {
    const isNil = into instanceof GoMap && into.nil;
    if (isNil && from.every((map) => map instanceof GoMap && map.nil)) return into;
    const target = isNil ? new Map<string, Value>() : mapOf(into);
    for (const [i, map] of from.entries())
      mergeInto(target, mapOf(map), overwrite, trace?.merge(target, map as Value, 0, i + 1));
    return isNil ? target : into;
  });

/** A type assertion in Go takes no declared type, such as that of Helm's `.Values`. */
function isPlainMap(value: Value): boolean {
  return value instanceof Map || (value instanceof GoMap && value.type === mapOfAny);
}

function dig(args: Value[]): Value {
  if (args.length < 3) throw new FunctionError('dig needs at least three arguments');
  const last = args.at(-1);
  if (!isPlainMap(last)) throw conversion(last, 'map[string]interface {}');
  const fallback = args.at(-2);
  let current: ValueMap = mapOf(last);
  const keys = args.slice(0, -2);
  for (const key of keys) if (typeof key !== 'string') throw conversion(key, 'string');
  for (const [i, key] of keys.entries()) {
    const name = key as string;
    if (!current.has(name)) return fallback;
    const next = current.get(name);
    if (i === keys.length - 1) return next;
    if (!isPlainMap(next)) throw conversion(next, 'map[string]interface {}');
    current = mapOf(next);
  }
  return fallback;
}

function conversion(value: Value, wanted: string): FunctionError {
  const got = value === null || value === undefined ? 'nil' : typeName(value);
  return new FunctionError(`interface conversion: interface {} is ${got}, not ${wanted}`);
}

function pick([map, ...keys]: Value[]): Value {
  const picked: ValueMap = new Map();
  for (const key of keys) {
    const name = key as string;
    if (mapOf(map).has(name)) picked.set(name, mapOf(map).get(name));
  }
  return picked;
}

/** Sprig's functions on maps. Where Go's order is random, ours is sorted. */
export const dictFunctions: ReadonlyMap<string, FunctionSpec> = new Map<string, FunctionSpec>([
  ['dict', define('...any', dict)],
  [
    'get',
    define('map[string]any, string', ([map, key]) =>
      mapOf(map).has(key as string) ? mapOf(map).get(key as string) : '',
    ),
  ],
  [
    'set',
    define('map[string]any, string, any', ([map, key, value]) => {
      if (map instanceof GoMap && map.nil) throw new FunctionError('assignment to entry in nil map');
      mapOf(map).set(key as string, value ?? null);
      return map;
    }),
  ],
  [
    'unset',
    define('map[string]any, string', ([map, key]) => {
      mapOf(map).delete(key as string);
      return map;
    }),
  ],
  ['hasKey', define('map[string]any, string', ([map, key]) => mapOf(map).has(key as string))],
  [
    'pluck',
    define('string, ...map[string]any', ([key, ...maps]) =>
      maps.filter((map) => mapOf(map).has(key as string)).map((map) => mapOf(map).get(key as string)),
    ),
  ],
  [
    'keys',
    define(
      '...map[string]any',
      (maps) =>
        new GoSlice(
          sliceOfString,
          maps.flatMap((map) => [...mapOf(map).keys()].sort()),
        ),
    ),
  ],
  [
    'values',
    define('map[string]any', ([map]) => [...mapOf(map)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value)),
  ],
  ['pick', define('map[string]any, ...string', pick)],
  [
    'omit',
    define(
      'map[string]any, ...string',
      ([map, ...keys]) => new Map([...mapOf(map)].filter(([key]) => !keys.includes(key))),
    ),
  ],
  ['merge', merge(false)],
  ['mustMerge', merge(false)],
  ['mergeOverwrite', merge(true)],
  ['mustMergeOverwrite', merge(true)],
  ['dig', define('...any', dig)],
  ['deepCopy', deepCopySpec],
  ['mustDeepCopy', deepCopySpec],
]);
