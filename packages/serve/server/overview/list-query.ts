import type { ApplicationRow } from './row.ts';

/** What rows are counted and filtered by. */
export const facets = [
  'health',
  'sync',
  'operation',
  'autoSync',
  'project',
  'cluster',
  'destination',
  'repository',
  'targetRevision',
  'label',
] as const;
export type Facet = (typeof facets)[number];

export const sorts = ['urgency', 'name', 'project', 'health', 'sync', 'created', 'deployed'] as const;
export type Sort = (typeof sorts)[number];

/** Tells what of a query cannot be. */
export class ListQueryError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ListQueryError';
  }
}

export interface ListQuery {
  /** Words in lower case, all of which must occur. */
  readonly words: readonly string[];
  /** For each facet that is filtered by, the values one of which must be had. */
  readonly chosen: ReadonlyMap<Facet, ReadonlySet<string>>;
  /** `namespace/name` of those to choose from; undefined for all. */
  readonly only: ReadonlySet<string> | undefined;
  readonly sort: Sort;
  readonly descending: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** Most rows of one answer, values of one facet, words, and applications of `only`. */
const most = { rows: 500, values: 200, words: 20, only: 1000 };

/**
 * Reads the query of a list: `text`; a parameter for each facet, as often as there are values; `only` with `namespace/name,…`;
 * `sort` by a name of `sorts`, with `-` in front for the other way round; `offset` and `limit` (100 if absent, 500 at most).
 */
export function readListQuery(search: URLSearchParams): ListQuery {
  const chosen = new Map<Facet, ReadonlySet<string>>();
  for (const facet of facets) {
    const values = search.getAll(facet);
    if (values.length > most.values) throw new ListQueryError(`${facet} is given more than ${most.values} times`);
    if (values.length > 0) chosen.set(facet, new Set(values));
  }
  const only = search.get('only')?.split(',').filter(Boolean);
  if (only && only.length > most.only) throw new ListQueryError(`only names more than ${most.only} applications`);
  const words = (search.get('text') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length > most.words) throw new ListQueryError(`text has more than ${most.words} words`);
  const order = search.get('sort') ?? 'urgency';
  const sort = sorts.find((name) => name === order.replace(/^-/, ''));
  if (!sort)
    throw new ListQueryError(
      `sort is "${order}"; it can be ${sorts.join(', ')}, with - in front for the other way round`,
    );
  return {
    words,
    chosen,
    only: only && new Set(only),
    sort,
    descending: order.startsWith('-'),
    offset: readCount(search, 'offset', 0, Number.MAX_SAFE_INTEGER),
    limit: readCount(search, 'limit', 100, most.rows),
  };
}

/** A whole number of the query; throws what is none, or larger than `largest`. */
export function readCount(search: URLSearchParams, name: string, absent: number, largest: number): number {
  const text = search.get(name);
  if (text === null) return absent;
  const value = Number(text);
  if (!/^\d{1,15}$/.test(text) || value > largest)
    throw new ListQueryError(`${name} is "${text}"; it can be a whole number from 0 to ${largest}`);
  return value;
}

/** The values that a row has of a facet: one, but for labels. */
export function valuesOf(row: ApplicationRow, facet: Facet): readonly string[] {
  if (facet !== 'label') return [row[facet]];
  return Object.entries(row.labels).map(([name, value]) => `${name}=${value}`);
}
