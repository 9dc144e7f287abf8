import assert from 'node:assert/strict';
import test from 'node:test';
import type { Rollout } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import { revisionOf } from '../objects/replica-set.ts';
import { Bench, rolloutOf, serviceOf } from '../testing/bench.ts';
import { describeRollout } from './describe.ts';
import { rolloutImages } from './images.ts';
import { rolloutRow } from './list-rows.ts';
import { abortPatch, retryRolloutPatch } from './patches.ts';
import { createOfRollouts, promoteRollout, sendPatches, setImage, undoRollout } from './run-verbs.ts';

const steps = [{ setWeight: 34 }, { pause: {} }];

/** A canary at its pause, on the way from `web:1` to `web:2`. */
async function paused() {
  const bench = new Bench();
  bench.apply(rolloutOf({ canary: { steps } }));
  await bench.settle();
  const target = { client: bench.cluster.client, namespace: 'shop', name: 'web' };
  await setImage(target, { container: 'web', image: 'web:2' });
  await bench.settle();
  return { bench, target };
}

const phase = ({ bench }: { bench: Bench }) => bench.rollout.status?.phase;
const imageOf = ({ spec }: Rollout) =>
  (spec.template?.spec?.containers as { image?: string }[] | undefined)?.[0]?.image;

test('set image begins an update, promote goes past its pause to the end', async () => {
  const { bench, target } = await paused();
  assert.equal(phase({ bench }), 'Paused');
  await promoteRollout(target, {});
  await bench.settle();
  assert.equal(phase({ bench }), 'Healthy');
  assert.equal(imageOf(bench.rollout), 'web:2');
});

test('promote --full ends an update past its pause', async () => {
  const { bench, target } = await paused();
  await promoteRollout(target, { full: true });
  await bench.settle();
  assert.equal(phase({ bench }), 'Healthy');
});

test('abort goes back, retry begins again', async () => {
  const { bench, target } = await paused();
  await sendPatches(target, 'Rollout', [abortPatch]);
  await bench.settle();
  assert.equal(phase({ bench }), 'Degraded');
  await sendPatches(target, 'Rollout', [retryRolloutPatch]);
  await bench.settle();
  assert.equal(phase({ bench }), 'Paused');
});

test('undo puts the template of the revision before in place, without marks of the controller, once', async () => {
  const { bench, target } = await paused();
  const { template } = rolloutOf({ canary: { steps } }).spec;
  assert.equal(await undoRollout(target, 0), true);
  assert.deepEqual(bench.rollout.spec.template, template);
  await bench.settle();
  assert.equal(phase({ bench }), 'Healthy');
  const newest = Math.max(...bench.sets().map(revisionOf));
  assert.equal(await undoRollout(target, newest), false);
  await assert.rejects(undoRollout(target, 17), { message: /no revision 17/ });
});

test('undo changes the workload that the Rollout refers to', async () => {
  const { bench, target } = await paused();
  const { template: _, ...spec } = bench.rollout.spec;
  const workload = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'base', namespace: 'shop' } };
  bench.put({ ...workload, spec: { template: {} } } as KubeObject);
  bench.put({
    ...bench.rollout,
    spec: { ...spec, workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'base' } },
  });
  assert.equal(await undoRollout(target, 1), true);
  const changed = bench.cluster.object<Rollout>({ ...workload, namespace: 'shop', name: 'base' });
  assert.equal(changed && imageOf(changed), 'web:1');
});

test('set image tries again what somebody else changed meanwhile, and gives up after five times', async () => {
  const { bench, target } = await paused();
  const conflict = { status: 409, reason: 'Conflict' };
  bench.cluster.fail(/^update Rollout/, conflict, 4);
  await setImage(target, { container: '*', image: 'web:3' });
  assert.equal(imageOf(bench.rollout), 'web:3');
  bench.cluster.fail(/^update Rollout/, conflict, 5);
  await assert.rejects(setImage(target, { container: '*', image: 'web:4' }), { message: /Conflict/ });
});

test('set image gives several containers their images in one update, or none', async () => {
  const { bench, target } = await paused();
  const { spec } = bench.rollout;
  const containers = ['web', 'side'].map((name) => ({ name, image: `${name}:1` }));
  bench.apply({
    ...bench.rollout,
    spec: { ...spec, template: { ...spec.template, spec: { ...spec.template?.spec, containers } } },
  });
  const images = () =>
    ((bench.rollout.spec.template?.spec?.containers ?? []) as { image?: string }[]).map(({ image }) => image);
  await setImage(target, { container: '*', image: 'all:2' }, { container: 'side', image: 'side:2' });
  assert.deepEqual(images(), ['all:2', 'side:2']);
  const wrong = [
    { container: 'web', image: 'web:3' },
    { container: 'other', image: 'other:3' },
  ];
  await assert.rejects(setImage(target, ...wrong), /Rollout web has no container other/);
  assert.deepEqual(images(), ['all:2', 'side:2']);
});

test('get shows the steps, the images with their parts, and a tree by revision', async () => {
  const { bench } = await paused();
  const { rollout, cluster } = bench;
  const { lines, rows } = describeRollout(rollout, {
    ...{ replicaSets: bench.sets(), experiments: [], analysisRuns: [] },
    pods: cluster.objects('Pod'),
    now: bench.clock.now(),
  });
  assert.deepEqual(lines.slice(0, 9), [
    'Name:            web',
    'Namespace:       shop',
    'Status:          ॥ Paused',
    'Message:         CanaryPauseStep',
    'Strategy:        Canary',
    '  Step:          1/2',
    '  SetWeight:     34',
    '  ActualWeight:  33',
    'Images:          web:1 (stable)',
  ]);
  assert.equal(lines[9], '                 web:2 (canary)');
  const shape = rows.map(([name, kind, , , info]) => `${name.replace(/web-\w+/, 'SET')}|${kind}|${info}`);
  assert.deepEqual(shape, [
    'NAME|KIND|INFO',
    '⟳ web|Rollout|',
    '├──# revision:2||',
    '│  └──⧉ SET|ReplicaSet|canary',
    '└──# revision:1||',
    '   └──⧉ SET|ReplicaSet|stable',
  ]);
  assert.deepEqual(rolloutRow(rollout).slice(0, 5), ['web', 'Canary', 'Paused', '1/2', '34']);
});

test('parts of an image of one revision stand as get shows them beside the revision, of several in alphabetical order', async () => {
  const bench = new Bench();
  bench.put(serviceOf('active'));
  const blueGreen = { activeService: 'active', autoPromotionEnabled: false };
  bench.apply(rolloutOf({ blueGreen }));
  await bench.settle();
  const images = () =>
    rolloutImages(bench.rollout, { replicaSets: bench.sets(), pods: [], experiments: [], analysisRuns: [], now: 0 });
  assert.deepEqual(images(), ['web:1 (stable, active)']);
  bench.apply({ ...rolloutOf({ blueGreen }), spec: { ...rolloutOf({ blueGreen }).spec, template: sameImage } });
  await bench.settle();
  assert.deepEqual(images(), ['web:1 (active, stable)']);
});

const sameImage = {
  metadata: { labels: { app: 'web' }, annotations: { build: '2' } },
  spec: { containers: [{ name: 'web', image: 'web:1' }] },
};

test('create puts objects into the namespace that they or the flag name, and refuses other kinds', async () => {
  const { client } = new Bench().cluster;
  const { metadata: _, ...rest } = rolloutOf({ canary: {} });
  const target = { client, namespace: 'shop' };
  const created = await createOfRollouts(target, { ...rest, metadata: { name: 'a' } }, 'a.yaml');
  assert.equal(created.metadata.namespace, 'shop');
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
  await assert.rejects(createOfRollouts(target, pod, 'a.yaml'), { message: /^creates of v1\/Pod unsupported/ });
});
