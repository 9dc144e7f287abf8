import { ConversionError, deepest, define, type Json } from './convert.ts';
import type { Machine } from './run/machine.ts';
import { typeName } from './run/show.ts';
import { LuaTable } from './run/table.ts';
import type { LuaValue } from './run/value.ts';
import { fromBytes, toBytes } from './text/bytes.ts';

const isArray = toBytes('__is_array');

/** What a script returned as Argo Events takes it: the shape of a table follows from its list part. Throws `ConversionError`. */
export function fromTable(value: LuaValue, machine: Machine, depth = 0): Json {
  if (depth > deepest) throw new ConversionError('cannot encode recursively nested tables to JSON');
  machine.bounds.work(1);
  if (value === undefined || typeof value === 'boolean') return value ?? null;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new ConversionError(`json: unsupported value: ${value}`);
    return value;
  }
  if (typeof value === 'string') {
    machine.bounds.work(value.length >> 5);
    return fromBytes(value);
  }
  if (!(value instanceof LuaTable)) throw new ConversionError(`cannot encode ${typeName(value)} to JSON`);
  const { length } = value;
  if (length > 0 || value.metatable?.get(isArray) === true)
    return Array.from({ length }, (_, i) => fromTable(value.get(i + 1), machine, depth + 1));
  const object: Record<string, Json> = {};
  for (let entry = value.next(undefined); entry; entry = value.next(entry[0])) {
    const [key, item] = entry;
    define(object, typeof key === 'string' ? fromBytes(key) : String(key), fromTable(item, machine, depth + 1));
  }
  return object;
}
