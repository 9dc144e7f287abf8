import { facets, valuesOf } from './list-query.ts';
import type { ApplicationRow } from './row.ts';

/** A value of a facet, one object for all rows that have it: counting is then an addition, and no look-up. */
export interface FacetValue {
  readonly text: string;
  /** Rows that have it, no matter who asks. */
  uses: number;
  /** The counting that `count` is of. */
  counting: number;
  count: number;
}

/** Of each facet, in the order of `facets`. */
export type RowValues = readonly (readonly FacetValue[])[];

/** The values that rows have of all facets. */
export class FacetValues {
  readonly #known = facets.map(() => new Map<string, FacetValue>());
  #countings = 0;

  take(row: ApplicationRow): RowValues {
    return facets.map((facet, index) => valuesOf(row, facet).map((text) => this.#use(index, text)));
  }

  /** The row is no more. */
  release(values: RowValues): void {
    for (const [index, ofFacet] of values.entries())
      for (const value of ofFacet) if (--value.uses === 0) this.#known[index]?.delete(value.text);
  }

  /** Begins a counting; it must be read before the next begins. */
  count(): FacetCounting {
    this.#countings += 1;
    return new FacetCounting(this.#countings);
  }

  /** The counts of all rows. */
  whole(): Pick<FacetCounting, 'most'> {
    return { most: (facet, limit) => mostOf([...(this.#known[facet]?.values() ?? [])], ({ uses }) => uses, limit) };
  }

  #use(index: number, text: string): FacetValue {
    const known = this.#known[index] as Map<string, FacetValue>;
    const value = known.get(text) ?? { text, uses: 0, counting: 0, count: 0 };
    value.uses += 1;
    known.set(text, value);
    return value;
  }
}

/** The values of each facet with their counts, most first. */
export class FacetCounting {
  readonly #number: number;
  readonly #found: FacetValue[][] = facets.map(() => []);

  constructor(number: number) {
    this.#number = number;
  }

  /** One more row that has these values, of all facets or of the one at this place. */
  add(values: RowValues, only?: number): void {
    if (only !== undefined) this.#add(only, values);
    else for (let facet = 0; facet < values.length; facet++) this.#add(facet, values);
  }

  /** Of a facet, most first. */
  most(facet: number, limit: number): (readonly [value: string, count: number])[] {
    return mostOf(this.#found[facet] ?? [], ({ count }) => count, limit);
  }

  #add(facet: number, values: RowValues): void {
    for (const value of values[facet] as readonly FacetValue[]) {
      if (value.counting !== this.#number) {
        value.counting = this.#number;
        value.count = 0;
        this.#found[facet]?.push(value);
      }
      value.count += 1;
    }
  }
}

function mostOf(
  values: readonly FacetValue[],
  countOf: (value: FacetValue) => number,
  limit: number,
): (readonly [value: string, count: number])[] {
  return values
    .map((value) => [value.text, countOf(value)] as const)
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, limit);
}
