import { request } from './client.ts';

export interface ApplicationRow {
  namespace: string;
  name: string;
  project: string;
  health: string;
  sync: string;
  operation: string;
  autoSync: 'on' | 'off';
  repository: string;
  path: string;
  targetRevision: string;
  revision: string;
  sources: number;
  cluster: string;
  destination: string;
  labels: Record<string, string>;
  created: string;
  deployed: string;
  deleting: boolean;
  /** Annotations `notice.argocd.argoproj.io/…` without their prefix. */
  notice?: Record<string, string>;
  problem?: { code: string; message: string; notice: boolean };
}

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
export type Counts = Readonly<Record<Facet, readonly (readonly [value: string, count: number])[]>>;

export interface ApplicationList {
  items: ApplicationRow[];
  /** How many match, and how many there are. */
  total: number;
  all: number;
  counts: Counts;
  version: string;
}

export interface ListChange {
  version: string;
  rows: ApplicationRow[];
  stale: boolean;
}

/** Rows of one request. */
export const pageSize = 100;

/** `query` is that of the address of the API's list, without its place. */
export function readApplications(query: string, page: number): Promise<ApplicationList> {
  const search = new URLSearchParams(query);
  search.set('offset', String(page * pageSize));
  search.set('limit', String(pageSize));
  return request<ApplicationList>('GET', `applications?${search}`, { root: 'api/tiphys/v1' });
}

/** All that match, for what is done to many. */
export async function readAllApplications(query: string): Promise<ApplicationRow[]> {
  const rows: ApplicationRow[] = [];
  for (let total = 1; rows.length < total; ) {
    const search = new URLSearchParams(query);
    search.set('offset', String(rows.length));
    search.set('limit', '500');
    const answer = await request<ApplicationList>('GET', `applications?${search}`, { root: 'api/tiphys/v1' });
    if (answer.items.length === 0) break;
    rows.push(...answer.items);
    total = answer.total;
  }
  return rows;
}
