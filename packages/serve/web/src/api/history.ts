import { request } from './client.ts';

export const recordKinds = [
  'SyncStarted',
  'SyncEnded',
  'Drift',
  'Health',
  'Rendered',
  'Held',
  'Quarantined',
  'Released',
  'Acted',
] as const;
export type RecordKind = (typeof recordKinds)[number];

/** One decision about an application. */
export interface HistoryEntry {
  id: number;
  /** RFC 3339. */
  time: string;
  kind: RecordKind;
  /** `namespace/name`. */
  application: string;
  project: string;
  namespace: string;
  actor: string;
  summary: string;
  objects: { group: string; kind: string; namespace: string; name: string }[];
  detail: Record<string, unknown>;
}

/** What became of one field between two times. */
export interface NetChange {
  application: string;
  group: string;
  kind: string;
  namespace: string;
  name: string;
  path: string;
  before?: unknown;
  after?: unknown;
  action: string;
  actors: string[];
  revision: string;
  time: string;
}

export interface HistoryQuery {
  since: string;
  until: string;
  application?: string | undefined;
  object?: string | undefined;
}

const root = 'api/tiphys/v1';

export const historyApi = {
  entries: (query: HistoryQuery, before?: number) =>
    request<{ items: HistoryEntry[]; next?: number }>('GET', 'history', {
      root,
      query: { ...query, before, limit: 500 },
    }),
  changes: (query: HistoryQuery) =>
    request<{ items: NetChange[]; partial?: boolean }>('GET', 'history/changes', { root, query: { ...query } }),
};
