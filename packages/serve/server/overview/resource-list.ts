import type { Application } from '@tiphys/api';
import { keyOf } from './application-index.ts';
import { ListQueryError, readCount } from './list-query.ts';
import { rowOf } from './row.ts';

/** What resources are counted and filtered by. */
const facets = ['health', 'sync', 'kind', 'namespace', 'cluster', 'project', 'application'] as const;
type Facet = (typeof facets)[number];

/** One object that an application manages. What is unknown is empty. */
interface ResourceRow {
  /** `namespace/name` of the application. */
  readonly application: string;
  readonly project: string;
  readonly cluster: string;
  readonly group: string;
  /** `Kind`, or `Kind.group`. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly health: string;
  readonly reason: string;
  readonly sync: string;
}

interface ResourceQuery {
  /** Words in lower case, all of which must occur. */
  readonly words: readonly string[];
  readonly chosen: ReadonlyMap<Facet, ReadonlySet<string>>;
  readonly offset: number;
  readonly limit: number;
}

interface ResourceAnswer {
  readonly items: readonly ResourceRow[];
  /** How many match, and how many there are that the caller may see. */
  readonly total: number;
  readonly all: number;
  /** For each facet the values of those that match the other filters, most first, with how many have them. */
  readonly counts: Readonly<Record<Facet, readonly (readonly [value: string, count: number])[]>>;
}

/** Most rows of one answer, values of one facet that are given or told, and words. */
const most = { rows: 500, values: 100, words: 20 };

/** Reads `text`, a parameter for each facet as often as there are values, `offset` and `limit` (100 if absent, 500 at most). */
export function readResourceQuery(search: URLSearchParams): ResourceQuery {
  const chosen = new Map<Facet, ReadonlySet<string>>();
  for (const facet of facets) {
    const values = search.getAll(facet);
    if (values.length > most.values) throw new ListQueryError(`${facet} is given more than ${most.values} times`);
    if (values.length > 0) chosen.set(facet, new Set(values));
  }
  const words = (search.get('text') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length > most.words) throw new ListQueryError(`text has more than ${most.words} words`);
  return {
    words,
    chosen,
    offset: readCount(search, 'offset', 0, Number.MAX_SAFE_INTEGER),
    limit: readCount(search, 'limit', 100, most.rows),
  };
}

/** What all applications manage, worst first: filtered, counted by facet, and cut. */
export function listResources(applications: Iterable<Application>, query: ResourceQuery): ResourceAnswer {
  const counts = new Map<Facet, Map<string, number>>(facets.map((facet) => [facet, new Map()]));
  const found: ResourceRow[] = [];
  let all = 0;
  for (const application of applications)
    for (const row of rowsOf(application)) {
      all += 1;
      if (!hasWords(row, query.words)) continue;
      // a facet counts what it would find if another of its values were chosen
      const failed = [...query.chosen].filter(([facet, values]) => !values.has(row[facet])).map(([facet]) => facet);
      if (failed.length > 1) continue;
      for (const facet of failed.length === 0 ? facets : failed) {
        const values = counts.get(facet);
        if (row[facet] !== '') values?.set(row[facet], (values.get(row[facet]) ?? 0) + 1);
      }
      if (failed.length === 0) found.push(row);
    }
  found.sort((a, b) => rank(a) - rank(b) || compare(a, b));
  return {
    items: found.slice(query.offset, query.offset + query.limit),
    total: found.length,
    all,
    counts: Object.fromEntries(
      [...counts].map(([facet, values]) => [
        facet,
        [...values].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, most.values),
      ]),
    ) as unknown as ResourceAnswer['counts'],
  };
}

function* rowsOf(application: Application): Iterable<ResourceRow> {
  const { project, cluster } = rowOf(application);
  const key = keyOf(application);
  for (const { group = '', kind = '', namespace = '', name = '', health, status } of application.status?.resources ??
    [])
    yield {
      application: key,
      project,
      cluster,
      group,
      kind: group ? `${kind}.${group}` : kind,
      namespace,
      name,
      health: health?.status ?? '',
      reason: health?.message ?? '',
      sync: status ?? '',
    };
}

function hasWords(row: ResourceRow, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = `${row.kind} ${row.namespace}/${row.name} ${row.application}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Worst first: unwell, then what differs, then the rest. */
const healths = ['Degraded', 'Missing', 'Unknown', 'Progressing', 'Suspended'];
function rank({ health, sync }: ResourceRow): number {
  const place = healths.indexOf(health);
  return place >= 0 ? place : healths.length + (sync === 'OutOfSync' ? 0 : 1);
}

function compare(a: ResourceRow, b: ResourceRow): number {
  for (const part of ['application', 'kind', 'namespace', 'name'] as const)
    if (a[part] !== b[part]) return a[part] < b[part] ? -1 : 1;
  return 0;
}
