import { LeaseShards, type Permit } from '@tiphys/controller';
import type { Client, Clock } from '@tiphys/kubernetes';
import { type ShardedCluster, type ShardingAlgorithm, shardsOf } from '../settings/shard-algorithms.ts';

/** How the clusters are parted over replicas. */
export interface ShardingOptions {
  /** `ARGOCD_CONTROLLER_REPLICAS`; 1 if absent. */
  readonly replicas?: number;
  /** `ARGOCD_CONTROLLER_SHARD`: the only one that this process takes; it takes what is free if absent. */
  readonly shard?: number;
}

/** Name of the Lease of a shard. */
export function shardLease(shard: number): string {
  return `tiphys-controller-${shard}`;
}

export interface ClusterShardsOptions extends ShardingOptions {
  /** False in a process that only serves: it takes no shard, and stays an observer. */
  readonly competes: boolean;
  /** Who decides while the process runs whether it competes; always if absent. */
  readonly permit?: Permit | undefined;
  readonly client: Client;
  /** Of the control plane. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly algorithm: () => ShardingAlgorithm;
  readonly clusters: () => readonly ShardedCluster[];
  /** What this process has to do with clusters may have changed. */
  readonly onChange: () => void;
  readonly onError: (shard: string, error: unknown) => void;
}

/**
 * Which clusters this process delivers to. Each shard is a Lease: anyone who holds it acts for the clusters of the shard, everybody
 * else watches. So replicas never act for one cluster at once, and one that dies is followed by another.
 */
export class ClusterShards {
  readonly #options: ClusterShardsOptions;
  readonly #shards: LeaseShards;
  #assignment: { at: number; shards: Map<string, number> } | undefined;

  constructor(options: ClusterShardsOptions) {
    this.#options = options;
    const { replicas, shard, ...rest } = options;
    this.#shards = new LeaseShards({
      ...rest,
      ...(replicas === undefined ? {} : { count: replicas }),
      only: shard,
      leaseName: shardLease,
    });
  }

  /** Competes until the signal aborts; resolves when all leases are given back. */
  run(signal: AbortSignal): Promise<void> {
    return this.#shards.run(signal);
  }

  /** Clusters have come, gone or changed. */
  reassign(): void {
    this.#assignment = undefined;
  }

  /** Aborts when this process no longer acts for the cluster; undefined if it does not. */
  hold(server: string): AbortSignal | undefined {
    return this.#shards.hold(this.shardOf(server));
  }

  /** The shard that a cluster is in, by the number of replicas that this process knows. */
  shardOf(server: string): number {
    if (this.#shards.count === 1) return 0;
    const now = this.#options.clock.now();
    if (!this.#assignment || now - this.#assignment.at >= 1_000)
      this.#assignment = {
        at: now,
        shards: shardsOf(this.#options.clusters(), this.#shards.count, this.#options.algorithm()),
      };
    return this.#assignment.shards.get(server) ?? 0;
  }
}
