import type { Machine } from '../run/machine.ts';
import { show, typeName } from '../run/show.ts';
import type { LuaValue } from '../run/value.ts';
import { isTruthy } from '../run/value.ts';
import { fill, type LibraryFunction } from './define.ts';

const functions: Readonly<Record<string, LibraryFunction>> = {
  getn: (args) => [args.table(1).length],
  maxn: (args) => [args.table(1).largest],
  concat(args, machine) {
    const table = args.table(1);
    const separator = args.optionalString(2, '');
    const first = args.optionalInteger(3, 1);
    if (args.count === 3 && (first > table.length || first < 1)) return [''];
    const last = Math.min(args.optionalInteger(4, table.length), table.length);
    const parts: string[] = [];
    let length = 0;
    for (let i = Math.max(Math.min(first, table.length), 1); i <= last; i++) {
      const value = table.get(i);
      if (typeof value !== 'string' && typeof value !== 'number')
        throw machine.error(`invalid value (${typeName(value)}) at index ${i} in table for concat`);
      const part = show(value);
      length += part.length + separator.length;
      machine.bounds.work(1);
      machine.bounds.text(length, part.length + separator.length);
      parts.push(part);
    }
    return [parts.join(separator)];
  },
  insert(args, machine) {
    const table = args.table(1);
    if (args.count === 1) throw machine.error('wrong number of arguments');
    if (args.count === 2) {
      if (args.get(2) !== undefined) machine.rawSet(table, table.length + 1, args.get(2));
      return [];
    }
    const position = args.integer(2);
    const value = args.any(3);
    if (position > table.length || position <= 0) machine.rawSet(table, position, value);
    else {
      machine.bounds.work((table.length - position) >> 3);
      table.insert(position, value);
    }
    return [];
  },
  remove(args, machine) {
    const table = args.table(1);
    const position = args.count === 1 ? table.length : args.integer(2);
    if (table.length === 0 || position > table.length) return [undefined];
    machine.bounds.work((table.length - position) >> 3);
    return [table.remove(position < 1 ? table.length : position)];
  },
  sort(args, machine) {
    const table = args.table(1);
    const order = args.count > 1 ? args.function(2) : undefined;
    const before = (a: LuaValue, b: LuaValue) =>
      order ? isTruthy(machine.call(order, [a, b])[0]) : machine.less(a, b);
    const { length } = table;
    const sorted = mergeSort(table.array.slice(0, length), before, machine);
    for (const [i, value] of sorted.entries()) table.set(i + 1, value);
    return [];
  },
};

/** Stable, and right for any answers of the order, so that a wrong order harms nobody. */
function mergeSort(values: LuaValue[], before: (a: LuaValue, b: LuaValue) => boolean, machine: Machine): LuaValue[] {
  if (values.length < 2) return values;
  const middle = values.length >> 1;
  const left = mergeSort(values.slice(0, middle), before, machine);
  const right = mergeSort(values.slice(middle), before, machine);
  const merged: LuaValue[] = [];
  machine.bounds.work(values.length);
  for (let i = 0, j = 0; merged.length < values.length; ) {
    const takeRight = i >= left.length || (j < right.length && before(right[j], left[i]));
    merged.push(takeRight ? right[j++] : left[i++]);
  }
  return merged;
}

export function openTable(machine: Machine): void {
  const table = fill(machine, functions);
  machine.globals.set('table', table);
  machine.registry.set('table', table);
}
