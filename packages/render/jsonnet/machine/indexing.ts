import type { Machine } from './machine.ts';
import { JsonnetArray, JsonnetObject, pointsOf, type Slot, typeOf, type Value } from './values.ts';

/** `target[index]`, and `target.index`. */
export function indexValue(machine: Machine, target: Value, index: Value): Value {
  if (target instanceof JsonnetObject) {
    if (typeof index !== 'string') throw machine.unexpected(index, 'string');
    const value = target.get(index, machine);
    if (value === undefined) throw machine.fail(`Field does not exist: ${index}`);
    return value;
  }
  if (target instanceof JsonnetArray)
    return machine.force(target.items[place(machine, index, target.items.length)] as Slot);
  if (typeof target === 'string') {
    const points = pointsOf(target);
    return points[place(machine, index, points.length)] as string;
  }
  throw machine.fail(`Value non indexable: ${typeOf(target)}`);
}

function place(machine: Machine, index: Value, length: number): number {
  if (typeof index !== 'number') throw machine.unexpected(index, 'number');
  if (!Number.isInteger(index)) throw machine.fail(`Expected an integer, but got ${index}`);
  if (index < 0 || index >= length) throw machine.fail(`Index ${index} out of bounds, not within [0, ${length})`);
  return index;
}

/** `target[from:to:step]`; negative bounds count from the end. */
export function sliceValue(machine: Machine, target: Value, parts: readonly Value[]): Value {
  const isText = typeof target === 'string';
  if (!isText && !(target instanceof JsonnetArray))
    throw machine.fail(`std.slice accepts a string or an array, but got: ${typeOf(target)}`);
  const items: readonly Slot[] = isText ? pointsOf(target) : (target as JsonnetArray).items;
  const bound = (value: Value | undefined, fallback: number): number => {
    if (value === null || value === undefined) return fallback;
    if (typeof value !== 'number') throw machine.unexpected(value, 'number');
    return value;
  };
  const step = bound(parts[2], 1);
  if (step < 0)
    throw machine.fail(`got [${parts.map((part) => part ?? '').join(':')}] but negative steps are not supported`);
  if (step === 0) throw machine.fail('step must be greater than 0');
  const from = bound(parts[0], 0);
  const to = bound(parts[1], items.length);
  const first = from < 0 ? Math.max(0, items.length + from) : from;
  const last = Math.min(items.length, to < 0 ? items.length + to : to);
  const found: Slot[] = [];
  for (let index = first; index < last; index += step) found.push(items[index] as Slot);
  return isText ? found.join('') : machine.array(found);
}
