import type { LuaValue } from './value.ts';

/** The instructions of a function while they are made, with their lines and constants. */
export class CodeBuffer {
  readonly #code: number[] = [];
  readonly #lines: number[] = [];
  readonly #constants: LuaValue[] = [];
  readonly #places = new Map<LuaValue, number>();
  /** The line of what is made next. */
  line = 0;

  finish(): { readonly code: Int32Array; readonly lines: Int32Array; readonly constants: readonly LuaValue[] } {
    return { code: Int32Array.from(this.#code), lines: Int32Array.from(this.#lines), constants: this.#constants };
  }

  emit(operation: number, a = 0, b = 0): number {
    this.#lines.push(this.line);
    return this.#code.push(operation, a, b) - 3;
  }

  here(): number {
    return this.#code.length;
  }

  /** Lets the jump at a place lead here; `operand` 1 is a, 2 is b. */
  land(at: number, operand = 1): void {
    this.#code[at + operand] = this.here();
  }

  constant(value: LuaValue): number {
    // -0 and 0 are one key of a map, and two constants.
    if (Object.is(value, -0)) return this.#constants.push(value) - 1;
    let place = this.#places.get(value);
    if (place === undefined) {
      place = this.#constants.push(value) - 1;
      this.#places.set(value, place);
    }
    return place;
  }

  /** Lets the jump at a place lead to another. */
  aim(at: number, target: number): void {
    this.#code[at + 1] = target;
  }
}
