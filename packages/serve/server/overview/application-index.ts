import type { Application } from '@tiphys/api';
import { type FacetCounting, FacetValues, type RowValues } from './facet-values.ts';
import { type Facet, facets, type ListQuery, type Sort } from './list-query.ts';
import { type ApplicationRow, rowOf, searchTextOf, urgency } from './row.ts';
import { SortedEntries } from './sorted-entries.ts';

export interface Entry {
  /** `namespace/name`. */
  readonly key: string;
  readonly row: ApplicationRow;
  readonly text: string;
  readonly values: RowValues;
  /** Name for RBAC: with the project, and with the namespace outside the control plane's. */
  readonly rbacName: string;
}

/** What became of an application: `before` is undefined for a new one, `after` for a deleted one. */
export interface EntryChange {
  readonly key: string;
  readonly version: number;
  readonly before: Entry | undefined;
  readonly after: Entry | undefined;
}

export interface ListAnswer {
  readonly items: readonly ApplicationRow[];
  /** How many match, and how many there are that the caller may see. */
  readonly total: number;
  readonly all: number;
  /** For each facet the values of those that match the other filters, most first, with how many have them. */
  readonly counts: Readonly<Record<Facet, readonly (readonly [value: string, count: number])[]>>;
}

/** Values of a facet that are told. */
const mostValues = 100;
/** Changes that are remembered for who asks what happened since a version. */
const remembered = 4096;

export const keyOf = ({ metadata }: Pick<Application, 'metadata'>) => `${metadata.namespace}/${metadata.name}`;

/** All applications as rows, in the orders that were asked for, so that a page of 10,000 costs no sorting. */
export class ApplicationIndex {
  /** Grows with each change. */
  version = 0;
  readonly #rbacName: (application: Application) => string;
  readonly #values = new FacetValues();
  readonly #entries = new Map<string, Entry>();
  readonly #orders = new Map<Sort, SortedEntries<Entry>>();
  readonly #changes: EntryChange[] = [];
  readonly #listeners = new Set<(change: EntryChange) => void>();

  constructor(rbacName: (application: Application) => string) {
    this.#rbacName = rbacName;
    // the order that everybody begins with is kept from the start; the first one who comes does not wait for it
    this.#ordered('urgency');
  }

  set(application: Application): void {
    const row = rowOf(application);
    const key = keyOf(application);
    const values = this.#values.take(row);
    this.#put(key, { key, row, text: searchTextOf(row), values, rbacName: this.#rbacName(application) });
  }

  delete(key: string): void {
    if (this.#entries.has(key)) this.#put(key, undefined);
  }

  subscribe(listener: (change: EntryChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Changes after a version; undefined if they are forgotten, or the version is none of ours. */
  since(version: number): readonly EntryChange[] | undefined {
    const oldest = this.#changes[0]?.version ?? this.version + 1;
    if (!Number.isSafeInteger(version) || version > this.version || version < oldest - 1) return undefined;
    return this.#changes.filter((change) => change.version > version);
  }

  list(query: ListQuery, may: (entry: Entry) => boolean): ListAnswer {
    // of a list that nothing is left out of, every value's count is known
    const narrowed = query.words.length > 0 || query.only !== undefined || query.chosen.size > 0;
    if (!narrowed) {
      const visible = this.#ordered(query.sort).filter(may);
      if (visible.length === this.#entries.size)
        return answerOf(query, { matching: visible, all: visible.length, counts: this.#values.whole() });
    }
    const counts = this.#values.count();
    const matching: Entry[] = [];
    let all = 0;
    for (const entry of this.#ordered(query.sort).all()) {
      if (!may(entry)) continue;
      all += 1;
      if (!textMatches(query, entry)) continue;
      const failed = failedFacets(query, entry);
      if (failed.length === 0) matching.push(entry);
      // a facet tells what it could be changed to, so its own filter does not count
      if (failed.length > 1) continue;
      counts.add(entry.values, failed[0]);
    }
    return answerOf(query, { matching, all, counts });
  }

  #put(key: string, after: Entry | undefined): void {
    const before = this.#entries.get(key);
    if (before) this.#values.release(before.values);
    if (after) this.#entries.set(key, after);
    else this.#entries.delete(key);
    for (const order of this.#orders.values()) {
      if (before) order.delete(before);
      if (after) order.add(after);
    }
    this.version += 1;
    const change = { key, version: this.version, before, after };
    this.#changes.push(change);
    if (this.#changes.length > remembered) this.#changes.splice(0, remembered / 4);
    for (const listener of this.#listeners) listener(change);
  }

  #ordered(sort: Sort): SortedEntries<Entry> {
    const known = this.#orders.get(sort);
    if (known) return known;
    const order = new SortedEntries<Entry>((entry) => sortKeyOf(entry, sort), this.#entries.values());
    this.#orders.set(sort, order);
    return order;
  }
}

/** The page that a query asks for, of what matches in the order of its sort. */
function answerOf(
  { descending, offset, limit }: ListQuery,
  { matching, all, counts }: { matching: readonly Entry[]; all: number; counts: Pick<FacetCounting, 'most'> },
): ListAnswer {
  const { length } = matching;
  const page = descending
    ? matching.slice(Math.max(0, length - offset - limit), Math.max(0, length - offset)).reverse()
    : matching.slice(offset, offset + limit);
  return {
    items: page.map(({ row }) => row),
    total: length,
    all,
    counts: Object.fromEntries(
      facets.map((facet, index) => [facet, counts.most(index, mostValues)]),
    ) as unknown as ListAnswer['counts'],
  };
}

/** Texts that sort as a list does; equal ones never occur, as the key is at the end. */
export function sortKeyOf({ key, row }: Entry, sort: Sort): string {
  const last = `\u0000${row.name}\u0000${key}`;
  if (sort === 'urgency') return `${urgency(row)}${last}`;
  return `${sort === 'name' ? '' : row[sort]}${last}`;
}

function textMatches({ words, only }: ListQuery, { key, text }: Entry): boolean {
  return (only === undefined || only.has(key)) && words.every((word) => text.includes(word));
}

/** Places in `facets` of those by whose filters it does not match. */
function failedFacets({ chosen }: ListQuery, { values }: Entry): readonly number[] {
  if (chosen.size === 0) return none;
  const failed: number[] = [];
  for (const [facet, wanted] of chosen) {
    const index = facets.indexOf(facet);
    if (!values[index]?.some(({ text }) => wanted.has(text))) failed.push(index);
  }
  return failed;
}

const none: readonly number[] = [];

export function matches(query: ListQuery, entry: Entry): boolean {
  return textMatches(query, entry) && failedFacets(query, entry).length === 0;
}
