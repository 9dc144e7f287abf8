import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import type { CanaryStrategy, Rollout, RolloutStatus, TrafficWeights } from '@tiphys/api';
import { type ReplicaSet, stableOf } from '../objects/replica-set.ts';
import { canaryCounts, isAtDesiredCounts, nearestRatio, previewCount } from './canary-counts.ts';

interface Recorded {
  readonly canary: CanaryStrategy;
  readonly replicas: number;
  readonly status: RolloutStatus & { weights?: [number, number] };
  readonly sets: { Name: string; Wanted: number; Actual: number; Available: number }[];
  readonly counts: [number, number];
  readonly atDesired: boolean;
}

const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, 'testdata', 'canary-counts.json'), 'utf8'),
) as Recorded[];

function replicaSet({ Name, Wanted, Actual, Available }: Recorded['sets'][number]): ReplicaSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: Name, labels: { 'rollouts-pod-template-hash': Name } },
    spec: { replicas: Wanted },
    status: { replicas: Actual, availableReplicas: Available },
  };
}

function rolloutOf(spec: Rollout['spec'], status: RolloutStatus): Rollout {
  return { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', metadata: { name: 'web' }, spec, status };
}

test('canaryCounts() and isAtDesiredCounts() say what Argo Rollouts says of 300 random canaries', () => {
  for (const { canary, replicas, status: given, sets, counts, atDesired } of recorded) {
    const { weights: pair, ...status } = given;
    const weights: TrafficWeights | undefined = pair && { canary: { weight: pair[0] }, stable: { weight: pair[1] } };
    const rollout = rolloutOf({ replicas, strategy: { canary } }, status);
    const all = sets.map(replicaSet);
    const desired = all[0];
    const objects = { all, desired, stable: stableOf(rollout, all) };
    const found = canaryCounts(rollout, objects, weights);
    const context = JSON.stringify({ canary, replicas, given, sets });
    assert.deepEqual([found.canary, found.stable], counts, context);
    assert.equal(isAtDesiredCounts(rollout, objects, weights), atDesired, context);
  }
});

test('nearestRatio() gives a canary of some weight one pod, and leaves the stable part one', () => {
  assert.deepEqual(nearestRatio({ replicas: 10, weight: 1, maxWeight: 100, surge: 0 }), { canary: 1, stable: 9 });
  assert.deepEqual(nearestRatio({ replicas: 10, weight: 99, maxWeight: 100, surge: 0 }), { canary: 9, stable: 1 });
  assert.deepEqual(nearestRatio({ replicas: 1, weight: 50, maxWeight: 100, surge: 1 }), { canary: 1, stable: 1 });
  assert.deepEqual(nearestRatio({ replicas: 0, weight: 50, maxWeight: 100, surge: 1 }), { canary: 0, stable: 0 });
});

test('previewCount() keeps the preview small until its checks are passed', () => {
  const desired = replicaSet({ Name: 'new', Wanted: 1, Actual: 1, Available: 1 });
  const active = replicaSet({ Name: 'stable', Wanted: 5, Actual: 5, Available: 5 });
  const sets = { all: [desired, active], desired, stable: active };
  const blueGreen = { activeService: 'web', previewReplicaCount: 1 };
  const count = (status: RolloutStatus, spec: Partial<Rollout['spec']> = {}) =>
    previewCount(
      rolloutOf({ replicas: 5, strategy: { blueGreen }, ...spec }, { currentPodHash: 'new', ...status }),
      sets,
      active,
    );
  assert.equal(count({}), 1);
  assert.equal(count({ blueGreen: { scaleUpPreviewCheckPoint: true } }), 5);
  assert.equal(count({ blueGreen: { scaleUpPreviewCheckPoint: true } }, { paused: true }), 1);
  assert.equal(count({ promoteFull: true }), 5);
});
