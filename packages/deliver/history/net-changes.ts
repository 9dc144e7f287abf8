import type { HistoryEntry, HistoryPatch } from './record.ts';

/** What became of one field of an object between two times. */
export interface NetChange {
  readonly application: string;
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Empty where the object as a whole was made or deleted. */
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
  /** The plan's word for the last change: `create`, `apply`, `prune`. */
  readonly action: string;
  /** Each once, in the order of their first change. */
  readonly actors: readonly string[];
  /** Of the last sync that changed it. */
  readonly revision: string;
  /** RFC 3339, of the last change. */
  readonly time: string;
}

/**
 * The first value before and the last value after of every field that syncs changed, from entries in any order; what came back to
 * what it was is left out. Sorted by application, object and path.
 */
export function netChanges(entries: readonly HistoryEntry[]): NetChange[] {
  const found = new Map<string, NetChange>();
  for (const entry of entries.filter(({ kind }) => kind === 'SyncStarted').sort((a, b) => a.id - b.id)) {
    const revision = [entry.detail['revisions'] ?? []].flat().map(String).join(', ');
    for (const patch of patchesOf(entry))
      for (const { path, before, after } of patch.fields.length > 0
        ? patch.fields
        : ([{ path: '' }] as HistoryPatch['fields'])) {
        const { group, kind, namespace, name, action } = patch;
        const key = JSON.stringify([entry.application, group, kind, namespace, name, path]);
        const known = found.get(key);
        const actors = known?.actors.includes(entry.actor) ? known.actors : [...(known?.actors ?? []), entry.actor];
        const first = known ? known.before : before;
        found.set(key, {
          application: entry.application,
          group,
          kind,
          namespace,
          name,
          path,
          ...(first === undefined ? {} : { before: first }),
          ...(after === undefined ? {} : { after }),
          action,
          actors,
          revision,
          time: entry.time,
        });
      }
  }
  return [...found]
    .filter(([, change]) => change.path === '' || JSON.stringify(change.before) !== JSON.stringify(change.after))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, change]) => change);
}

function patchesOf({ detail }: HistoryEntry): readonly HistoryPatch[] {
  return Array.isArray(detail['patches']) ? (detail['patches'] as HistoryPatch[]) : [];
}
