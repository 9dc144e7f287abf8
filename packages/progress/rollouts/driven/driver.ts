import type { Rollout } from '@tiphys/api';
import type { Client } from '@tiphys/kubernetes';
import type { Pod } from '../objects/kinds.ts';
import type { ReplicaSet } from '../objects/replica-set.ts';

/** What a driver works with in one pass. */
export interface Driving {
  readonly client: Client;
  /** In milliseconds. */
  readonly now: number;
  /** The Rollout as it was read, with its status. */
  readonly rollout: Rollout;
  /** False if a budget forbids it now. */
  evict(pod: Pod): Promise<boolean>;
  event(type: 'Normal' | 'Warning', reason: string, message: string): void;
  requeueIn(milliseconds: number): void;
}

/**
 * Moves the pods of a workload whose own controller replaces them. Its revisions are shown to the steps of a canary as ReplicaSets:
 * how many pods each is to have, and how many it has.
 */
export interface WorkloadDriver {
  /** The Rollout with the number of pods that the workload is to have. */
  readonly rollout: Rollout;
  readonly revisions: readonly ReplicaSet[];
  /** Of the template that the workload has now. */
  readonly desired: ReplicaSet;
  podsOf(revision: ReplicaSet): readonly Pod[];
  /** Goes towards so many pods of the wanted revision; tells whether anything was done. */
  drive(driving: Driving, count: number): Promise<boolean>;
}
