import { request } from './client.ts';
import type { Diagnosis } from './model.ts';

interface KindOfVersion {
  group: string;
  version: string;
  kind: string;
}

/** A use of a version of an API that a release of Kubernetes removes or deprecates. */
export interface ApiUse {
  origin: 'git' | 'rendered' | 'live' | 'stored' | 'call';
  api: KindOfVersion & {
    removed?: [number, number];
    replacement?: KindOfVersion;
    /** Of a custom resource: the definition that gives the version up. */
    definition?: { name: string; served: boolean; warning: string };
  };
  state: 'removed' | 'deprecated';
  object?: string;
  file?: string;
  line?: number;
  commit?: { revision: string; author: string; at: string };
  /** `namespace/name` */
  application?: string;
  chart?: string;
  manager?: string;
  at?: string;
  caller?: {
    userAgent: string;
    user: string;
    verbs: string[];
    count: number;
    first: string;
    last: string;
    pod?: string;
    workload?: string;
  };
  change?: { line: number; before: string; after: string; patch: string };
  byHand?: string;
  newerChart?: { version: string; mends: boolean };
}

export interface UpgradeReport {
  target: string;
  uses: ApiUse[];
  /** What stands in the way of drains and nodes. */
  readiness: Diagnosis[];
  /** What could not be looked at. */
  unseen: string[];
}

export const upgradeApi = {
  /** What an upgrade of a cluster meets; of the control plane's own without `cluster`. */
  check: (to: string, cluster: string | undefined) =>
    request<UpgradeReport>('GET', 'upgrade', { root: 'api/tiphys/v1', query: { to, cluster } }),
};
