import { show } from './show.ts';
import type { LuaValue } from './value.ts';

/** An error inside Lua, with any value. `line` is where it was raised, 0 if it was in no line. */
export class LuaError extends Error {
  readonly value: LuaValue;
  readonly line: number;

  constructor(value: LuaValue, line: number) {
    super(typeof value === 'string' ? value : show(value));
    this.name = 'LuaError';
    this.value = value;
    this.line = line;
  }
}
