import type { Application } from '@tiphys/api';
import type { ShardedCluster } from '../settings/shard-algorithms.ts';
import type { ClusterRegistry } from './cluster-registry.ts';
import { secretText } from './cluster-secret.ts';

/** What shards are made of: the registered clusters with the number of their applications. */
export function shardedClusters(
  clusters: Pick<ClusterRegistry, 'list'>,
  applications: Iterable<Application>,
): ShardedCluster[] {
  const counts = new Map<string, number>();
  for (const { spec } of applications) {
    const server = spec.destination.server ?? '';
    counts.set(server, (counts.get(server) ?? 0) + 1);
  }
  return clusters.list().map(({ server, secret }) => {
    const shard = secret ? secretText(secret, 'shard') : '';
    return {
      server,
      id: secret?.metadata.uid ?? '',
      applications: counts.get(server) ?? 0,
      ...(/^\d+$/.test(shard) ? { shard: Number(shard) } : {}),
    };
  });
}
