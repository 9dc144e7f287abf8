import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { type Client, type Clock, LeaderLease } from '@tiphys/kubernetes';
import { type ShardedCluster, type ShardingAlgorithm, shardsOf } from './shard-algorithms.ts';

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

/** Who of this process competes for leases; a holder that is not here any more has gone. */
const here = new Set<string>();

/**
 * Which clusters this process delivers to. Each shard is a Lease: whoever holds it acts for the clusters of the shard, everybody
 * else watches. So replicas never act for one cluster at once, and one that dies is followed by another.
 */
export class ClusterShards {
  readonly #options: ClusterShardsOptions;
  readonly #held = new Map<number, AbortSignal>();
  #assignment: { at: number; shards: Map<string, number> } | undefined;

  constructor(options: ClusterShardsOptions) {
    this.#options = options;
  }

  /** Competes until the signal aborts; resolves when all leases are given back. */
  async run(signal: AbortSignal): Promise<void> {
    const { shard, competes } = this.#options;
    if (!competes) return;
    const all = Array.from({ length: this.#replicas }, (_, index) => index);
    const wanted = shard === undefined ? all : [shard];
    await Promise.all(wanted.map((each) => this.#compete(each, signal)));
  }

  /** Clusters have come, gone or changed. */
  reassign(): void {
    this.#assignment = undefined;
  }

  /** Aborts when this process no longer acts for the cluster; undefined if it does not. */
  hold(server: string): AbortSignal | undefined {
    return this.#held.get(this.shardOf(server));
  }

  get #replicas(): number {
    return Math.max(1, this.#options.replicas ?? 1, (this.#options.shard ?? 0) + 1);
  }

  /** The shard that a cluster is in, by the number of replicas that this process knows. */
  shardOf(server: string): number {
    if (this.#replicas === 1) return 0;
    const now = this.#options.clock.now();
    if (!this.#assignment || now - this.#assignment.at >= 1_000)
      this.#assignment = {
        at: now,
        shards: shardsOf(this.#options.clusters(), this.#replicas, this.#options.algorithm()),
      };
    return this.#assignment.shards.get(server) ?? 0;
  }

  async #compete(shard: number, signal: AbortSignal): Promise<void> {
    const { client, namespace, clock, onChange, onError } = this.#options;
    const identity = `${hostname()}_${process.pid}_${randomBytes(4).toString('hex')}`;
    const lease = new LeaderLease(client, { namespace, name: shardLease(shard), identity, clock, isGone });
    let told: string | undefined;
    const report = setInterval(() => {
      const { error, leading } = lease.state();
      if (error && !leading && error.message !== told) onError(`shard ${shard}`, new Error(error.message));
      told = error?.message;
    }, 5_000);
    here.add(identity);
    try {
      await lease.run(signal, {
        onStarted: (lost) => {
          this.#held.set(shard, lost);
          lost.addEventListener(
            'abort',
            () => {
              this.#held.delete(shard);
              if (!signal.aborted) onChange();
            },
            { once: true },
          );
          onChange();
        },
      });
    } finally {
      clearInterval(report);
      here.delete(identity);
    }
  }
}

/**
 * Whether a holder on this machine is known to be dead, so that a restart need not wait for its lease to end. Other machines
 * are never judged: `hostname_pid_random`.
 */
function isGone(identity: string): boolean {
  const match = /^(.+)_(\d+)_[0-9a-f]{8}$/.exec(identity);
  if (!match || match[1] !== hostname()) return false;
  const pid = Number(match[2]);
  if (pid === process.pid) return !here.has(identity);
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
