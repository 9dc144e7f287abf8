import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TreeNode } from '../api/model.ts';
import { buildGraph, rootId } from './layout.ts';
import { placeTree } from './place.ts';
import { placeLayers } from './place-layers.ts';
import { boxesIn, cellsOf } from './view.ts';

const node = (kind: string, name: string, owner?: string): TreeNode => ({
  kind,
  name,
  namespace: 'shop',
  uid: name,
  ...(owner ? { parentRefs: [{ uid: owner }] } : {}),
  health: { status: 'Healthy' },
});
const size = { width: 232, height: 66 };

test('buildGraph() hangs roots below the application and children below their owners', () => {
  const { arrows } = buildGraph(
    [node('Deployment', 'web'), node('ReplicaSet', 'web-1', 'web'), node('Pod', 'web-1-a', 'web-1')],
    () => 'Synced',
  );
  assert.deepEqual(
    arrows.map(({ from, to }) => [from, to]),
    [
      [rootId, '/Deployment/shop/web'],
      ['/Deployment/shop/web', '/ReplicaSet/shop/web-1'],
      ['/ReplicaSet/shop/web-1', '/Pod/shop/web-1-a'],
    ],
  );
});

test('buildGraph() leaves out what a folded object owns, and keeps its worst health in sight', () => {
  const pod = { ...node('Pod', 'web-1-a', 'web-1'), health: { status: 'Degraded' } };
  const tree = [node('Deployment', 'web'), node('ReplicaSet', 'web-1', 'web'), pod];
  const { boxes, nodes } = buildGraph(
    tree,
    () => 'Synced',
    undefined,
    undefined,
    (id) => id.includes('Deployment'),
  );
  assert.deepEqual(boxes, [rootId, '/Deployment/shop/web']);
  assert.deepEqual(nodes.get('/Deployment/shop/web')?.below, { count: 1, worst: 'Degraded', folded: true });
  const whole = buildGraph(tree, () => 'Synced').nodes;
  assert.equal(whole.get('/ReplicaSet/shop/web-1')?.below?.folded, false);
  assert.equal(whole.get('/Pod/shop/web-1-a')?.below, undefined);
});

test('buildGraph() leaves out ReplicaSets of the past', () => {
  const tree = [
    node('Deployment', 'web'),
    node('ReplicaSet', 'old', 'web'),
    node('ReplicaSet', 'new', 'web'),
    node('Pod', 'p', 'new'),
  ];
  assert.ok(!buildGraph(tree, () => undefined).boxes.some((id) => id.endsWith('/old')));
});

test('buildGraph() folds a large family into one box and leaves what is unwell beside it', () => {
  const pods = Array.from({ length: 20 }, (_, index) => node('Pod', `p-${index}`, 'web'));
  (pods[19] as TreeNode).health = { status: 'Degraded' };
  const { nodes } = buildGraph([node('ReplicaSet', 'web'), ...pods], () => undefined);
  assert.deepEqual(
    [...nodes.values()].map(({ node: { name }, group }) => group?.healths ?? name),
    ['web', [['Healthy', 19]], 'p-19'],
  );
});

test('buildGraph() folds owners with all that they own, and tells of what is unwell below them', () => {
  const tree = Array.from({ length: 100 }, (_, index) => [
    node('Deployment', `web-${index}`),
    node('ReplicaSet', `web-${index}-1`, `web-${index}`),
  ]).flat();
  (tree[7] as TreeNode).health = { status: 'Degraded' };
  const { boxes, nodes } = buildGraph(tree, () => 'Synced');
  assert.deepEqual(boxes, [rootId, `${rootId}>/Deployment+`, '/Deployment/shop/web-3', '/ReplicaSet/shop/web-3-1']);
  assert.equal(nodes.get(`${rootId}>/Deployment+`)?.group?.count, 99);
});

test('buildGraph() folds thousands of objects of one kind into one box until it is opened', () => {
  const tree = Array.from({ length: 5000 }, (_, index) => node('ConfigMap', `c-${index}`));
  const folded = buildGraph(tree, () => 'Synced');
  assert.deepEqual(
    [...folded.nodes.values()].map(({ group }) => group?.healths),
    [[['Healthy', 5000]]],
  );
  const opened = buildGraph(tree, () => 'Synced', new Set([`${rootId}>/ConfigMap+`]));
  assert.equal(opened.nodes.size, 5001);
  const layout = placeTree(opened, size);
  assert.equal(new Set([...layout.places.values()].map(({ x, y }) => `${x} ${y}`)).size, 5002);
  assert.ok(boxesIn(layout, size, cellsOf({ left: 0, top: 0, width: 1400, height: 800 })).length < 40);
});

test('buildGraph() draws all of an owner that owns itself', () => {
  assert.deepEqual(buildGraph([{ ...node('A', 'a', 'a') }], () => undefined).boxes, [rootId, '/A/shop/a']);
});

test('placeTree() gives every box a place, owners left of what they own and in the middle of it', () => {
  const drawing = {
    boxes: ['a', 'b', 'c', 'd'],
    arrows: [
      { from: 'a', to: 'b' },
      { from: 'a', to: 'c' },
      { from: 'a', to: 'd' },
      { from: 'd', to: 'a' },
      { from: 'd', to: 'missing' },
    ],
  };
  const { places, width, height } = placeTree(drawing, { width: 100, height: 50 });
  assert.equal(places.size, 4);
  assert.deepEqual([width, height], [2 * 100 + 56, 2 * 64 + 50]);
});

test('placeLayers() puts a box after all that lead to it, and takes circles', () => {
  const { places } = placeLayers(
    {
      boxes: ['a', 'b', 'c', 'd'],
      arrows: [
        { from: 'a', to: 'b' },
        { from: 'a', to: 'c' },
        { from: 'b', to: 'd' },
        { from: 'c', to: 'd' },
        { from: 'b', to: 'c' },
        { from: 'd', to: 'd' },
        { from: 'c', to: 'b' },
      ],
    },
    { width: 100, height: 50 },
    'down',
  );
  const y = (id: string) => places.get(id)?.y ?? Number.NaN;
  assert.ok(y('a') < y('b') && y('b') < y('d') && y('a') < y('c') && y('c') < y('d'));
});
