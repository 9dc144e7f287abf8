import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Pod } from '../machinery/workload-model.ts';
import { type ControlledCluster, startControlledCluster } from '../testing/controlled-cluster.ts';
import { eventually } from '../testing/eventually.ts';
import { eventuallyAll } from '../testing/eventually-all.ts';
import { playPod } from '../testing/play-pod.ts';
import type { StatefulSet } from './stateful-set-model.ts';

describe('stateful set controller', () => {
  let cluster: ControlledCluster;
  before(async () => {
    cluster = await startControlledCluster();
  });
  after(() => cluster.close());

  const create = (name: string, spec: Record<string, unknown>) =>
    cluster.create({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name },
      spec: {
        serviceName: name,
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'nginx:1' }] } },
        ...spec,
      },
    });
  const patch = (name: string, type: 'merge' | 'strategic', spec: unknown) =>
    cluster.client.patch({ apiVersion: 'apps/v1', kind: 'StatefulSet', namespace: 'default', name }, type, { spec });
  const living = (app: string, wanted: (pods: Pod[]) => boolean) =>
    eventuallyAll<Pod>(cluster.client, 'v1', 'Pod', (pods) => wanted(ofApp(app, pods))).then((pods) =>
      ofApp(app, pods),
    );
  const run = async (app: string, count: number, image = 'nginx:1') => {
    const pods = await living(app, (all) => all.filter((pod) => isPending(pod, image)).length >= count);
    for (const pod of pods) if (isPending(pod, image)) await playPod(cluster.client, pod, 'Running');
  };
  const status = (name: string, wanted: (set: StatefulSet) => boolean) =>
    eventually<StatefulSet>(cluster.client, 'apps/v1', 'StatefulSet', name, (set) => set !== undefined && wanted(set));

  it('creates pods one after the other, updates them downwards to the partition, and scales down', async () => {
    await create('ordered', { replicas: 2 });
    const [first] = await living('ordered', (pods) => pods.length === 1);
    assert.equal(first?.metadata.name, 'ordered-0');
    assert.equal(first?.metadata.labels?.['apps.kubernetes.io/pod-index'], '0');
    await run('ordered', 1);
    await run('ordered', 1);
    const { status: before } = await status('ordered', (set) => set.status?.availableReplicas === 2);
    assert.equal(before?.currentRevision, before?.updateRevision);
    await patch('ordered', 'strategic', {
      template: { spec: { containers: [{ name: 'main', image: 'nginx:2' }] } },
      updateStrategy: { rollingUpdate: { partition: 1 } },
    });
    await run('ordered', 1, 'nginx:2');
    const half = await status('ordered', (set) => set.status?.updatedReplicas === 1 && set.status.readyReplicas === 2);
    assert.equal(half.status?.currentReplicas, 1);
    assert.notEqual(half.status?.currentRevision, half.status?.updateRevision);
    const pods = await living('ordered', (all) => all.length === 2);
    assert.deepEqual(
      pods.map((pod) => pod.spec.containers[0]?.image),
      ['nginx:1', 'nginx:2'],
    );
    await patch('ordered', 'merge', { replicas: 1 });
    assert.deepEqual(
      (await living('ordered', (all) => all.length === 1)).map((pod) => pod.metadata.name),
      ['ordered-0'],
    );
  });

  it('creates the pods of a parallel set at once, each with its claims', async () => {
    const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    await create('parallel', {
      replicas: 2,
      podManagementPolicy: 'Parallel',
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }],
    });
    const pods = await living('parallel', (all) => all.length === 2);
    assert.deepEqual(
      pods.map((pod) => pod.spec.volumes?.[0]?.persistentVolumeClaim?.claimName),
      ['data-parallel-0', 'data-parallel-1'],
    );
    const claims = await cluster.list('v1', 'PersistentVolumeClaim');
    assert.deepEqual(claims.map(({ metadata }) => metadata.name).sort(), ['data-parallel-0', 'data-parallel-1']);
  });

  it('updates the pods of a parallel set one after the other', async () => {
    await create('turns', { replicas: 2, podManagementPolicy: 'Parallel' });
    await run('turns', 2);
    await status('turns', (set) => set.status?.availableReplicas === 2);
    await patch('turns', 'strategic', { template: { spec: { containers: [{ name: 'main', image: 'nginx:2' }] } } });
    const images = (pods: Pod[]) => pods.map((pod) => pod.spec.containers[0]?.image).join();
    await living('turns', (pods) => images(pods) === 'nginx:1,nginx:2');
    const half = await status('turns', (set) => set.status?.updatedReplicas === 1 && set.status.replicas === 2);
    assert.equal(half.status?.availableReplicas, 1);
    await run('turns', 1, 'nginx:2');
    await living('turns', (pods) => images(pods) === 'nginx:2,nginx:2');
  });

  it('takes over the revisions that a set of its name has left', async () => {
    await create('heir', { replicas: 0 });
    await status('heir', (set) => set.status?.updateRevision !== undefined);
    const ref = { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace: 'default', name: 'heir' };
    await cluster.client.delete(ref, { propagationPolicy: 'Orphan' });
    await eventually(cluster.client, 'apps/v1', 'StatefulSet', 'heir', (set) => set === undefined);
    const { metadata }: KubeObject = await create('heir', { replicas: 0 });
    await eventuallyAll(cluster.client, 'apps/v1', 'ControllerRevision', (all) =>
      all.some((revision) => revision.metadata.ownerReferences?.[0]?.uid === metadata.uid),
    );
    const revisions = await cluster.list('apps/v1', 'ControllerRevision');
    assert.equal(revisions.filter((revision) => revision.metadata.name?.startsWith('heir-')).length, 1);
  });

  it('names its revisions as kube-controller-manager does', async () => {
    const set: KubeObject = await create('hashed', { replicas: 0 });
    const { status: found } = await status('hashed', (each) => each.status?.updateRevision !== undefined);
    assert.match(found?.updateRevision ?? '', /^hashed-[b-df-hj-np-tv-z2456789]{8,10}$/);
    const revisions = await cluster.list('apps/v1', 'ControllerRevision');
    const own = revisions.find(({ metadata }) => metadata.ownerReferences?.[0]?.uid === set.metadata.uid);
    assert.equal(own?.metadata.name, `hashed-${own?.metadata.labels?.['controller.kubernetes.io/hash']}`);
  });
});

function ofApp(app: string, pods: readonly Pod[]): Pod[] {
  return pods.filter(({ metadata }) => metadata.labels?.app === app && !metadata.deletionTimestamp);
}

function isPending(pod: Pod, image: string): boolean {
  return pod.status?.phase === 'Pending' && pod.spec.containers[0]?.image === image;
}
