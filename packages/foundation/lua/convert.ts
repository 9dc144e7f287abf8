import type { Machine } from './run/machine.ts';
import { typeName } from './run/show.ts';
import { LuaTable } from './run/table.ts';
import type { LuaValue } from './run/value.ts';
import { fromBytes, toBytes } from './text/bytes.ts';

/** Plain JSON data. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export const deepest = 200;

/**
 * Data as a script sees it: lists and objects are tables, null is nil and so leaves its key out. The keys of an object
 * come in the order of their bytes, whatever order they were written in.
 */
export function toLua(value: unknown): LuaValue {
  if (typeof value === 'string') return toBytes(value);
  if (typeof value !== 'object' || value === null)
    return typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
  const table = new LuaTable();
  if (Array.isArray(value)) {
    // A null in a list takes no place, as upstream.
    for (const item of value) if (item !== null && item !== undefined) table.set(table.length + 1, toLua(item));
    return table;
  }
  table.object = true;
  // most scripts look at a small part of their object
  table.later(() => {
    for (const key of Object.keys(value).sort()) {
      const item = (value as Record<string, unknown>)[key];
      if (item !== null && item !== undefined) table.set(toBytes(key), toLua(item));
    }
  });
  return table;
}

/** A value that has no form in JSON. */
export class ConversionError extends Error {}

/**
 * What a script returned, as data. An empty table that the script made is an empty list, as upstream, since nothing tells
 * what it was meant to be; one that was given as an object is one again.
 * Throws `ConversionError` for functions, sparse lists, mixed keys, and tables that are there twice.
 */
export function fromLua(value: LuaValue, machine: Machine): Json {
  return convert(value, machine, new Set(), 0);
}

function convert(value: LuaValue, machine: Machine, seen: Set<LuaTable>, depth: number): Json {
  if (value === undefined) return null;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new ConversionError(`json: unsupported value: ${value}`);
    return value;
  }
  if (typeof value === 'string') {
    machine.bounds.work(value.length >> 5);
    return fromBytes(value);
  }
  if (!(value instanceof LuaTable)) throw new ConversionError(`cannot encode ${typeName(value)} to JSON`);
  if (seen.has(value) || depth > deepest) throw new ConversionError('cannot encode recursively nested tables to JSON');
  seen.add(value);
  const first = value.next(undefined);
  if (!first) return value.object ? {} : [];
  const list: Json[] = [];
  const object: Record<string, Json> = {};
  const kind = typeof first[0];
  if (kind !== 'number' && kind !== 'string') throw new ConversionError('cannot encode mixed or invalid key types');
  for (let entry = first as ReturnType<LuaTable['next']>; entry; entry = value.next(entry[0])) {
    const [key, item] = entry;
    machine.bounds.work(1);
    if (typeof key !== kind) throw new ConversionError('cannot encode mixed or invalid key types');
    if (typeof key === 'number' && key !== list.length + 1) throw new ConversionError('cannot encode sparse array');
    const converted = convert(item, machine, seen, depth + 1);
    if (typeof key === 'string') define(object, fromBytes(key), converted);
    else list.push(converted);
  }
  return kind === 'number' ? list : object;
}

/** `__proto__` is a key like any other. */
export function define(object: Record<string, Json>, key: string, value: Json): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}
