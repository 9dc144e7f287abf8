import type { BusState } from './bus.ts';

/** An entry of the log: a key with its value, or without one if it was deleted. */
export interface StateEntry {
  readonly key: string;
  readonly value?: string;
}

/** State that is the sum of a log: what is appended counts, the last one of a key. For buses that keep nothing but messages. */
export class LogState implements BusState {
  readonly #entries: Map<string, string>;
  readonly #append: (entry: StateEntry) => Promise<void>;

  constructor(past: Iterable<string>, append: (entry: StateEntry) => Promise<void>) {
    this.#entries = new Map();
    this.#append = append;
    for (const text of past) this.#apply(JSON.parse(text) as StateEntry);
  }

  #apply({ key, value }: StateEntry): void {
    if (value === undefined) this.#entries.delete(key);
    else this.#entries.set(key, value);
  }

  async entries(): Promise<ReadonlyMap<string, string>> {
    return this.#entries;
  }

  put(key: string, value: string): Promise<void> {
    return this.#write({ key, value });
  }

  async delete(key: string): Promise<void> {
    if (this.#entries.has(key)) await this.#write({ key });
  }

  async #write(entry: StateEntry): Promise<void> {
    await this.#append(entry);
    this.#apply(entry);
  }
}
