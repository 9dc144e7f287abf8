import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TreeNode } from '../api/model.ts';
import { filterTree } from './filter.ts';
import { buildNetwork } from './network.ts';
import { groupPods } from './pods.ts';

const node = (kind: string, name: string, more: Partial<TreeNode> = {}): TreeNode => ({
  kind,
  name,
  namespace: 'shop',
  uid: `${kind}-${name}`,
  ...more,
});
const pod = (name: string, app: string, health: string, host: string) =>
  node('Pod', name, {
    networkingInfo: { labels: { app, version: '1' } },
    health: { status: health },
    info: [{ name: 'Node', value: host }],
    parentRefs: [{ uid: 'ReplicaSet-web-1' }],
  });
const tree = [
  node('Ingress', 'web', {
    group: 'networking.k8s.io',
    networkingInfo: {
      targetRefs: [{ kind: 'Service', namespace: 'shop', name: 'web' }],
      externalURLs: ['https://shop.example.com'],
    },
  }),
  node('Service', 'web', { networkingInfo: { targetLabels: { app: 'web' } } }),
  node('Deployment', 'web'),
  node('ReplicaSet', 'web-1', { parentRefs: [{ uid: 'Deployment-web' }] }),
  pod('a', 'web', 'Healthy', 'one'),
  pod('b', 'web', 'Degraded', 'two'),
  pod('c', 'other', 'Healthy', 'one'),
  node('ConfigMap', 'settings'),
];

test('buildNetwork() follows a request from the outside to the pods that a Service chooses', () => {
  const { arrows, nodes } = buildNetwork(tree);
  assert.deepEqual(
    arrows.map(({ from, to }) => `${from} ${to}`),
    [
      'outside:https://shop.example.com networking.k8s.io/Ingress/shop/web',
      'networking.k8s.io/Ingress/shop/web /Service/shop/web',
      '/Service/shop/web /Pod/shop/a',
      '/Service/shop/web /Pod/shop/b',
    ],
  );
  assert.ok(!nodes.has('/ConfigMap/shop/settings'));
});

test('groupPods() groups by node, owner and state, the unwell first', () => {
  const names = (grouping: 'node' | 'owner' | 'state') =>
    groupPods(tree, grouping, [{ name: 'three' }]).map(({ name, pods }) => [name, pods.map((one) => one.name).join()]);
  assert.deepEqual(names('node'), [
    ['two', 'b'],
    ['one', 'a,c'],
    ['three', ''],
  ]);
  assert.deepEqual(names('owner'), [['Deployment web', 'b,a,c']]);
  assert.deepEqual(names('state'), [
    ['Degraded', 'b'],
    ['Healthy', 'a,c'],
  ]);
});

test('filterTree() keeps the owners of what matches, so that a graph stays whole', () => {
  const all = { text: '', kind: [], health: [], sync: [], namespace: [] };
  const kept = filterTree(tree, { ...all, text: 'pod b' }, () => undefined);
  assert.deepEqual(
    kept.map(({ kind, name }) => `${kind} ${name}`),
    ['Deployment web', 'ReplicaSet web-1', 'Pod b'],
  );
  const unwell = filterTree(tree, { ...all, health: ['Degraded'] }, () => undefined);
  assert.deepEqual(unwell.at(-1)?.name, 'b');
  const several = filterTree(tree, { ...all, kind: ['Service', 'ConfigMap'], namespace: ['shop'] }, () => undefined);
  assert.deepEqual(
    several.map(({ kind }) => kind),
    ['Service', 'ConfigMap'],
  );
  assert.deepEqual(
    filterTree(tree, { ...all, namespace: ['other'] }, () => undefined),
    [],
  );
});
