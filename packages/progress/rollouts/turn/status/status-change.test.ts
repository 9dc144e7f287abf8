import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RolloutStatus } from '@tiphys/api';
import { Crowd } from '../../run/crowd.ts';
import { numbersPace } from '../../run/numbers-pace.ts';
import { Bench, rolloutOf } from '../../testing/bench.ts';
import { changeOf } from './status-change.ts';

const condition = (type: string, status: string, at = '2026-01-01T00:00:00Z') => ({
  ...{ type, status, reason: 'Reason', message: type },
  ...{ lastUpdateTime: at, lastTransitionTime: at },
});

test('numbers, and what is said of them, are told from news', () => {
  const before: RolloutStatus = {
    ...{ phase: 'Progressing', message: 'more replicas need to be updated', replicas: 1 },
    conditions: [condition('Available', 'False'), condition('Progressing', 'True')] as never,
  };
  const later = condition('Progressing', 'True', '2026-01-01T00:00:09Z');
  const of = (change: RolloutStatus) => changeOf(before, { ...before, ...change });
  assert.equal(of({}), 'nothing');
  assert.equal(
    of({ replicas: 2, availableReplicas: 2, message: 'updated replicas are still becoming available' }),
    'numbers',
  );
  assert.equal(of({ conditions: [later, condition('Available', 'True')] as never }), 'numbers');
  assert.equal(
    of({ conditions: [condition('Available', 'False'), condition('Progressing', 'False')] as never }),
    'more',
  );
  assert.equal(of({ phase: 'Healthy' }), 'more');
  assert.equal(of({ currentStepIndex: 1 }), 'more');
  const paused: RolloutStatus = { ...before, phase: 'Paused', message: 'CanaryPauseStep' };
  assert.equal(changeOf(paused, { ...paused, message: 'BlueGreenPause' }), 'more');
});

test('numbers of a few Rollouts are written at once, those of many later and one after the other', () => {
  const due = numbersPace(new Crowd());
  for (let index = 0; index < 50; index += 1) assert.equal(due(0, `shop/web-${index}`), 0);
  assert.deepEqual([due(10, 'shop/web-0'), due(10, 'shop/more')], [10, 5_010]);
  assert.deepEqual([due(20, 'shop/web-0'), due(20, 'shop/more')], [5_060, 5_110]);
  assert.equal(due(30_015, 'shop/more'), 30_015);
  const hundreds = new Crowd();
  for (let index = 0; index < 400; index += 1) hundreds.note(`shop/web-${index}`, 0);
  assert.equal(numbersPace(hundreds)(10, 'shop/web-0'), 30_010);
});

test('a status waits with its numbers until they are due, or something else changed', async () => {
  const bench = new Bench({ available: () => 0, numbersDue: (now) => now + 1_000 });
  bench.apply(rolloutOf({ canary: {} }));
  await bench.settle();
  await bench.advance(1_000);
  assert.deepEqual([bench.rollout.status?.replicas, bench.rollout.status?.availableReplicas], [3, undefined]);
  bench.available = () => 1;
  await bench.settle();
  assert.equal(bench.rollout.status?.availableReplicas, undefined);
  bench.available = () => 2;
  await bench.advance(999);
  assert.equal(bench.rollout.status?.availableReplicas, undefined);
  await bench.advance(1);
  assert.equal(bench.rollout.status?.availableReplicas, 2);
  bench.available = () => 3;
  await bench.settle();
  assert.deepEqual([bench.rollout.status?.phase, bench.rollout.status?.availableReplicas], ['Healthy', 3]);
});
