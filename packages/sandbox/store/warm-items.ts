/** What keeps its value for as long as it has a place. */
interface WarmItem {
  /** Whether it was used since it was asked last. */
  isUsed(): boolean;
  /** Keeps its text alone. */
  pack(): void;
}

/**
 * The items whose objects are kept as values besides their texts: those used last, as many as there are places. Text is
 * a third of the memory, and reading it takes microseconds. A sweep through everything does not drive out what is used
 * again and again.
 */
export class WarmItems {
  readonly #places: (WarmItem | undefined)[];
  #hand = 0;

  constructor(places: number) {
    this.#places = new Array<WarmItem | undefined>(places).fill(undefined);
  }

  /** Gives the item the place of one that was not used since the hand came by last. */
  add(item: WarmItem): void {
    for (;;) {
      const held = this.#places[this.#hand];
      if (!held?.isUsed()) {
        held?.pack();
        this.#places[this.#hand] = item;
        this.#hand = (this.#hand + 1) % this.#places.length;
        return;
      }
      this.#hand = (this.#hand + 1) % this.#places.length;
    }
  }
}
