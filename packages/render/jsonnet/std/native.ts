import type { Machine } from '../machine/machine.ts';
import { JsonnetArray, JsonnetFunction, JsonnetObject, type Slot, type Value } from '../machine/values.ts';

/** A function of the standard library; its arguments are computed when it asks for them. */
export type Native = (machine: Machine, ...slots: Slot[]) => Value;

/** Functions by their signatures, such as `join(sep, arr)`; what follows `=` is JSON. */
export type Library = Readonly<Record<string, Native>>;

export function nativeFunction(machine: Machine, signature: string, native: Native): JsonnetFunction {
  const [, name = '', list = ''] = /^([\w$]+)\((.*)\)$/s.exec(signature) ?? [];
  const parameters = list
    .split(', ')
    .filter((text) => text !== '')
    .map((text) => {
      const [parameter = '', fallback] = text.split('=', 2);
      return { name: parameter, optional: fallback !== undefined, fallback };
    });
  // What a parameter without a value stands for: most of them mean "not given".
  const fallbacks = parameters.map(({ fallback }) => (fallback ? (JSON.parse(fallback) as Value) : undefined));
  return new JsonnetFunction(name, parameters, (slots) =>
    native(machine, ...slots.map((slot, index) => (slot === undefined ? (fallbacks[index] as Slot) : slot))),
  );
}

export function textOf(machine: Machine, slot: Slot): string {
  const value = machine.force(slot);
  if (typeof value === 'string') return value;
  throw machine.unexpected(value, 'string');
}

export function numberOf(machine: Machine, slot: Slot): number {
  const value = machine.force(slot);
  if (typeof value === 'number') return value;
  throw machine.unexpected(value, 'number');
}

export function integerOf(machine: Machine, slot: Slot): number {
  const value = numberOf(machine, slot);
  if (Number.isInteger(value)) return value;
  throw machine.fail(`Expected an integer, but got ${value}`);
}

export function booleanOf(machine: Machine, slot: Slot): boolean {
  const value = machine.force(slot);
  if (typeof value === 'boolean') return value;
  throw machine.unexpected(value, 'boolean');
}

export function arrayOf(machine: Machine, slot: Slot): readonly Slot[] {
  const value = machine.force(slot);
  if (value instanceof JsonnetArray) return value.items;
  throw machine.unexpected(value, 'array');
}

export function objectOf(machine: Machine, slot: Slot): JsonnetObject {
  const value = machine.force(slot);
  if (value instanceof JsonnetObject) return value;
  throw machine.unexpected(value, 'object');
}

export function functionOf(machine: Machine, slot: Slot): JsonnetFunction {
  const value = machine.force(slot);
  if (value instanceof JsonnetFunction) return value;
  throw machine.unexpected(value, 'function');
}
