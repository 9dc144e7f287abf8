import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventSourceSummary, FlowCount, SensorSummary } from '../api/events.ts';
import { flowOf, withChanges } from './event-flow.ts';

const object = {
  namespace: 'shop',
  created: '',
  bus: 'default',
  phase: 'Running',
  message: '',
  conditions: [],
  diagnoses: [],
};
const source: EventSourceSummary = { ...object, name: 'hooks', events: [{ type: 'webhook', name: 'push' }] };
const guarantee = { delivery: 'at most once', because: 'so' };
const sensor: SensorSummary = {
  ...object,
  name: 'acts',
  dependencies: [{ name: 'dep', source: 'hooks', event: 'push' }],
  triggers: [
    { name: 'one', type: 'log', conditions: '', guarantee },
    { name: 'two', type: 'http', conditions: '', guarantee },
  ],
};
const count = (kind: string, times: number, more: Partial<FlowCount> = {}): FlowCount => ({
  ...{ namespace: 'shop', eventSource: 'hooks', event: 'push', kind, count: times },
  last: { at: times, id: 'e', text: kind },
  ...more,
});
const at = { sensor: 'acts', dependency: 'dep' };

test('flowOf() links events, bus, sensor and triggers, and counts at each what happened there', () => {
  const counts = [
    count('received', 9),
    count('published', 7),
    count('dropped', 2),
    count('refused', 3, { ...at, trigger: 'one' }),
    count('triggered', 4, { ...at, trigger: 'one' }),
    count('failed', 5, { ...at, trigger: 'two' }),
    count('published', 1, { namespace: 'other' }),
  ];
  const { nodes, links, left } = flowOf([source], [sensor], counts);
  const tallies = nodes.map(({ title, column, tally: { passed, filtered, failed } }) => [
    title,
    column,
    passed,
    filtered,
    failed,
  ]);
  assert.deepEqual(tallies, [
    ['hooks/push', 0, 7, 2, 0],
    ['default', 1, 7, 0, 0],
    ['acts', 2, 4, 3, 5],
    ['one', 3, 4, 3, 0],
    ['two', 3, 0, 0, 5],
  ]);
  assert.deepEqual(
    links.map(({ from, to }) => `${from.title} → ${to.title}`),
    ['hooks/push → default', 'default → acts', 'acts → one', 'acts → two'],
  );
  assert.deepEqual(
    nodes[2]?.counts.map(({ kind }) => kind),
    ['failed', 'triggered', 'refused'],
  );
  assert.equal(left, 0);
});

test('flowOf() draws a bounded number, and tells how many are left', () => {
  const many = Array.from({ length: 100 }, (_, index) => ({ ...source, name: `s${index}` }));
  const { nodes, links, left } = flowOf(many, [], []);
  assert.deepEqual([nodes.length, links.length, left], [61, 60, 40]);
});

test('withChanges() puts a count in the place of the one before', () => {
  const first = withChanges(new Map(), [count('refused', 1, at), count('refused', 1)]);
  const then = withChanges(first, [count('refused', 2, at)]);
  assert.deepEqual(
    [...then.values()].map((each) => each.count),
    [2, 1],
  );
});
