import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TreeNode } from '../api/model.ts';
import { buildGraph, rootId } from './layout.ts';
import { placeBoxes } from './place.ts';

const node = (kind: string, name: string, owner?: string): TreeNode => ({
  kind,
  name,
  namespace: 'shop',
  uid: name,
  ...(owner ? { parentRefs: [{ uid: owner }] } : {}),
  health: { status: 'Healthy' },
});

test('buildGraph() hangs roots below the application and children below their owners', () => {
  const { edges } = buildGraph(
    [node('Deployment', 'web'), node('ReplicaSet', 'web-1', 'web'), node('Pod', 'web-1-a', 'web-1')],
    () => 'Synced',
  );
  assert.deepEqual(
    edges.map(({ from, to }) => [from, to]),
    [
      [rootId, '/Deployment/shop/web'],
      ['/Deployment/shop/web', '/ReplicaSet/shop/web-1'],
      ['/ReplicaSet/shop/web-1', '/Pod/shop/web-1-a'],
    ],
  );
});

test('buildGraph() leaves out ReplicaSets of the past', () => {
  const tree = [
    node('Deployment', 'web'),
    node('ReplicaSet', 'old', 'web'),
    node('ReplicaSet', 'new', 'web'),
    node('Pod', 'p', 'new'),
  ];
  assert.ok(!buildGraph(tree, () => undefined).nodes.some(({ node: { name } }) => name === 'old'));
});

test('buildGraph() folds a large family of leaves into one box with the worst health', () => {
  const pods = Array.from({ length: 20 }, (_, index) => node('Pod', `p-${index}`, 'web'));
  (pods[19] as TreeNode).health = { status: 'Degraded' };
  const { nodes } = buildGraph([node('ReplicaSet', 'web'), ...pods], () => undefined);
  const folded = nodes.find(({ node: { name } }) => name === '20 of this kind');
  assert.equal(folded?.node.health?.status, 'Degraded');
  assert.equal(nodes.length, 2);
});

test('buildGraph() folds thousands of objects of one kind into one box until it is opened', () => {
  const tree = Array.from({ length: 5000 }, (_, index) => node('ConfigMap', `c-${index}`));
  const folded = buildGraph(tree, () => 'Synced');
  assert.deepEqual(
    folded.nodes.map(({ node: { name }, group }) => [name, group?.healths]),
    [['5000 of this kind', [['Healthy', 5000]]]],
  );
  const [{ id } = { id: '' }] = folded.nodes;
  const opened = buildGraph(tree, () => 'Synced', new Set([id]));
  assert.equal(opened.nodes.length, 5001);
  assert.equal(new Set([...placeBoxes(opened).values()].map(({ x, y }) => `${x} ${y}`)).size, 5002);
});

test('placeBoxes() gives every box a place, owners left of what they own', () => {
  const graph = buildGraph([node('Deployment', 'web'), node('ReplicaSet', 'web-1', 'web')], () => undefined);
  const places = placeBoxes(graph);
  const x = (id: string) => places.get(id)?.x ?? Number.NaN;
  assert.ok(x(rootId) < x('/Deployment/shop/web'));
  assert.ok(x('/Deployment/shop/web') < x('/ReplicaSet/shop/web-1'));
});
