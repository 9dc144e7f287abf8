import { createHash } from 'node:crypto';

export type ShardingAlgorithm = 'legacy' | 'round-robin' | 'consistent-hashing';

/** What decides about the shard of a cluster. */
export interface ShardedCluster {
  readonly server: string;
  /** UID of its Secret; empty for the control plane's own without one. */
  readonly id: string;
  /** `shard` of the Secret. */
  readonly shard?: number;
  readonly applications: number;
}

/**
 * The shard of each cluster by its address; Argo CD's algorithms to the bit, so that its replicas and ours agree. A shard that the
 * Secret names wins if there is such a one.
 */
export function shardsOf(
  clusters: readonly ShardedCluster[],
  replicas: number,
  algorithm: ShardingAlgorithm,
): Map<string, number> {
  const sorted = [...clusters].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  const assigned =
    algorithm === 'round-robin'
      ? sorted.map((_, index) => index % replicas)
      : algorithm === 'consistent-hashing'
        ? byConsistentHashing(sorted, replicas)
        : sorted.map(({ id }) => (id === '' ? 0 : fnv32a(id) % replicas));
  return new Map(
    sorted.map(({ server, shard }, index) => {
      if (shard === undefined) return [server, assigned[index] ?? 0];
      return [server, shard < replicas ? shard : 0];
    }),
  );
}

function fnv32a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text, 'utf8')) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

/** Points of each shard on the ring. */
const pointsPerShard = 1000;

/** A ring with bounded loads: a cluster goes to the next point whose shard has less than 1.25 times the mean of applications. */
function byConsistentHashing(clusters: readonly ShardedCluster[], replicas: number): number[] {
  const ring = Array.from({ length: replicas * pointsPerShard }, (_, index) => {
    const shard = Math.floor(index / pointsPerShard);
    return { at: hash64(`${shard}${index % pointsPerShard}`), shard };
  }).sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const loads = new Array<number>(replicas).fill(0);
  return clusters.map(({ id, applications }) => {
    const total = loads.reduce((sum, load) => sum + load, 0);
    const mean = Math.floor((total + 1) / replicas) || 1;
    const bound = Math.ceil(mean * 1.25);
    const wanted = hash64(id);
    let first = ring.findIndex(({ at }) => at > wanted);
    if (first < 0) first = 0;
    let shard = ring[first]?.shard ?? 0;
    for (let step = 0; step < ring.length; step++) {
      shard = ring[(first + step) % ring.length]?.shard ?? 0;
      if ((loads[shard] ?? 0) < bound) break;
    }
    loads[shard] = (loads[shard] ?? 0) + applications;
    return shard;
  });
}

function hash64(text: string): bigint {
  return createHash('blake2b512').update(text).digest().readBigUInt64LE(0);
}
