import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type DesiredObject, type GeneratedField, planSync } from '../index.ts';
import { type TestCluster, testCluster } from '../testing/cluster.ts';

let cluster: TestCluster;
before(async () => {
  cluster = await testCluster();
});
after(() => cluster.close());

const base64 = (text: string) => Buffer.from(text).toString('base64');

function field(path: (string | number)[], more: Partial<GeneratedField> = {}): GeneratedField {
  return { path, functions: ['randAlphaNum'], keys: ['k'], ...more };
}

/** A Secret and a Deployment whose generated fields hold the value. */
function desired(value: string, image = 'a:1'): DesiredObject[] {
  const [secret, deployment] = cluster.desired(`apiVersion: v1
kind: Secret
metadata: {name: generated, labels: {plain: "yes"}}
stringData: {password: "${value}"}
data: {url: ${base64(`https://${value}@host`)}, fixed: ${base64('fixed')}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: generated}
spec:
  selector: {matchLabels: {app: x}}
  template:
    metadata: {labels: {app: x}, annotations: {checksum: "${value}-sum"}}
    spec:
      containers:
      - {name: first, image: "${image}"}
      - {name: main, image: "${image}", env: [{name: A, value: a}, {name: PW, value: "${value}"}]}
`) as [DesiredObject, DesiredObject];
  return [
    {
      ...secret,
      generated: [
        field(['stringData', 'password'], { literals: ['', ''] }),
        field(['data', 'url'], { literals: ['https://', '@host'], base64: true }),
      ],
    },
    {
      ...deployment,
      generated: [
        field(['spec', 'template', 'metadata', 'annotations', 'checksum']),
        field(['spec', 'template', 'spec', 'containers', 1, 'env', 1, 'value'], { literals: ['', ''] }),
      ],
    },
  ];
}

const paths = (differences: readonly { path: string }[] | undefined) => differences?.map(({ path }) => path);

async function applied(objects: readonly DesiredObject[]): Promise<void> {
  const state = await cluster.step(objects);
  assert.equal(state.phase, 'Succeeded', state.message);
  const wanted = state.resources.length;
  await cluster.seen(() => cluster.cache.managed('app').length >= wanted);
}

test('generated fields that live holds with other values are noise, and everything else is a difference', async () => {
  await applied(desired('live-value'));
  for (const options of [{}, { serverSideDiff: true }]) {
    const comparison = await cluster.compare(desired('recorded-value'), { options });
    assert.equal(comparison.sync, 'Synced', JSON.stringify(comparison.resources.map(({ differences }) => differences)));
    const [secret, deployment] = comparison.resources;
    assert.deepEqual(paths(secret?.noise), ['data.password', 'data.url']);
    assert.deepEqual(paths(deployment?.noise), [
      'spec.template.metadata.annotations.checksum',
      'spec.template.spec.containers[1].env[1].value',
    ]);
    assert.doesNotMatch(JSON.stringify([secret?.noise, secret?.normalized]), /live-value|recorded-value/);
    const changed = await cluster.compare(desired('recorded-value', 'a:2'), { options });
    assert.deepEqual(
      changed.resources.map(({ key, status }) => `${key.kind} ${status}`),
      ['Secret Synced', 'Deployment OutOfSync'],
    );
    assert.deepEqual(paths(changed.resources[1]?.differences), [
      'spec.template.spec.containers[0].image',
      'spec.template.spec.containers[1].image',
    ]);
  }
  assert.equal((await cluster.compare(desired('live-value'))).resources[0]?.noise, undefined);
});

test('text around what was generated, and a field that live does not have, are differences', async () => {
  await applied(desired('live-value'));
  const [secret, deployment] = desired('recorded-value') as [DesiredObject, DesiredObject];
  const data = { ...(secret.object.data as object), url: base64('https://recorded-value@other-host') };
  const generated = [field(['data', 'url'], { literals: ['https://', '@other-host'], base64: true })];
  const around = await cluster.compare([
    { object: { ...secret.object, data }, origin: secret.origin, generated },
    deployment,
  ]);
  assert.ok(paths(around.resources[0]?.differences)?.includes('data.url'));
  const more = {
    ...secret,
    object: { ...secret.object, stringData: { ...(secret.object.stringData as object), token: 'recorded-token' } },
    generated: [...(secret.generated ?? []), field(['stringData', 'token'])],
  };
  const missing = await cluster.compare([more, deployment]);
  assert.deepEqual(paths(missing.resources[0]?.differences), ['data.token']);
});

test('a value that was changed on purpose is a difference', async () => {
  await applied(desired('live-value'));
  const rotated = desired('rotated-value');
  const changedFields = new Set(rotated.flatMap(({ generated = [] }) => generated));
  const comparison = await cluster.compare(rotated, { changedFields });
  assert.equal(comparison.sync, 'OutOfSync');
  assert.deepEqual(
    comparison.resources.map(({ noise }) => noise),
    [undefined, undefined],
  );
});

test('a sync by itself keeps what live holds; one that is asked for applies the recorded values', async () => {
  await applied(desired('live-value'));
  const comparison = await cluster.compare(desired('recorded-value', 'a:2'));
  const options = { revision: 'abc', startedAt: '2026-01-01T00:00:00Z' };
  const values = (keepGenerated: boolean) =>
    planSync(comparison, { ...options, keepGenerated }).tasks.map((task) => {
      const text = JSON.stringify(task.desired);
      return [/live-value/.test(text), /recorded-value/.test(text)];
    });
  assert.deepEqual(values(true).flat(), [true, false, true, false]);
  assert.deepEqual(values(false).flat(), [false, true, false, true]);
});
