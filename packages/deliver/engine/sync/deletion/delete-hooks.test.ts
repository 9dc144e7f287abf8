import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { stepDeleteHooks } from '../../index.ts';
import { type TestCluster, testCluster } from '../../testing/cluster.ts';

let cluster: TestCluster;
before(async () => {
  cluster = await testCluster();
});
after(() => cluster.close());

const pod = (name: string, policy = 'BeforeHookCreation') =>
  `{apiVersion: v1, kind: Pod, metadata: {name: ${name}, annotations: {argocd.argoproj.io/hook: PreDelete, argocd.argoproj.io/hook-delete-policy: ${policy}}}, spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}`;

const step = async (yaml: string, { retry = false, since = '2020-01-01T00:00:00Z' } = {}) =>
  stepDeleteHooks({
    comparison: await cluster.compare(cluster.desired(yaml)),
    type: 'PreDelete',
    cache: cluster.cache,
    client: cluster.client,
    since,
    retry,
    signal: AbortSignal.timeout(120_000),
  });
const find = (name: string) => cluster.client.find({ apiVersion: 'v1', kind: 'Pod', name, namespace: 'shop' });
const end = (name: string, phase: string) =>
  cluster.client.patch(
    { apiVersion: 'v1', kind: 'Pod', name, namespace: 'shop' },
    'merge',
    { status: { phase } },
    { subresource: 'status' },
  );

describe('the hooks of a deletion', () => {
  it('run once, are waited for, and go where their policy says so', async () => {
    const yaml = `${pod('backup', 'HookSucceeded')}\n---\n${pod('stays')}`;
    assert.deepEqual((await step(yaml)).waitingFor, ['/Pod/backup', '/Pod/stays']);
    assert.equal((await step(yaml)).done, false);
    await end('backup', 'Succeeded');
    await end('stays', 'Succeeded');
    assert.equal((await step(yaml)).done, true);
    const left = await find('backup');
    assert.ok(!left || left.metadata.deletionTimestamp);
    assert.equal((await find('stays'))?.metadata.deletionTimestamp, undefined);
  });

  it('run although an application of the same name left the object of an earlier run', async () => {
    await step(pod('again'));
    await end('again', 'Succeeded');
    const old = await find('again');
    const since = new Date(Date.parse(String(old?.metadata.creationTimestamp)) + 1000).toISOString();
    assert.equal((await step(pod('again'), { since })).done, false);
    const left = await find('again');
    assert.ok(!left || left.metadata.deletionTimestamp);
  });

  it('block the deletion with their reason when they fail', async () => {
    await step(pod('broken'));
    await end('broken', 'Failed');
    const { done, failures } = await step(pod('broken'));
    assert.equal(done, false);
    assert.equal(failures[0]?.cause, 'S3');
    assert.equal(failures[0]?.place?.file, 'manifests.yaml');
    const retried = await step(pod('broken'), { retry: true });
    assert.deepEqual([retried.done, retried.failures], [false, []]);
    const left = await find('broken');
    assert.ok(!left || left.metadata.deletionTimestamp, 'it made way for another run');
  });

  it('are nothing to wait for where there are none', async () => {
    assert.deepEqual(await step('{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}'), {
      done: true,
      waitingFor: [],
      failures: [],
    });
  });
});
