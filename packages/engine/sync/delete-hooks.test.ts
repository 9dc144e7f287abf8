import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { stepDeleteHooks } from '../index.ts';
import { type TestCluster, testCluster } from '../testing/cluster.ts';

let cluster: TestCluster;
before(async () => {
  cluster = await testCluster();
});
after(() => cluster.close());

const pod = (name: string) =>
  `{apiVersion: v1, kind: Pod, metadata: {name: ${name}, annotations: {argocd.argoproj.io/hook: PreDelete}}, spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}`;

const step = async (yaml: string) =>
  stepDeleteHooks({
    comparison: await cluster.compare(cluster.desired(yaml)),
    type: 'PreDelete',
    cache: cluster.cache,
    client: cluster.client,
    signal: AbortSignal.timeout(10_000),
  });
const end = (name: string, phase: string) =>
  cluster.client.patch(
    { apiVersion: 'v1', kind: 'Pod', name, namespace: 'shop' },
    'merge',
    { status: { phase } },
    { subresource: 'status' },
  );

describe('the hooks of a deletion', () => {
  it('run once, are waited for and cleaned up', async () => {
    assert.deepEqual((await step(pod('backup'))).waitingFor, ['/Pod/backup']);
    assert.equal((await step(pod('backup'))).done, false);
    await end('backup', 'Succeeded');
    assert.equal((await step(pod('backup'))).done, true);
    const left = await cluster.client.find({ apiVersion: 'v1', kind: 'Pod', name: 'backup', namespace: 'shop' });
    assert.ok(!left || left.metadata.deletionTimestamp);
  });

  it('block the deletion with their reason when they fail', async () => {
    await step(pod('broken'));
    await end('broken', 'Failed');
    const { done, failures } = await step(pod('broken'));
    assert.equal(done, false);
    assert.equal(failures[0]?.cause, 'S3');
    assert.equal(failures[0]?.place?.file, 'manifests.yaml');
  });

  it('are nothing to wait for where there are none', async () => {
    assert.deepEqual(await step('{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}'), {
      done: true,
      waitingFor: [],
      failures: [],
    });
  });
});
