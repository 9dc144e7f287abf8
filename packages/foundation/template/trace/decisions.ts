import { type Origin, type Source, unite } from '../value/trace/source.ts';

/** What conditions read while they are evaluated. */
export class Decisions {
  /** By the condition that is being evaluated; it may be inside of a helper that another one asks. */
  #read: Set<Source> | undefined;
  readonly #outer: (Set<Source> | undefined)[] = [];
  #decisive: Set<Source> | undefined;

  /** A condition is about to be evaluated. */
  begin(): void {
    this.#outer.push(this.#read);
    this.#read = new Set();
  }

  read(source: Source): void {
    this.#read?.add(source);
  }

  /** The condition has been evaluated. */
  end(): void {
    this.#decisive = this.#read;
    this.#read = this.#outer.pop();
    // What decides inside of a helper decides for whom the helper answers.
    if (this.#read) for (const source of this.#decisive ?? []) this.#read.add(source);
  }

  reset(): void {
    this.#read = undefined;
    this.#outer.length = 0;
  }

  /** What the last condition read, without the tables on the way to it. */
  source(): Source | undefined {
    const sources = [...(this.#decisive ?? [])];
    const ways = new Set<Origin | undefined>();
    for (const { origins } of sources)
      for (const origin of origins) if (origin.kind === 'data') ways.add(origin.parent);
    return unite(sources.filter(({ exact, origins }) => !exact || !ways.has(origins[0])));
  }
}
