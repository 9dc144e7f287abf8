import type { LuaTable } from './table.ts';
import type { Thread } from './thread.ts';

/** nil is undefined; a string has one character for each byte. */
export type LuaValue = undefined | boolean | number | string | LuaTable | LuaFunction | Builtin | Thread;

/** A variable that functions share. */
export interface Cell {
  value: LuaValue;
}

/** One instruction is three numbers: operation and two operands. */
export interface Prototype {
  readonly name: string;
  readonly line: number;
  readonly code: Int32Array;
  /** The line of each instruction. */
  readonly lines: Int32Array;
  readonly constants: readonly LuaValue[];
  readonly prototypes: readonly Prototype[];
  readonly slots: number;
  readonly parameters: number;
  /** Slots of parameters that inner functions share. */
  readonly shared: readonly number[];
  readonly variadic: boolean;
  /** A slot of the function around it, or, below zero, `-1 - n` for its n-th capture. */
  readonly captures: readonly number[];
  /** What the text calls the function that an instruction calls. */
  readonly callNames: ReadonlyMap<number, string>;
}

export class LuaFunction {
  readonly prototype: Prototype;
  readonly captures: readonly Cell[];
  globals: LuaTable;

  constructor(prototype: Prototype, captures: readonly Cell[], globals: LuaTable) {
    this.prototype = prototype;
    this.captures = captures;
    this.globals = globals;
  }
}

export class Builtin {
  readonly name: string;
  readonly run: (args: LuaValue[]) => LuaValue[];

  constructor(name: string, run: (args: LuaValue[]) => LuaValue[]) {
    this.name = name;
    this.run = run;
  }
}

export function isFunction(value: LuaValue): value is LuaFunction | Builtin {
  return value instanceof LuaFunction || value instanceof Builtin;
}

export function isTruthy(value: LuaValue): boolean {
  return value !== undefined && value !== false;
}
