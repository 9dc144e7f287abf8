import type { Cell, LuaFunction, LuaValue } from './value.ts';

/** What a place of a frame's stack can hold: a value, a shared variable, or the values of a call or `...`. */
export type Slot = LuaValue | Cell | LuaValue[];

export interface Frame {
  readonly function: LuaFunction;
  /** The instruction that runs, or that called the next frame. */
  at: number;
  readonly stack: Slot[];
  top: number;
  readonly varargs: readonly LuaValue[];
  /** How many values the caller wants; below zero all of them. */
  readonly wanted: number;
}

/** A coroutine; the main chunk runs in one as well. */
export class Thread {
  readonly frames: Frame[] = [];
  status: 'suspended' | 'running' | 'normal' | 'dead' = 'suspended';
  /** What it runs when it is resumed for the first time. */
  readonly start: LuaValue;
  started = false;
  /** The frames below belong to a call from a builtin, across which nothing can yield. */
  base = 0;

  constructor(start: LuaValue) {
    this.start = start;
  }
}
