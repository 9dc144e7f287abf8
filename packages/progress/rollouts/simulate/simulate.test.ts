import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulateRollout } from './simulate-rollout.ts';

const minute = 60_000;
const rollout = (strategy: object) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: { name: 'web' },
  spec: {
    replicas: 4,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
    strategy,
  },
});
const template = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AnalysisTemplate',
  metadata: { name: 'errors' },
  spec: {
    metrics: [
      {
        name: 'error-rate',
        interval: '30s',
        successCondition: 'result[0] < 0.05',
        failureLimit: 1,
        provider: { prometheus: { address: 'http://prometheus', query: 'up' } },
      },
    ],
  },
};
const canary = {
  canary: {
    analysis: { templates: [{ templateName: 'errors' }] },
    steps: [{ setWeight: 25 }, { pause: { duration: '2m' } }, { setWeight: 50 }, { pause: { duration: '2m' } }],
  },
};
const played = (strategy: object, csv?: string, promotes = false) =>
  simulateRollout({
    objects: [rollout(strategy), template],
    metrics: csv === undefined ? undefined : { text: csv, file: 'metrics.csv' },
    promotes,
    horizon: 60 * minute,
  });

test('a canary whose metrics stay good is promoted after its pauses', async () => {
  const { phase, duration, entries } = await played(canary, 'time,error-rate\n0,0.01\n');
  assert.equal(phase, 'Healthy');
  assert.ok(duration >= 4 * minute && duration < 5 * minute, `${duration} ms`);
  assert.ok(entries.filter(({ what }) => what === 'Measurement').length >= 8);
  assert.ok(entries.some(({ what, at }) => what === 'RolloutStepCompleted' && at >= 2 * minute));
});

test('a canary whose metrics go wrong is aborted at the second measurement that fails', async () => {
  const { phase, duration, entries } = await played(canary, 'time,error-rate\n0,0.01\n2m10s,0.2\n');
  assert.equal(phase, 'Degraded');
  assert.ok(duration > 2 * minute && duration < 4 * minute, `${duration} ms`);
  const failed = entries.filter(({ what, isWarning }) => what === 'Measurement' && isWarning);
  assert.deepEqual(
    failed.map(({ message }) => message),
    ['error-rate = [0.2]: Failed', 'error-rate = [0.2]: Failed'],
  );
  assert.ok(entries.some(({ what }) => what === 'RolloutAborted'));
});

test('after an abort the services come to rest on the stable pods', async () => {
  const routed = {
    canary: {
      ...canary.canary,
      canaryService: 'web-canary',
      stableService: 'web-stable',
      trafficRouting: { nginx: { stableIngress: 'web' } },
    },
  };
  const { phase, entries } = await played(routed, 'time,error-rate\n0,0.01\n130,0.2\n');
  assert.equal(phase, 'Degraded');
  const weights = entries.filter(({ what }) => what === 'TrafficWeightUpdated').map(({ message }) => message);
  assert.deepEqual(weights.slice(-3), [
    'Traffic weight updated from 0 to 25',
    'Traffic weight updated from 25 to 50',
    'Traffic weight updated from 50 to 0',
  ]);
});

test('a pause without an end ends the simulation, or is promoted', async () => {
  const strategy = { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } };
  assert.equal((await played(strategy)).phase, 'Paused');
  const promoted = await played(strategy, undefined, true);
  assert.equal(promoted.phase, 'Healthy');
  assert.ok(promoted.entries.some(({ what }) => what === 'Promoted'));
});

test('what cannot be simulated says why', async () => {
  await assert.rejects(
    simulateRollout({ objects: [], metrics: undefined, promotes: false, horizon: 1 }),
    /One Rollout is simulated at a time, and there are 0/,
  );
  await assert.rejects(played(canary, 'time,error-rate\nsoon,1\n'), /"soon" is no time since the update/);
  const { entries } = await played(canary, 'time,latency\n0,1\n');
  assert.ok(entries.some(({ message }) => message.includes('The table does not say what metric error-rate is')));
});
