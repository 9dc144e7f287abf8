import { type Entry, type EntryChange, matches, sortKeyOf } from './application-index.ts';
import type { FacetValue } from './facet-values.ts';
import type { ListQuery } from './list-query.ts';
import type { ApplicationRow } from './row.ts';

/** What became of a list, for who shows a part of it. */
export interface ChangeBatch {
  /** The version that the list has now. */
  readonly version: string;
  /** Rows that match and have changed. */
  readonly rows: readonly ApplicationRow[];
  /** Whether order, counts or membership have changed, so that what is shown must be read again. */
  readonly stale: boolean;
}

/** So many rows go out at once; beyond them the list is read again. */
const mostRows = 200;

/** Several changes as one: of each application the first state and the last. */
export function mergeChanges(changes: readonly EntryChange[]): EntryChange[] {
  const merged = new Map<string, EntryChange>();
  for (const change of changes) {
    const earlier = merged.get(change.key);
    merged.set(change.key, earlier ? { ...change, before: earlier.before } : change);
  }
  return [...merged.values()];
}

/** What changes are to a caller with a query; undefined if nothing. `may` decides what the caller sees. */
export function batchOf(
  changes: readonly EntryChange[],
  query: ListQuery,
  may: (entry: Entry) => boolean,
): Omit<ChangeBatch, 'version'> | undefined {
  const rows: ApplicationRow[] = [];
  let stale = false;
  for (const { before, after } of mergeChanges(changes)) {
    const old = before && may(before) ? before : undefined;
    const now = after && may(after) ? after : undefined;
    if (!old && !now) continue;
    stale ||= !old || !now || !sameForList(old, now, query);
    if (now && matches(query, now)) rows.push(now.row);
  }
  if (rows.length === 0 && !stale) return undefined;
  return rows.length > mostRows ? { rows: [], stale: true } : { rows, stale };
}

/** Whether a list with this query has the same members, order and counts with either. */
function sameForList(old: Entry, now: Entry, query: ListQuery): boolean {
  return (
    sortKeyOf(old, query.sort) === sortKeyOf(now, query.sort) &&
    matches(query, old) === matches(query, now) &&
    old.values.every((values, facet) => sameValues(values, now.values[facet]))
  );
}

function sameValues(one: readonly FacetValue[], other: readonly FacetValue[] = []): boolean {
  return one.length === other.length && one.every(({ text }, index) => text === other[index]?.text);
}
