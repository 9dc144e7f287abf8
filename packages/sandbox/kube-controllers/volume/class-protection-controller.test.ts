import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { type ControlledCluster, startControlledCluster } from '../testing/controlled-cluster.ts';
import { eventually } from '../testing/eventually.ts';

describe('The protection of VolumeAttributesClasses', () => {
  let cluster: ControlledCluster;
  before(async () => {
    cluster = await startControlledCluster();
  });
  after(() => cluster.close());

  const API = 'storage.k8s.io/v1';
  const ref = (name: string) => ({ apiVersion: API, kind: 'VolumeAttributesClass', name });
  const make = async (name: string) => {
    await cluster.client.create({
      apiVersion: API,
      kind: 'VolumeAttributesClass',
      metadata: { name },
      driverName: 'disk.example.com',
      parameters: { iops: '100' },
    } as KubeObject);
    const { metadata } = await when(name, (found) => (found?.metadata.finalizers ?? []).length > 0);
    assert.deepEqual(metadata.finalizers, ['kubernetes.io/vac-protection']);
  };
  const when = (name: string, fits: (found: KubeObject | undefined) => boolean) =>
    eventually<KubeObject>(cluster.client, API, 'VolumeAttributesClass', name, fits);

  it('lets one go that nothing has', async () => {
    await make('free');
    await cluster.client.delete(ref('free'));
    await when('free', (found) => found === undefined);
  });

  it('keeps one for as long as a claim has it', async () => {
    await make('used');
    await cluster.create({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'disk' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'none',
        volumeAttributesClassName: 'used',
        resources: { requests: { storage: '1Gi' } },
      },
    });
    await make('other');
    await cluster.client.delete(ref('used'));
    await cluster.client.delete(ref('other'));
    await when('other', (found) => found === undefined);
    const held = await when('used', (found) => found?.metadata.deletionTimestamp !== undefined);
    assert.deepEqual(held.metadata.finalizers, ['kubernetes.io/vac-protection']);
    await cluster.client.delete({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      namespace: 'default',
      name: 'disk',
    });
    await when('used', (found) => found === undefined);
  });
});
