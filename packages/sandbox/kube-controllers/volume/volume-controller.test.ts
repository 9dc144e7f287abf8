import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import type { PersistentVolume, PersistentVolumeClaim } from '../machinery/workload-model.ts';
import { type ControlledCluster, startControlledCluster } from '../testing/controlled-cluster.ts';
import { eventually } from '../testing/eventually.ts';

describe('volume controller', () => {
  let cluster: ControlledCluster;
  before(async () => {
    cluster = await startControlledCluster();
  });
  after(() => cluster.close());

  const claim = (name: string, spec: Record<string, unknown> = {}) =>
    cluster.create({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
    });
  const volume = (name: string, storage: string, more: Record<string, unknown> = {}) =>
    cluster.client.create({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage },
        storageClassName: 'manual',
        hostPath: { path: '/' },
        ...more,
      },
    });
  const bound = (name: string) =>
    eventually<PersistentVolumeClaim>(
      cluster.client,
      'v1',
      'PersistentVolumeClaim',
      name,
      (object) => object?.status?.phase === 'Bound',
    );

  it('binds a claim to the smallest volume of its class that is large enough, and releases it', async () => {
    await volume('large', '5Gi');
    await volume('small', '512Mi');
    await volume('fitting', '2Gi');
    for (const name of ['large', 'small', 'fitting'])
      await eventually<PersistentVolume>(
        cluster.client,
        'v1',
        'PersistentVolume',
        name,
        (object) => object?.status?.phase === 'Available',
      );
    await claim('static', { storageClassName: 'manual' });
    const { spec, status } = await bound('static');
    assert.equal(spec.volumeName, 'fitting');
    assert.deepEqual(status?.capacity, { storage: '2Gi' });
    const ref = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'default', name: 'static' };
    await cluster.client.delete(ref);
    await eventually<PersistentVolume>(
      cluster.client,
      'v1',
      'PersistentVolume',
      'fitting',
      (object) => object?.status?.phase === 'Released',
    );
  });

  it('simulates a volume of the default class once a pod uses the claim', async () => {
    await eventually(cluster.client, 'storage.k8s.io/v1', 'StorageClass', 'standard', (object) => object !== undefined);
    await claim('used');
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'used' } }];
    await cluster.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'user' },
      spec: { containers: [{ name: 'main', image: 'nginx' }], volumes },
    });
    const { spec, metadata } = await bound('used');
    assert.equal(spec.storageClassName, 'standard');
    assert.equal(spec.volumeName, `pvc-${metadata.uid}`);
  });

  it('makes the claim of a generic ephemeral volume, which goes with its pod', async () => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const volumes = [{ name: 'scratch', ephemeral: { volumeClaimTemplate: { spec } } }];
    await cluster.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'brief' },
      spec: { containers: [{ name: 'main', image: 'nginx' }], volumes },
    });
    await bound('brief-scratch');
    await cluster.client.delete({ apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'brief' });
    const kind = 'PersistentVolumeClaim';
    await eventually(cluster.client, 'v1', kind, 'brief-scratch', (object) => object === undefined);
  });

  it('lets a claim grow where its class does', async () => {
    await cluster.client.create({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'elastic' },
      provisioner: 'example.com/elastic',
      allowVolumeExpansion: true,
    } as KubeObject);
    await claim('growing', { storageClassName: 'elastic' });
    const made = await bound('growing');
    const spec = { ...made.spec, resources: { requests: { storage: '3Gi' } } };
    await cluster.client.update({ ...made, spec });
    await eventually<PersistentVolumeClaim>(
      cluster.client,
      'v1',
      'PersistentVolumeClaim',
      'growing',
      (object) => object?.status?.capacity?.storage === '3Gi',
    );
  });

  it('tells why a claim of a class that does not exist waits', async () => {
    await claim('classless', { storageClassName: 'no-such-class' });
    await cluster.event(
      'PersistentVolumeClaim',
      'Warning ProvisioningFailed: storageclass.storage.k8s.io "no-such-class" not found',
    );
  });

  it('deletes a volume below /tmp whose policy is so, and says of another one that it cannot', async () => {
    const own = { storageClassName: 'deleted', persistentVolumeReclaimPolicy: 'Delete' };
    for (const [name, path] of [
      ['temporary', '/tmp/x'],
      ['lasting', '/x'],
    ] as const) {
      await volume(name, '1Gi', { ...own, hostPath: { path } });
      await claim(name, { storageClassName: 'deleted', volumeName: name });
      await bound(name);
      const ref = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'default', name };
      await cluster.client.delete(ref);
    }
    const ended = (name: string, wanted: (object: PersistentVolume | undefined) => boolean) =>
      eventually<PersistentVolume>(cluster.client, 'v1', 'PersistentVolume', name, wanted);
    await ended('temporary', (object) => object === undefined);
    const { status } = await ended('lasting', (object) => object?.status?.phase === 'Failed');
    assert.equal(status?.message, 'host_path deleter only supports /tmp/.+ but received provided /x');
    await cluster.client.delete({ apiVersion: 'v1', kind: 'PersistentVolume', name: 'lasting' });
    await ended('lasting', (object) => object === undefined);
  });
});
