import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { flow, Rollout } from '@tiphys/api';
import { type ActionRequest, patchesOf } from './rollout-patches.ts';
import { rolloutSummary } from './rollout-view.ts';
import { shownStep } from './step-words.ts';
import { shownNodes } from './workflow-view.ts';

const now = Date.parse('2026-01-02T03:04:05.678Z');
const ask = (action: ActionRequest['action'], full = false): ActionRequest => ({ action, full, now });

function canary(status: Rollout['status'], spec: Partial<Rollout['spec']> = {}): Rollout {
  const steps = [{ setWeight: 20 }, { pause: {} }, { setWeight: 60 }];
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    metadata: { namespace: 'shop', name: 'web', annotations: { 'rollout.argoproj.io/revision': '4' } },
    spec: { replicas: 5, strategy: { canary: { steps } }, ...spec },
    status: { currentPodHash: 'new', stableRS: 'old', ...status },
  };
}

test('patchesOf() ends a pause, or skips the step at hand where there is none', () => {
  const pauseConditions = [{ reason: 'CanaryPauseStep' as const, startTime: '2026-01-02T03:00:00Z' }];
  assert.deepEqual(patchesOf(canary({ currentStepIndex: 1, pauseConditions, controllerPause: true }), ask('promote')), {
    status: { status: { pauseConditions: null } },
  });
  assert.deepEqual(patchesOf(canary({ currentStepIndex: 2 }), ask('promote')), {
    status: { status: { pauseConditions: null, currentStepIndex: 3 } },
  });
  assert.deepEqual(patchesOf(canary({ currentStepIndex: 3 }), ask('promote')), {
    status: { status: { pauseConditions: null, currentStepIndex: 3 } },
  });
  const strategy = { blueGreen: { activeService: 'web' } };
  assert.deepEqual(patchesOf(canary({}, { strategy, paused: true }), ask('promote')), {
    object: { spec: { paused: false } },
  });
  assert.deepEqual(patchesOf(canary({}, { strategy }), ask('promote')), {});
});

test('patchesOf() goes past an analysis that decided nothing', () => {
  const rollout = canary({
    currentStepIndex: 1,
    controllerPause: true,
    pauseConditions: [{ reason: 'InconclusiveAnalysisRun', startTime: '2026-01-02T03:00:00Z' }],
    canary: { currentStepAnalysisRunStatus: { name: 'run', status: 'Inconclusive' } },
  });
  assert.deepEqual(patchesOf(rollout, ask('promote')), {
    status: { status: { pauseConditions: null, controllerPause: false, currentStepIndex: 2 } },
  });
});

test('patchesOf() promotes fully only what is being updated; aborts, retries, restarts', () => {
  assert.deepEqual(patchesOf(canary({}), ask('promote', true)), { status: { status: { promoteFull: true } } });
  assert.deepEqual(patchesOf(canary({ stableRS: 'new' }), ask('promote', true)), {});
  assert.deepEqual(patchesOf(canary({}), ask('abort')), { status: { status: { abort: true } } });
  assert.deepEqual(patchesOf(canary({}), ask('retry')), { status: { status: { abort: false } } });
  assert.deepEqual(patchesOf(canary({}), ask('restart')), { object: { spec: { restartAt: '2026-01-02T03:04:05Z' } } });
});

test('rolloutSummary() tells step and weight, no weight when nothing is updated, and what no controller has seen', () => {
  const { step, weight, revision } = rolloutSummary(canary({ currentStepIndex: 1, phase: 'Paused' }));
  assert.deepEqual(
    { step, weight, revision },
    { step: { index: 1, count: 3 }, weight: { desired: 20 }, revision: '4' },
  );
  assert.deepEqual(rolloutSummary(canary({ abort: true, currentStepIndex: 0 })).weight, { desired: 0 });
  const weights = { canary: { weight: 55 }, stable: { weight: 45 } };
  assert.deepEqual(rolloutSummary(canary({ currentStepIndex: 2, canary: { weights } })).weight, {
    desired: 60,
    actual: 55,
  });
  assert.equal(rolloutSummary(canary({ stableRS: 'new' })).weight, undefined);
  assert.equal(rolloutSummary({ ...canary({}), status: {} }).message, 'No controller of Rollouts has looked at it yet');
});

test('rolloutSummary() tells of a workload that keeps its pods how many it has', () => {
  const wanted = (spec: Partial<Rollout['spec']>) => {
    const { replicas: _, ...rest } = canary({ replicas: 4 }).spec;
    return rolloutSummary({ ...canary({ replicas: 4 }), spec: { ...rest, ...spec } }).pods.wanted;
  };
  const ref = (kind: string) => ({ workloadRef: { apiVersion: 'apps/v1', kind, name: 'db' } });
  assert.deepEqual([ref('StatefulSet'), ref('DaemonSet'), ref('Deployment'), {}].map(wanted), [4, 4, 1, 1]);
  assert.equal(wanted({ ...ref('StatefulSet'), replicas: 5 }), 5);
});

test('shownStep() keeps configurations of plugins and arguments to itself', () => {
  assert.deepEqual(shownStep({ pause: { duration: 30 } }).text, 'Pause 30 s');
  assert.deepEqual(shownStep({ pause: { duration: '1h' } }).text, 'Pause 1h');
  assert.deepEqual(shownStep({ plugin: { name: 'org/x', config: { token: 's3cret' } } }), {
    kind: 'plugin',
    text: 'Plugin org/x',
  });
  assert.deepEqual(
    shownStep({ analysis: { templates: [{ templateName: 'rate' }], args: [{ name: 'token', value: 's3cret' }] } }),
    { kind: 'analysis', text: 'Analysis rate' },
  );
});

test('shownNodes() puts items and attempts below their group, the rest below what is around it', () => {
  const node = (id: string, name: string, more: Partial<flow.NodeStatus> = {}): flow.NodeStatus => ({
    id,
    name,
    type: 'Pod',
    startedAt: '2026-01-02T03:04:05Z',
    finishedAt: null,
    ...more,
  });
  const nodes = shownNodes({
    metadata: { name: 'w' },
    spec: {},
    status: {
      startedAt: null,
      finishedAt: null,
      nodes: {
        a: node('a', 'w', { type: 'DAG', children: ['b'], startedAt: '2026-01-02T03:04:04Z' }),
        b: node('b', 'w.each', { type: 'TaskGroup', boundaryID: 'a', children: ['c', 'd'] }),
        c: node('c', 'w.each(0:one)', { boundaryID: 'a', outputs: { result: 's3cret' } }),
        d: node('d', 'w.last', { boundaryID: 'a' }),
      },
    },
  } as unknown as flow.Workflow);
  assert.deepEqual(
    nodes.map(({ id, parent }) => [id, parent]),
    [
      ['a', ''],
      ['b', 'a'],
      ['c', 'b'],
      ['d', 'a'],
    ],
  );
  assert.ok(!JSON.stringify(nodes).includes('s3cret'));
});
