import type { Rollout } from '@tiphys/api';
import type { Announcement } from '@tiphys/controller';
import type { PluginHost } from '@tiphys/step-plugins';
import type { TargetGroupsOptions, TrafficRouter } from '@tiphys/traffic';
import type { Cluster } from '../cluster/cluster.ts';
import type { Configurations } from '../configuration/configurations.ts';
import type { Pod } from '../objects/kinds.ts';
import type { EndpointSlice } from '../routing/endpoints.ts';
import type { FieldError } from '../validate/field-error.ts';
import type { Turn } from './turn.ts';
import type { Workloads } from './workloads.ts';

/** What all passes over Rollouts share. */
export interface RolloutsContext {
  readonly cluster: Cluster;
  readonly plugins: PluginHost;
  readonly workloads: Workloads;
  readonly configurations: Configurations;
  /** The routers that a Rollout names, in upstream's order. */
  readonly routers: (turn: Turn) => Promise<readonly TrafficRouter[]>;
  /** What is wrong with the objects of the routers that the Rollout names. */
  readonly validateRouters: (rollout: Rollout) => Promise<readonly FieldError[]>;
  /** Whether a DestinationRule that the Rollout manages has a subset of these pods. */
  readonly isInDestinationRule: (rollout: Rollout, hash: string) => Promise<boolean>;
  /** Pods of a namespace that carry a hash. */
  readonly pods: (namespace: string) => readonly Pod[];
  /** What a Service leads to, as the API server has it now; undefined if that may not be read. */
  readonly endpoints: (namespace: string, service: string) => Promise<readonly EndpointSlice[] | undefined>;
  /** Where it is verified that AWS load balancers have the pods; absent if that is not asked for. */
  readonly targetGroups?: TargetGroupsOptions | undefined;
  /** Evicts a pod through the eviction API; throws TooManyRequests if a budget forbids it. */
  readonly evict: (pod: { namespace: string; name: string }) => Promise<void>;
  /** When a status is written in which nothing but numbers changed, for a turn of a Rollout at `now`; at once if absent. */
  readonly numbersDue?: (now: number, rollout: string) => number;
  /** Tells of a Rollout at once: what was done is told even if the pass ends with a conflict. */
  readonly tell: (rollout: Rollout, announcement: Announcement) => void;
}

/** What is remembered of a Rollout between passes; it may be lost at any moment. */
export interface RolloutMemory {
  /** Since when endpoints are waited for, in milliseconds. */
  endpointsAwaited?: number | undefined;
  /** When numbers that changed since the last write of the status are written, if nothing else is before. */
  numbersDue?: number | undefined;
}
