import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventStep, EventWay } from '../api/events.ts';
import { matching, outcomeOf } from './events.ts';

const way = (steps: readonly Partial<EventStep>[]): EventWay => ({
  id: 'abc',
  namespace: 'shop',
  eventSource: 'hooks',
  event: 'push',
  type: 'webhook',
  steps: steps.map((step) => ({ at: 0, kind: 'received', text: '', ...step })),
});

test('outcomeOf() takes the last word of each trigger', () => {
  const published = { kind: 'published' };
  assert.equal(outcomeOf(way([published])), 'waiting');
  const of = (...kinds: string[]) =>
    outcomeOf(way([published, ...kinds.map((kind) => ({ kind, sensor: 's', trigger: 't', dependency: 'd' }))]));
  assert.equal(of('failed', 'retried', 'triggered'), 'done');
  assert.equal(of('triggered', 'failed'), 'failed');
  assert.equal(of('refused'), 'refused');
  assert.equal(of('waiting'), 'waiting');
  const two = way([
    { kind: 'refused', sensor: 'a' },
    { kind: 'triggered', sensor: 'b' },
  ]);
  assert.equal(outcomeOf(two), 'done');
});

test('matching() looks at ids, names, sensors and reasons', () => {
  const ways = [way([{ sensor: 'acts', text: 'filter data: body.n is 1' }])];
  for (const text of ['abc', 'shop/hooks', 'acts', 'body.n', '']) assert.equal(matching(ways, text).length, 1, text);
  assert.equal(matching(ways, 'nothing').length, 0);
});
