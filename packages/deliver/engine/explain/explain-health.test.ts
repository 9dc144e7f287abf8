import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { withCause } from '../index.ts';
import { type TestCluster, testCluster } from '../testing/cluster.ts';

let cluster: TestCluster;
before(async () => {
  cluster = await testCluster();
});
after(() => cluster.close());

const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image: 'x', readinessProbe: { httpGet: { path: '/wrong', port: 80 } } }] },
};
const desired = () =>
  cluster.desired(
    JSON.stringify({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { selector: { matchLabels: { app: 'web' } }, template },
    }),
  );

async function setStatus(apiVersion: string, kind: string, name: string, status: unknown): Promise<void> {
  const written = await cluster.client.patch(
    { apiVersion, kind, name, namespace: 'shop' },
    'merge',
    { status },
    { subresource: 'status' },
  );
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] as string) : '';
  await cluster.seen(
    () =>
      cluster.cache.node({ group, kind, namespace: 'shop', name })?.resourceVersion ===
      written.metadata.resourceVersion,
  );
}

async function child(object: KubeObject, owner: KubeObject): Promise<KubeObject> {
  const { apiVersion, kind, metadata } = owner;
  const made = await cluster.client.create({
    ...object,
    metadata: {
      ...object.metadata,
      namespace: 'shop',
      ownerReferences: [{ apiVersion, kind, name: metadata.name ?? '', uid: metadata.uid ?? '', controller: true }],
    },
  });
  await cluster.seen(
    () =>
      cluster.cache.node({
        group: made.apiVersion.includes('/') ? 'apps' : '',
        kind: made.kind,
        namespace: 'shop',
        name: made.metadata.name ?? '',
      }) !== undefined,
  );
  return made;
}

describe('explaining health', () => {
  it('puts the cause at the leaf on the object and on the application', async () => {
    await cluster.step(desired());
    const deployment = await cluster.client.get({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: 'web',
      namespace: 'shop',
    });
    const set = await child(
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { name: 'web-1', labels: { app: 'web' } },
        spec: { selector: { matchLabels: { app: 'web' } }, template },
      },
      deployment,
    );
    await setStatus('apps/v1', 'ReplicaSet', 'web-1', {
      observedGeneration: 1,
      replicas: 0,
      conditions: [
        {
          type: 'ReplicaFailure',
          status: 'True',
          reason: 'FailedCreate',
          message:
            'pods "web-1-x" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1',
        },
      ],
    });
    const quota = await cluster.compare(desired());
    assert.equal(quota.resources[0]?.health?.diagnosis?.cause, 'C6');
    assert.match(quota.health.diagnosis?.message ?? '', /Quota small is used up/);
    await setStatus('apps/v1', 'ReplicaSet', 'web-1', { replicas: 1, conditions: null });

    await child(
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-1-a', labels: { app: 'web' } }, spec: template.spec },
      set,
    );
    await setStatus('v1', 'Pod', 'web-1-a', {
      phase: 'Running',
      containerStatuses: [
        {
          name: 'c',
          image: 'x',
          imageID: '',
          ready: false,
          restartCount: 0,
          state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
        },
      ],
    });
    assert.match(
      (await cluster.compare(desired())).health.diagnosis?.message ?? '',
      /readinessProbe \(GET \/wrong on port 80\) has not succeeded/,
    );

    await setStatus('apps/v1', 'Deployment', 'web', {
      observedGeneration: 1,
      replicas: 1,
      updatedReplicas: 1,
      conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }],
    });
    const late = await cluster.compare(desired());
    assert.equal(late.health.status, 'Degraded');
    assert.equal(late.health.diagnosis?.cause, 'S17');
    assert.equal(late.health.diagnosis?.causes?.[0]?.cause, 'S13');
  });

  it('reads events where the objects themselves say nothing', async () => {
    const claim = cluster.desired(
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'slow', resources: { requests: { storage: '1Gi' } } },
      }),
    );
    await cluster.client.create({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'slow' },
      provisioner: 'shop.example/disks',
    });
    await cluster.step(claim);
    await setStatus('v1', 'PersistentVolumeClaim', 'data', { phase: 'Pending' });
    const live = await cluster.client.get({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      name: 'data',
      namespace: 'shop',
    });
    await cluster.client.create({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e', namespace: 'shop' },
      involvedObject: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        name: 'data',
        namespace: 'shop',
        uid: live.metadata.uid,
      },
      type: 'Warning',
      reason: 'ProvisioningFailed',
      message: 'no disk is left',
    });
    const key = { group: '', kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data' };
    const { diagnosis } = await withCause({ status: 'Progressing' }, key, cluster.cache);
    assert.equal(diagnosis?.cause, 'S14');
    assert.match(diagnosis?.message ?? '', /no disk is left/);
  });
});
