/** Values in the order of their keys, which no two share; a change costs a search by halves and a move of what follows. */
export class SortedEntries<T> {
  readonly #keyOf: (value: T) => string;
  readonly #items: { readonly key: string; readonly value: T }[];

  constructor(keyOf: (value: T) => string, values: Iterable<T>) {
    this.#keyOf = keyOf;
    this.#items = [...values]
      .map((value) => ({ key: keyOf(value), value }))
      .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  }

  add(value: T): void {
    const key = this.#keyOf(value);
    const at = this.#position(key);
    this.#items.splice(at, this.#items[at]?.key === key ? 1 : 0, { key, value });
  }

  delete(value: T): void {
    const key = this.#keyOf(value);
    const at = this.#position(key);
    if (this.#items[at]?.key === key) this.#items.splice(at, 1);
  }

  /** In their order, all of them. */
  all(): T[] {
    return this.#items.map(({ value }) => value);
  }

  filter(keeps: (value: T) => boolean): T[] {
    return this.all().filter(keeps);
  }

  /** Of the first item whose key is not less. */
  #position(key: string): number {
    let low = 0;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#items[middle] as { key: string }).key < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
