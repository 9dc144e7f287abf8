import type { Machine } from '../run/machine.ts';
import { coerceNumber } from '../run/numbers.ts';
import { show, typeName } from '../run/show.ts';
import { LuaTable } from '../run/table.ts';
import { type Builtin, isFunction, type LuaFunction, type LuaValue } from '../run/value.ts';

/** The arguments of a builtin, with the refusals of upstream. Positions begin at 1. */
export class Arguments {
  readonly machine: Machine;
  readonly values: LuaValue[];

  constructor(machine: Machine, values: LuaValue[]) {
    this.machine = machine;
    this.values = values;
  }

  get count(): number {
    return this.values.length;
  }

  get(position: number): LuaValue {
    return this.values[position - 1];
  }

  any(position: number): LuaValue {
    if (position > this.values.length) throw this.machine.argumentError(position, 'value expected');
    return this.get(position);
  }

  table(position: number): LuaTable {
    const value = this.get(position);
    return value instanceof LuaTable ? value : this.#wrong(position, 'table');
  }

  function(position: number): LuaFunction | Builtin {
    const value = this.get(position);
    return isFunction(value) ? value : this.#wrong(position, 'function');
  }

  /** Numbers are texts as well. */
  string(position: number): string {
    const value = this.get(position);
    return typeof value === 'string' || typeof value === 'number' ? show(value) : this.#wrong(position, 'string');
  }

  optionalString(position: number, missing: string): string {
    const value = this.get(position) ?? missing;
    return typeof value === 'string' ? value : this.#wrong(position, 'string');
  }

  number(position: number): number {
    const value = this.get(position);
    const number = typeof value === 'string' ? coerceNumber(value) : value;
    return typeof number === 'number' ? number : this.#wrong(position, 'number');
  }

  integer(position: number): number {
    const value = this.get(position);
    return typeof value === 'number' ? toInteger(value) : this.#wrong(position, 'number');
  }

  optionalInteger(position: number, missing: number): number {
    return this.get(position) === undefined ? missing : this.integer(position);
  }

  #wrong(position: number, type: string): never {
    throw this.machine.argumentError(position, `${type} expected, got ${typeName(this.get(position))}`);
  }
}

/** What Go's conversion gives, but for numbers beyond its integers. */
function toInteger(value: number): number {
  if (Number.isNaN(value)) return Number.MIN_SAFE_INTEGER;
  return Math.trunc(Math.min(Math.max(value, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER));
}
