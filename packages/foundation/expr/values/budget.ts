import { Panic } from '../fault/expr-error.ts';

export interface RunLimits {
  /** Visited nodes and elements. */
  readonly steps: number;
  /** Elements of lists and maps that are made, as the Go module counts them. */
  readonly memory: number;
  /** UTF-16 units of one text. */
  readonly text: number;
}

export const defaultRunLimits: RunLimits = { steps: 5_000_000, memory: 1_000_000, text: 16 << 20 };

/** What one run may still do. */
export class RunBudget {
  readonly #limits: RunLimits;
  #steps = 0;
  #memory = 0;

  constructor(limits: RunLimits) {
    this.#limits = limits;
  }

  step(count = 1): void {
    this.#steps += count;
    if (this.#steps > this.#limits.steps)
      throw new Panic(`the expression takes more than ${this.#limits.steps} steps`, 'limit');
  }

  grow(elements: number): void {
    this.#memory += elements;
    if (this.#memory >= this.#limits.memory) throw new Panic('memory budget exceeded', 'limit');
  }

  /** Texts count towards the steps, so that long ones are not copied for ever. */
  text(units: number): void {
    if (units > this.#limits.text) throw new Panic('memory budget exceeded', 'limit');
    this.step(units >> 6);
  }
}
