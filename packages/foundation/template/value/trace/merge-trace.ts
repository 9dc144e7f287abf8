import { entriesOf, type Value } from '../value.ts';
import type { Traced } from './rope.ts';
import type { Slots } from './slots.ts';

type Container = readonly [value: Value, traced: Traced];

/** Follows entries that are moved from one map into another. */
export class MergeTrace {
  readonly #slots: Slots;
  readonly #into: Container;
  readonly #from: Container;

  constructor(slots: Slots, into: Container, from: Container) {
    this.#slots = slots;
    this.#into = into;
    this.#from = from;
  }

  /** The entry under the key is about to be taken over. */
  take(key: string): void {
    const [from, traced] = this.#from;
    this.#slots.put(this.#into[0], key, this.#slots.get(from, traced, key), this.#slots.key(from, traced, key));
  }

  /** The maps under the key are about to be merged. */
  enter(key: string): MergeTrace {
    const inner = ([value, traced]: Container): Container => [
      entriesOf(value)?.get(key),
      this.#slots.get(value, traced, key),
    ];
    return new MergeTrace(this.#slots, inner(this.#into), inner(this.#from));
  }
}
