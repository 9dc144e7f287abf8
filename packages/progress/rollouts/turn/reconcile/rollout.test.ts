import assert from 'node:assert/strict';
import test from 'node:test';
import type { Rollout } from '@tiphys/api';
import { available, hashOf, revisionOf, wanted } from '../../objects/replica-set.ts';
import { Bench, rolloutOf, serviceOf } from '../../testing/bench.ts';

const steps = [{ setWeight: 34 }, { pause: { duration: '3s' } }];
const canary = { canary: { steps } };

function pods(bench: Bench): Record<number, number> {
  return Object.fromEntries(bench.sets().map((set) => [revisionOf(set), wanted(set)]));
}

const reasonsOf = (bench: Bench) => bench.events.map((event) => event.replace(/:.*/s, ''));

test('a canary goes its steps, is aborted, tried again and promoted, and tells of it as Argo Rollouts does', async () => {
  const bench = new Bench();
  bench.apply({ ...rolloutOf(canary), spec: { ...rolloutOf(canary).spec, replicas: 1 } });
  assert.equal((await bench.settle()).status?.phase, 'Healthy');
  bench.apply({ ...bench.rollout, spec: { ...rolloutOf(canary, 'web:2').spec, replicas: 1 } });
  const paused = await bench.settle();
  assert.deepEqual([paused.status?.phase, paused.status?.message], ['Paused', 'CanaryPauseStep']);
  assert.deepEqual(pods(bench), { 1: 1, 2: 1 });
  bench.patchStatus({ abort: true });
  const aborted = await bench.settle();
  assert.deepEqual(
    [aborted.status?.phase, aborted.status?.message],
    ['Degraded', 'RolloutAborted: Rollout aborted update to revision 2'],
  );
  assert.deepEqual(pods(bench), { 1: 1, 2: 0 });
  const { abort: _, ...retried } = bench.rollout.status ?? {};
  bench.put({ ...bench.rollout, status: retried });
  assert.equal((await bench.settle()).status?.phase, 'Paused');
  assert.equal((await bench.advance(4_000)).status?.phase, 'Healthy');
  assert.deepEqual(pods(bench), { 1: 0, 2: 1 });
  assert.deepEqual(reasonsOf(bench), [
    ...['RolloutUpdated', 'NewReplicaSetCreated', 'RolloutNotCompleted', 'ScalingReplicaSet', 'RolloutCompleted'],
    ...['RolloutUpdated', 'NewReplicaSetCreated', 'RolloutNotCompleted', 'ScalingReplicaSet', 'RolloutStepCompleted'],
    ...['RolloutPaused', 'ScalingReplicaSet', 'RolloutAborted', 'ScalingReplicaSet', 'RolloutStepCompleted'],
    ...['RolloutPaused', 'RolloutStepCompleted', 'RolloutResumed', 'ScalingReplicaSet', 'RolloutCompleted'],
  ]);
});

test('blue-green shows the preview, waits for people, and keeps old pods until their delay is over', async () => {
  const bench = new Bench();
  for (const name of ['active', 'preview']) bench.put(serviceOf(name));
  const blueGreen = { activeService: 'active', previewService: 'preview', autoPromotionEnabled: false };
  bench.apply(rolloutOf({ blueGreen }));
  const first = await bench.settle();
  assert.equal(first.status?.phase, 'Healthy');
  const old = first.status?.currentPodHash;
  bench.apply({ ...bench.rollout, spec: rolloutOf({ blueGreen }, 'web:2').spec });
  const paused = await bench.settle();
  assert.equal(paused.status?.message, 'BlueGreenPause');
  assert.equal(paused.status?.blueGreen?.activeSelector, old);
  assert.equal(paused.status?.blueGreen?.previewSelector, paused.status?.currentPodHash);
  const { pauseConditions: _, ...resumed } = bench.rollout.status ?? {};
  bench.put({ ...bench.rollout, status: resumed });
  const promoted = await bench.settle();
  assert.equal(promoted.status?.phase, 'Healthy');
  assert.equal(promoted.status?.blueGreen?.activeSelector, promoted.status?.currentPodHash);
  assert.deepEqual(pods(bench), { 1: 3, 2: 3 });
  await bench.advance(31_000);
  assert.deepEqual(pods(bench), { 1: 0, 2: 3 });
});

test('a way back to the stable revision skips the steps', async () => {
  const bench = new Bench();
  bench.apply(rolloutOf({ canary: { steps: [{ setWeight: 34 }, { pause: {} }] } }));
  await bench.settle();
  const { spec } = bench.rollout;
  bench.apply({ ...bench.rollout, spec: { ...spec, template: rolloutOf(canary, 'web:2').spec.template ?? {} } });
  assert.equal((await bench.settle()).status?.phase, 'Paused');
  bench.apply({ ...bench.rollout, spec });
  assert.equal((await bench.settle()).status?.phase, 'Healthy');
  assert.ok(bench.events.includes('SkipSteps: Rollback to stable ReplicaSets'));
});

test('an invalid Rollout says what is wrong and goes on when it is mended', async () => {
  const bench = new Bench();
  bench.apply(rolloutOf({ canary: { steps: [{ setWeight: 120 }] } }));
  const refused = await bench.settle();
  assert.equal(refused.status?.phase, 'Degraded');
  assert.equal(
    refused.status?.message,
    'InvalidSpec: The Rollout "web" is invalid: spec.strategy.steps[0].setWeight: Invalid value: 120: SetWeight needs to be between 0 and 100',
  );
  assert.deepEqual(bench.sets(), []);
  bench.apply({ ...bench.rollout, spec: rolloutOf(canary).spec });
  const mended = await bench.settle();
  assert.equal(mended.status?.phase, 'Healthy');
  assert.equal(
    mended.status?.conditions?.some(({ type }) => type === 'InvalidSpec'),
    false,
  );
});

test('a blue-green Rollout over its deadline becomes healthy by itself, and names the pod it waits for meanwhile', async () => {
  const bench = new Bench();
  bench.put(serviceOf('active'));
  const blueGreen = { activeService: 'active', autoPromotionEnabled: false };
  bench.apply(rolloutOf({ blueGreen }));
  await bench.settle();
  bench.available = (set) => (revisionOf(set) === 1 ? wanted(set) : 0);
  bench.apply({ ...bench.rollout, spec: { ...rolloutOf({ blueGreen }, 'web:2').spec, progressDeadlineSeconds: 60 } });
  await bench.settle();
  const [, fresh] = bench.sets();
  bench.put({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web-2-x',
      namespace: 'shop',
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'w', uid: fresh?.metadata.uid ?? '', controller: true },
      ],
    },
    status: {
      phase: 'Pending',
      containerStatuses: [{ name: 'web', state: { waiting: { reason: 'ImagePullBackOff', message: 'no such tag' } } }],
    },
  });
  const degraded = await bench.advance(120_000);
  assert.equal(degraded.status?.phase, 'Degraded');
  assert.match(
    degraded.status?.message ?? '',
    /^ProgressDeadlineExceeded: ReplicaSet "web-\w+" has timed out progressing\.$/,
  );
  assert.match(
    degraded.status?.diagnoses?.[0]?.message ?? '',
    /^Pod web-2-x of ReplicaSet web-\w+ is not available: container web cannot pull its image: [^(]+ \(ImagePullBackOff: no such tag\)$/,
  );
  bench.available = (set) => wanted(set);
  const paused = await bench.advance(1_000);
  assert.deepEqual([paused.status?.phase, paused.status?.message], ['Paused', 'BlueGreenPause']);
  assert.equal(paused.status?.diagnoses, undefined);
  const { pauseConditions: _, ...resumed } = bench.rollout.status ?? {};
  bench.put({ ...bench.rollout, status: resumed });
  assert.equal((await bench.settle()).status?.phase, 'Healthy');
});

test('a deadline does not stand over an analysis: pods that are available are waited for no longer', async () => {
  const bench = new Bench();
  bench.put(serviceOf('active'));
  bench.put({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AnalysisTemplate',
    metadata: { name: 'check', namespace: 'shop' },
    spec: { metrics: [{ name: 'up', count: 1, provider: { job: { spec: {} } } }] },
  });
  const blueGreen = { activeService: 'active', prePromotionAnalysis: { templates: [{ templateName: 'check' }] } };
  bench.apply(rolloutOf({ blueGreen }));
  await bench.settle();
  bench.available = (set) => (revisionOf(set) === 1 ? wanted(set) : 0);
  bench.apply({ ...bench.rollout, spec: { ...rolloutOf({ blueGreen }, 'web:2').spec, progressDeadlineSeconds: 60 } });
  assert.equal((await bench.advance(120_000)).status?.phase, 'Degraded');
  bench.available = (set) => wanted(set);
  assert.equal((await bench.advance(120_000)).status?.phase, 'Progressing');
  const [run] = bench.cluster.objects('AnalysisRun');
  bench.put({ ...(run as Rollout), status: { phase: 'Successful' } } as never);
  assert.equal((await bench.advance(40_000)).status?.phase, 'Healthy');
});

test('killed at any request, an update ends as it would have', async () => {
  const requests = async (kill?: number) => {
    const bench = new Bench();
    for (const name of ['active', 'preview']) bench.put(serviceOf(name));
    const blueGreen = { activeService: 'active', previewService: 'preview' };
    bench.apply(rolloutOf({ blueGreen }));
    await bench.settle();
    bench.apply({ ...bench.rollout, spec: rolloutOf({ blueGreen }, 'web:2').spec });
    let left = kill ?? -1;
    const start = bench.cluster.requests.length;
    if (kill !== undefined) {
      for (; left > 0; left -= 1) await bench.pass();
      bench.cluster.fail(/^(patch|create)/, { status: 503, reason: 'ServiceUnavailable' });
      await bench.pass().catch(() => undefined);
    }
    const { status } = await bench.settle();
    return { status, pods: pods(bench), count: bench.cluster.requests.length - start };
  };
  const undisturbed = await requests();
  for (let kill = 0; kill < 8; kill += 1) {
    const ended = await requests(kill);
    assert.deepEqual(ended.pods, undisturbed.pods, `killed at pass ${kill}`);
    assert.equal(ended.status?.phase, 'Healthy', `killed at pass ${kill}`);
    assert.equal(ended.status?.stableRS, undisturbed.status?.stableRS);
  }
});

test('a Rollout at rest costs no request', async () => {
  const bench = new Bench();
  bench.apply(rolloutOf(canary));
  await bench.settle();
  const before = bench.cluster.requests.length;
  await bench.pass();
  assert.equal(bench.cluster.requests.length, before);
  const [set] = bench.sets();
  assert.equal(set && available(set), 3);
  assert.equal(set && hashOf(set), bench.rollout.status?.stableRS);
});
