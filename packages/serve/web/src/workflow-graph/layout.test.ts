import assert from 'node:assert/strict';
import { test } from 'node:test';
import { box, boxesIn, edgesIn, type LayoutNode, layOut } from './layout.ts';

const node = (id: string, children: string[] = [], type = 'Pod'): LayoutNode => ({ id, type, message: '', children });

test('layOut() puts each node right of all that lead to it, and none upon another', () => {
  const placed = layOut([
    node('a', ['b', 'c'], 'DAG'),
    node('b', ['d']),
    node('c', ['e']),
    node('e', ['d']),
    node('d'),
  ]);
  const at = (id: string) => placed.ids.indexOf(id);
  for (const [from, to] of [
    ['a', 'b'],
    ['a', 'c'],
    ['c', 'e'],
    ['e', 'd'],
    ['b', 'd'],
  ] as const)
    assert.ok((placed.x[at(from)] ?? 0) + box.width < (placed.x[at(to)] ?? 0), `${from} before ${to}`);
  const spots = placed.ids.map((_, index) => `${placed.x[index]} ${placed.y[index]}`);
  assert.equal(new Set(spots).size, spots.length);
});

test('an arrow that skips ranks goes between the boxes that stand in them', () => {
  const items = ['u0', 'u1', 'u2', 'u3'];
  const placed = layOut([
    node('checkout', ['lint', 'unit']),
    node('lint', ['image']),
    node('unit', items, 'TaskGroup'),
    ...items.map((id) => node(id, ['image'])),
    node('image'),
  ]);
  const bend = placed.ids.length;
  assert.equal(placed.x.length, bend + 1);
  const at = (id: string) => placed.ids.indexOf(id);
  const pairs = new Set(
    Array.from({ length: placed.edges.length / 2 }, (_, pair) => `${placed.edges.slice(2 * pair, 2 * pair + 2)}`),
  );
  assert.ok(pairs.has(`${at('lint')},${bend}`) && pairs.has(`${bend},${at('image')}`));
  const line = (placed.y[bend] ?? 0) + box.height / 2;
  for (const id of items) {
    const top = placed.y[at(id)] ?? 0;
    assert.ok(line < top || line > top + box.height, `the arrow at ${line} does not cross ${id} at ${top}`);
  }
  assert.match(edgesIn(placed, { left: 0, top: 0, right: 9999, bottom: 9999 }), /H\d+/);
});

test('layOut() leaves groups of steps out, and their arrows go on', () => {
  const placed = layOut([node('s', ['g'], 'Steps'), node('g', ['p', 'q'], 'StepGroup'), node('p'), node('q')]);
  assert.deepEqual(placed.ids, ['s', 'p', 'q']);
  assert.equal(placed.edges.length, 4);
});

test('layOut() places 5,000 nodes, circles and children that are not there', () => {
  const wide = Array.from({ length: 5000 }, (_, at) =>
    node(`n${at}`, at === 0 ? [] : [`n${(at * 7) % 5000}`, 'nowhere']),
  );
  const placed = layOut(wide);
  assert.equal(placed.ids.length, 5000);
  assert.deepEqual(layOut(wide), placed);
  const seen = boxesIn(placed, { left: 0, top: 0, right: 1200, bottom: 800 });
  assert.ok(seen.length > 0 && seen.length < 200, `${seen.length} boxes are seen`);
  assert.equal(layOut([]).ids.length, 0);
});

test('edgesIn() draws what crosses the window alone', () => {
  const placed = layOut([node('a', ['b'], 'DAG'), node('b')]);
  assert.match(edgesIn(placed, { left: 0, top: 0, right: 999, bottom: 999 }), /^M208 /);
  assert.equal(edgesIn(placed, { left: 5000, top: 0, right: 6000, bottom: 999 }), '');
});
