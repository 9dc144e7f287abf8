import { ScriptStopped } from './script-stopped.ts';

export interface Limits {
  /** Instructions, and work of that order inside library functions. */
  readonly steps: number;
  /** Bytes of all strings that are made. */
  readonly bytes: number;
  /** Calls inside calls. */
  readonly depth: number;
}

/** Upstream stops a script after one second and at 256 frames; what is counted here is the same on every machine. */
export const defaultLimits: Limits = { steps: 2_000_000, bytes: 64 * 1024 * 1024, depth: 250 };

const longestString = 16 * 1024 * 1024;

/** What a script may still use up. */
export class Bounds {
  readonly limits: Limits;
  /** Where the script is, for what is said when it is stopped. */
  readonly line: () => number;
  steps: number;
  #bytes: number;

  constructor(limits: Limits, line: () => number) {
    this.limits = limits;
    this.line = line;
    this.steps = limits.steps;
    this.#bytes = limits.bytes;
  }

  /** Charges work; throws `ScriptStopped` if none is left. */
  work(steps: number): void {
    this.steps -= steps;
    if (this.steps < 0)
      throw new ScriptStopped('steps', `it ran for more than ${this.limits.steps} steps`, this.line());
  }

  /** Charges the making of a string of that length, before it is made. */
  text(length: number, made = length): void {
    this.#bytes -= made;
    this.work(made >> 5);
    if (length > longestString || this.#bytes < 0)
      throw new ScriptStopped('memory', `its strings take more than ${this.limits.bytes} bytes`, this.line());
  }
}
