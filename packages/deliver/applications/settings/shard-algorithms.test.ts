import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ShardedCluster, shardsOf } from './shard-algorithms.ts';

const clusters: ShardedCluster[] = [
  { server: 'https://kubernetes.default.svc', id: '', applications: 5 },
  ...['b9f7c1de', '0c3a55e1', 'f00dcafe', '7e57ab1e', '5eed0001', '5eed0002'].map((id, index) => ({
    server: `https://cluster-${index}`,
    id,
    applications: index * 10,
  })),
];

/** Recorded from Argo CD 3.5.1. */
test('the algorithms assign as Argo CD does', () => {
  const by = (algorithm: Parameters<typeof shardsOf>[2]) => Object.fromEntries(shardsOf(clusters, 3, algorithm));
  const own = 'https://kubernetes.default.svc';
  // fnv-1a of the UID modulo replicas; what has no UID is the first shard's
  assert.deepEqual(by('legacy'), {
    [own]: 0,
    'https://cluster-0': 1,
    'https://cluster-1': 1,
    'https://cluster-2': 0,
    'https://cluster-3': 2,
    'https://cluster-4': 0,
    'https://cluster-5': 0,
  });
  // rank by UID modulo replicas
  assert.deepEqual(by('round-robin'), {
    [own]: 0,
    'https://cluster-1': 1,
    'https://cluster-4': 2,
    'https://cluster-5': 0,
    'https://cluster-3': 1,
    'https://cluster-0': 2,
    'https://cluster-2': 0,
  });
  assert.deepEqual(by('consistent-hashing'), {
    [own]: 1,
    'https://cluster-1': 2,
    'https://cluster-4': 1,
    'https://cluster-5': 2,
    'https://cluster-3': 0,
    'https://cluster-0': 1,
    'https://cluster-2': 1,
  });
});

test('a shard that the Secret names wins; one that does not exist is the first', () => {
  const named = (shard: number) =>
    shardsOf([{ server: 'a', id: 'x', shard, applications: 0 }], 2, 'round-robin').get('a');
  assert.equal(named(1), 1);
  assert.equal(named(7), 0);
});

test('the order in which clusters are listed decides nothing', () => {
  for (const algorithm of ['legacy', 'round-robin', 'consistent-hashing'] as const) {
    const sorted = (map: Map<string, number>) => [...map].sort();
    assert.deepEqual(sorted(shardsOf(clusters, 4, algorithm)), sorted(shardsOf([...clusters].reverse(), 4, algorithm)));
  }
});
