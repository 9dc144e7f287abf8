import { JsonnetError, type Spot } from '../language/jsonnet-error.ts';
import { toText } from './text-of.ts';
import {
  type Arguments,
  compareText,
  JsonnetArray,
  JsonnetFunction,
  JsonnetObject,
  Lazy,
  type Slot,
  TailCall,
  typeOf,
  type Value,
} from './values.ts';

export interface MachineLimits {
  /** Values that wait for one another: calls, fields and what is computed when it is asked for. */
  readonly depth: number;
  /** Milliseconds. */
  readonly time: number;
  /** Characters of one text, and elements of one array. */
  readonly size: number;
}

const shownCalls = 20;

/** Runs one program: knows how deep it is, how long it ran, and where it is. */
export class Machine {
  readonly limits: MachineLimits;
  readonly #calls: Spot[] = [];
  readonly #deadline: number;
  readonly #now: () => number;
  #depth = 0;
  #steps = 0;

  constructor(limits: MachineLimits, now: () => number) {
    this.limits = limits;
    this.#now = now;
    this.#deadline = now() + limits.time;
  }

  enter(): void {
    this.#depth += 1;
    if (this.#depth > this.limits.depth) throw this.fail('max stack frames exceeded.', 'limit');
    this.step();
  }

  leave(): void {
    this.#depth -= 1;
  }

  step(): void {
    this.#steps += 1;
    if ((this.#steps & 0xfff) === 0 && this.#now() > this.#deadline)
      throw this.fail(`The program takes longer than ${this.limits.time / 1000} s`, 'limit');
  }

  force(slot: Slot): Value {
    return slot instanceof Lazy ? slot.force(this) : slot;
  }

  /** Remembers a place while something is called from there. */
  at<T>(spot: Spot, work: () => T): T {
    this.#calls.push(spot);
    const result = work();
    this.#calls.pop();
    return result;
  }

  fail(message: string, kind: 'runtime' | 'limit' = 'runtime', spot?: Spot): JsonnetError {
    const calls = [...(spot ? [spot] : []), ...this.#calls.slice(-shownCalls).reverse()];
    return new JsonnetError(kind, message, { spot: calls[0], calls: calls.slice(1) });
  }

  endless(): JsonnetError {
    return this.fail('max stack frames exceeded.: a value depends on itself', 'limit');
  }

  unexpected(value: Value, wanted: string): JsonnetError {
    return this.fail(`Unexpected type ${typeOf(value)}, expected ${wanted}`);
  }

  /** Throws for what is no number of Jsonnet. */
  finite(value: number): number {
    if (Number.isNaN(value)) throw this.fail('Not a number');
    if (!Number.isFinite(value)) throw this.fail('Overflow');
    return value;
  }

  sized<T extends string | readonly Slot[]>(value: T): T {
    if (value.length > this.limits.size)
      throw this.fail(`More than ${this.limits.size} characters or elements`, 'limit');
    return value;
  }

  array(items: readonly Slot[]): JsonnetArray {
    return new JsonnetArray(this.sized(items));
  }

  call(target: JsonnetFunction, positional: readonly Slot[]): Value {
    return this.run(target, this.bind(target, { positional, named: [] }));
  }

  run(target: JsonnetFunction, slots: (Slot | undefined)[]): Value {
    this.enter();
    let result = target.run(slots);
    while (result instanceof TailCall) {
      this.step();
      result = result.target.run(result.slots);
    }
    this.leave();
    return result;
  }

  /** One slot for each parameter. Throws for arguments that are too many, twice there, unknown or missing. */
  bind({ parameters }: JsonnetFunction, { positional, named }: Arguments): (Slot | undefined)[] {
    if (positional.length > parameters.length)
      throw this.fail(`function expected ${parameters.length} positional argument(s), but got ${positional.length}`);
    const slots: (Slot | undefined)[] = parameters.map((_, index) => positional[index]);
    for (const { name, value } of named) {
      const index = parameters.findIndex((parameter) => parameter.name === name);
      if (index < 0) throw this.fail(`function has no parameter ${name}`);
      if (slots[index] !== undefined) throw this.fail(`Argument ${name} already provided`);
      slots[index] = value;
    }
    for (const [index, { name, optional }] of parameters.entries())
      if (slots[index] === undefined && !optional) throw this.fail(`Missing argument: ${name}`);
    return slots;
  }

  add(left: Value, right: Value): Value {
    if (typeof left === 'string' || typeof right === 'string')
      return this.sized(this.toText(left) + this.toText(right));
    if (typeof left === 'number') {
      if (typeof right !== 'number') throw this.unexpected(right, 'number');
      return this.finite(left + right);
    }
    if (left instanceof JsonnetArray) {
      if (!(right instanceof JsonnetArray)) throw this.unexpected(right, 'array');
      return this.array([...left.items, ...right.items]);
    }
    if (left instanceof JsonnetObject) {
      if (!(right instanceof JsonnetObject)) throw this.unexpected(right, 'object');
      return left.plus(right);
    }
    throw this.fail(`Operator + cannot be used on types ${typeOf(left)} and ${typeOf(right)}.`);
  }

  toText(value: Value): string {
    return toText(this, value);
  }

  equals(a: Value, b: Value): boolean {
    if (a instanceof JsonnetArray && b instanceof JsonnetArray) {
      return (
        a.items.length === b.items.length &&
        a.items.every((item, index) => this.equals(this.force(item), this.force(b.items[index] as Slot)))
      );
    }
    if (a instanceof JsonnetObject && b instanceof JsonnetObject) {
      a.check(this);
      b.check(this);
      const [mine, other] = [a.visibleNames(), b.visibleNames()];
      return (
        mine.length === other.length &&
        mine.every((name, index) => name === other[index]) &&
        mine.every((name) => this.equals(a.get(name, this) as Value, b.get(name, this) as Value))
      );
    }
    if (a instanceof JsonnetFunction && b instanceof JsonnetFunction)
      throw this.fail('Cannot test equality of functions');
    return a === b;
  }

  /** Below 0 if `a` comes first. Numbers, texts and arrays of them have an order. */
  compare(a: Value, b: Value): number {
    if (typeof a === 'number' && typeof b === 'number') return a - b;
    if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
    if (a instanceof JsonnetArray && b instanceof JsonnetArray) {
      for (let index = 0; index < Math.min(a.items.length, b.items.length); index += 1) {
        const order = this.compare(this.force(a.items[index] as Slot), this.force(b.items[index] as Slot));
        if (order !== 0) return order;
      }
      return a.items.length - b.items.length;
    }
    if (typeof a === 'number' || typeof a === 'string' || a instanceof JsonnetArray)
      throw this.unexpected(b, typeOf(a));
    throw this.fail(`Unexpected type ${typeOf(a)}`);
  }
}
