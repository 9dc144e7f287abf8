import { request } from './client.ts';

/** What resources are filtered by, in the order in which it is shown. */
export const resourceFacets = ['health', 'sync', 'kind', 'namespace', 'project', 'cluster'] as const;
export type ResourceFacet = (typeof resourceFacets)[number];

/** One object that an application manages. */
export interface ResourceRow {
  /** `namespace/name` of the application. */
  application: string;
  project: string;
  cluster: string;
  group: string;
  /** `Kind`, or `Kind.group`. */
  kind: string;
  namespace: string;
  name: string;
  health: string;
  reason: string;
  sync: string;
}

interface ResourceList {
  items: ResourceRow[];
  total: number;
  all: number;
  counts: Record<ResourceFacet, [value: string, count: number][]>;
}

/** Rows of one answer. */
const resourcePage = 200;

export const readResources = (filter: Readonly<Record<string, readonly string[]>>, offset: number) =>
  request<ResourceList>('GET', 'resources', {
    root: 'api/tiphys/v1',
    query: { ...filter, offset, limit: resourcePage },
  });
