import type { Payer } from './values.ts';

/** A program took more steps than it may. Nothing in it can catch this. */
export class JqStopped extends Error {}

/** What a program may still do. */
export class Bounds implements Payer {
  #steps: number;
  readonly #weights = new WeakMap<object, number>();

  readonly now: (() => number) | undefined;

  constructor(steps: number, now?: () => number) {
    this.#steps = steps;
    this.now = now;
  }

  /** Charges work; functions whose work grows with their values do so too. */
  charge(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new JqStopped('it takes too many steps');
  }

  /** How much work it is to look at all of a value. Values never change, so each is looked at once. */
  weigh(value: unknown): number {
    if (typeof value === 'string') return 1 + (value.length >> 4);
    if (typeof value !== 'object' || value === null) return 1;
    const known = this.#weights.get(value);
    if (known !== undefined) return known;
    let weight = 1;
    for (const part of Array.isArray(value) ? value : Object.values(value)) weight += this.weigh(part);
    this.#weights.set(value, weight);
    return weight;
  }
}
