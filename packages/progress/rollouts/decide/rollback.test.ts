import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rollout } from '@tiphys/api';
import type { ReplicaSet, ReplicaSets } from '../objects/replica-set.ts';
import { isFastRollback, isRollback, isWithinWindow } from './rollback.ts';

const at = (second: number) => `2026-01-01T00:00:0${second}Z`;

/** A ReplicaSet of some second, with all numbers that it has had, the earliest first. */
function set(name: string, second: number, ...revisions: number[]): ReplicaSet {
  const history = revisions.slice(0, -1).join(',');
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name,
      creationTimestamp: at(second),
      labels: { 'rollouts-pod-template-hash': name },
      annotations: {
        'rollout.argoproj.io/revision': String(revisions.at(-1)),
        ...(history ? { 'rollout.argoproj.io/revision-history': history } : {}),
      },
    },
    spec: { selector: {} },
  } as ReplicaSet;
}

const sets = (desired: ReplicaSet, stable: ReplicaSet, ...others: ReplicaSet[]): ReplicaSets => ({
  desired,
  stable,
  all: [desired, stable, ...others],
});

const rollout = (revisions?: number) =>
  ({
    spec: { strategy: { blueGreen: {} }, ...(revisions ? { rollbackWindow: { revisions } } : {}) },
    status: { stableRS: 'b' },
  }) as unknown as Rollout;

test('the way back to a revision of the same second is one: Kubernetes keeps times in seconds', () => {
  const back = sets(set('a', 1, 1, 3), set('b', 1, 2));
  assert.equal(isRollback(rollout(), back), true);
  assert.equal(isFastRollback(rollout(), back, true), true);
  assert.equal(isFastRollback(rollout(), back, false), false);
});

test('a later revision of the same second is none, though the stable one was wanted again since', () => {
  assert.equal(isRollback(rollout(), sets(set('c', 1, 3), set('b', 1, 2))), false);
  assert.equal(isRollback(rollout(), sets(set('c', 1, 3), set('b', 1, 2, 4))), false);
  assert.equal(isRollback(rollout(), sets(set('c', 2, 3), set('b', 1, 2))), false);
});

test('a window counts revisions of one second too', () => {
  const back = sets(set('a', 1, 1, 4), set('b', 1, 3), set('between', 1, 2));
  assert.equal(isWithinWindow(rollout(1), back), false);
  assert.equal(isWithinWindow(rollout(2), back), true);
});
