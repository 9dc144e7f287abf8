import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryCluster } from '../../../foundation/controller/testing/index.ts';
import type { Pod } from '../objects/kinds.ts';
import { PodIndex } from './pod-index.ts';

function pod(name: string, owner?: string, namespace = 'shop'): Pod {
  const reference = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', controller: true, uid: owner ?? '' };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, ...(owner ? { ownerReferences: [reference] } : {}) },
  };
}

test('pods are found by namespace and by the ReplicaSet that they belong to, until they go or change hands', () => {
  const cluster = new MemoryCluster();
  cluster.put(pod('a', 'set-1'));
  const index = new PodIndex(cluster.view<Pod>('Pod'));
  const of = (uid: string) => index.ofOwner(uid).map(({ metadata }) => metadata.name);
  cluster.put(pod('b', 'set-1'));
  cluster.put(pod('c', 'set-2'));
  cluster.put(pod('a', 'set-3', 'other'));
  cluster.put(pod('orphan'));
  assert.deepEqual([of('set-1'), of('set-2'), of('set-3'), of('none')], [['a', 'b'], ['c'], ['a'], []]);
  assert.deepEqual(
    index.inNamespace('shop').map(({ metadata }) => metadata.name),
    ['a', 'b', 'c', 'orphan'],
  );
  cluster.put(pod('b', 'set-2'));
  cluster.put(pod('orphan', 'set-2'));
  cluster.remove({ apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'c' });
  assert.deepEqual([of('set-1'), of('set-2')], [['a'], ['b', 'orphan']]);
  cluster.put(pod('orphan'));
  assert.deepEqual(of('set-2'), ['b']);
});
