import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkflowNode } from '../api/families.ts';
import { barOf, newestFirst, spanOf, treeOf } from './workflows.ts';

const node = (id: string, more: Partial<WorkflowNode> = {}): WorkflowNode => ({
  id,
  name: id,
  type: 'Pod',
  template: '',
  phase: 'Succeeded',
  started: '2026-01-02T00:00:00Z',
  finished: '2026-01-02T00:00:10Z',
  message: '',
  children: [],
  parent: '',
  ...more,
});

test('treeOf() shows each node once below its parent, and leaves silent groups of steps out', () => {
  const nodes = [
    node('flow', { type: 'Steps' }),
    node('[0]', { type: 'StepGroup', parent: 'flow' }),
    node('a', { parent: '[0]' }),
    node('[1]', { type: 'StepGroup', parent: 'flow', message: 'a child failed' }),
    node('b', { parent: '[1]' }),
    node('onExit'),
    node('stray', { parent: 'gone' }),
  ];
  assert.deepEqual(
    treeOf(nodes).map((row) => [row.node.id, row.depth]),
    [
      ['flow', 0],
      ['a', 1],
      ['[1]', 1],
      ['b', 2],
      ['onExit', 0],
      ['stray', 0],
    ],
  );
});

test('bars begin and end where their nodes do; what runs ends now', () => {
  const nodes = [node('a'), node('b', { started: '2026-01-02T00:00:05Z', finished: '' }), node('c', { started: '' })];
  const now = Date.parse('2026-01-02T00:00:20Z');
  const span = spanOf(nodes, now);
  assert.ok(span);
  assert.deepEqual(
    nodes.map((one) => barOf(one, span, now)),
    [{ left: 0, width: 50 }, { left: 25, width: 75 }, undefined],
  );
  assert.equal(spanOf([node('c', { started: '' })], now), undefined);
});

test('newestFirst() orders by creation', () => {
  assert.deepEqual(newestFirst([{ created: '1' }, { created: '3' }, { created: '2' }]), [
    { created: '3' },
    { created: '2' },
    { created: '1' },
  ]);
});
