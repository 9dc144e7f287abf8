import assert from 'node:assert/strict';
import test from 'node:test';
import type { PodTemplate } from '@tiphys/api';
import { wanted } from '../objects/replica-set.ts';
import { Bench, rolloutOf } from '../testing/bench.ts';
import { configurationOf, renamed } from './references.ts';
import { versionedAnnotation } from './versioned.ts';

const template: PodTemplate = {
  metadata: { labels: { app: 'web' } },
  spec: {
    initContainers: [{ name: 'init', envFrom: [{ secretRef: { name: 'keys' } }] }],
    containers: [
      {
        name: 'web',
        image: 'web:1',
        env: [
          { name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key: 'a' } } },
          { name: 'B', value: 'b' },
        ],
        envFrom: [{ configMapRef: { name: 'more' } }],
      },
    ],
    volumes: [
      { name: 'one', configMap: { name: 'settings' } },
      { name: 'two', secret: { secretName: 'keys' } },
      { name: 'three', projected: { sources: [{ configMap: { name: 'more' } }, { serviceAccountToken: {} }] } },
      { name: 'four', emptyDir: {} },
    ],
    imagePullSecrets: [{ name: 'registry' }],
  },
};

test('every ConfigMap and Secret of a template is found, and named anew in every place', () => {
  const names = configurationOf(template).map(({ kind, name }) => `${kind}/${name}`);
  assert.deepEqual(names.sort(), ['ConfigMap/more', 'ConfigMap/settings', 'Secret/keys']);
  const text = JSON.stringify(renamed(template, ({ name }) => `${name}-x`));
  assert.equal(text.match(/"(settings|more|keys)"/g), null);
  assert.match(text, /"registry"/);
  assert.deepEqual(
    renamed(template, () => undefined),
    template,
  );
});

const steps = [{ setWeight: 34 }, { pause: {} }];

function versioned(settings: string) {
  const bench = new Bench();
  const rollout = rolloutOf({ canary: { steps } });
  bench.put(configMap(settings));
  bench.apply({
    ...rollout,
    metadata: { ...rollout.metadata, annotations: { [versionedAnnotation]: 'true' } },
    spec: {
      ...rollout.spec,
      revisionHistoryLimit: 1,
      template: {
        ...rollout.spec.template,
        spec: { containers: [{ name: 'web', image: 'web:1', envFrom: [{ configMapRef: { name: 'settings' } }] }] },
      },
    },
  });
  return bench;
}

function configMap(value: string) {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings', namespace: 'shop' },
    data: { value },
  };
}

const namesOf = (bench: Bench) => bench.cluster.objects('ConfigMap').map(({ metadata }) => metadata.name ?? '');
const contentOf = (bench: Bench, hash: string | undefined) => {
  const set = bench.sets().find(({ metadata }) => metadata.name === `web-${hash}`);
  const [{ name } = { name: '' }] = configurationOf(set?.spec.template ?? {});
  const copy = bench.cluster.objects('ConfigMap').find(({ metadata }) => metadata.name === name);
  return [copy?.immutable, (copy?.data as { value?: string })?.value];
};

test('a change of a ConfigMap is an update with steps; going back takes the ReplicaSet that was before', async () => {
  const bench = versioned('1');
  const first = await bench.settle();
  assert.equal(first.status?.phase, 'Healthy');
  const old = first.status?.stableRS;
  assert.deepEqual(contentOf(bench, old), [true, '1']);
  bench.put(configMap('2'));
  const paused = await bench.settle();
  assert.equal(paused.status?.phase, 'Paused');
  assert.notEqual(paused.status?.currentPodHash, old);
  assert.deepEqual(contentOf(bench, paused.status?.currentPodHash), [true, '2']);
  // the stable pods have what they had
  assert.deepEqual(contentOf(bench, old), [true, '1']);
  bench.patchStatus({ abort: true });
  assert.equal((await bench.settle()).status?.phase, 'Degraded');
  bench.put(configMap('1'));
  const back = await bench.settle();
  assert.equal(back.status?.phase, 'Healthy');
  assert.equal(back.status?.stableRS, old);
  assert.equal(wanted(bench.sets().find(({ metadata }) => metadata.name === `web-${old}`)), 3);
});

test('undo names the copies of its revision, and gets its ReplicaSet', async () => {
  const bench = versioned('1');
  const old = (await bench.settle()).status?.stableRS;
  bench.put(configMap('2'));
  await bench.settle();
  const stored = bench.sets().find(({ metadata }) => metadata.name === `web-${old}`)?.spec.template;
  const { 'rollouts-pod-template-hash': _, ...labels } = stored?.metadata?.labels ?? {};
  const taken = { ...stored, metadata: { ...stored?.metadata, labels } };
  bench.apply({ ...bench.rollout, spec: { ...bench.rollout.spec, template: taken } });
  const back = await bench.settle();
  assert.equal(back.status?.currentPodHash, old);
  assert.equal(namesOf(bench).length, 3);
});

test('what is deleted keeps the copy that the revision has; copies of forgotten revisions go', async () => {
  const bench = versioned('1');
  const hash = (await bench.settle()).status?.stableRS;
  bench.cluster.remove({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'settings' });
  assert.equal((await bench.settle()).status?.currentPodHash, hash);
  for (const value of ['2', '3', '4']) {
    bench.put(configMap(value));
    await bench.settle();
    bench.patchStatus({ promoteFull: true });
    await bench.settle();
  }
  await bench.settle();
  // the object itself, the stable revision and one before it
  assert.equal(namesOf(bench).length, 3);
});
