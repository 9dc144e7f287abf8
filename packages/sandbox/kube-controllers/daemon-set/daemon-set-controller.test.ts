import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Pod } from '../machinery/workload-model.ts';
import { type ControlledCluster, startControlledCluster } from '../testing/controlled-cluster.ts';
import { eventually } from '../testing/eventually.ts';
import { eventuallyAll } from '../testing/eventually-all.ts';
import { playPod } from '../testing/play-pod.ts';
import { nodeOf } from './daemon-pods.ts';
import type { DaemonSet } from './daemon-set-model.ts';

describe('daemon set controller', () => {
  let cluster: ControlledCluster;
  before(async () => {
    cluster = await startControlledCluster();
    for (const name of ['one', 'two', 'reserved']) {
      const taints = name === 'reserved' ? [{ key: 'reserved', effect: 'NoSchedule' }] : [];
      await cluster.client.create({ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: { taints } });
    }
  });
  after(() => cluster.close());

  const living = (count: number, image: string) =>
    eventuallyAll<Pod>(cluster.client, 'v1', 'Pod', (pods) => active(pods, image).length === count).then((pods) =>
      active(pods, image),
    );
  const status = (wanted: (set: DaemonSet) => boolean) =>
    eventually<DaemonSet>(cluster.client, 'apps/v1', 'DaemonSet', 'agent', (set) => set !== undefined && wanted(set));

  it('runs a pod on each node that it tolerates and updates them one by one', async () => {
    const template = {
      metadata: { labels: { app: 'agent' } },
      spec: { containers: [{ name: 'main', image: 'agent:1' }] },
    };
    await cluster.create({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'agent' },
      spec: { selector: { matchLabels: { app: 'agent' } }, template },
    });
    const pods = await living(2, 'agent:1');
    assert.deepEqual(pods.map(nodeOf).sort(), ['one', 'two']);
    for (const pod of pods) await playPod(cluster.client, pod, 'Running');
    const ready = await status((set) => set.status?.numberAvailable === 2);
    assert.equal(ready.status?.desiredNumberScheduled, 2);
    assert.equal(ready.status?.numberUnavailable, undefined);
    const ref = { apiVersion: 'apps/v1', kind: 'DaemonSet', namespace: 'default', name: 'agent' };
    const containers = [{ name: 'main', image: 'agent:2' }];
    await cluster.client.patch(ref, 'strategic', { spec: { template: { spec: { containers } } } });
    const [first] = await living(1, 'agent:2');
    const half = await status((set) => set.status?.updatedNumberScheduled === 1);
    assert.equal(half.status?.numberUnavailable, 1);
    await playPod(cluster.client, first as Pod, 'Running');
    await living(2, 'agent:2');
  });

  it('replaces a pod that failed and tells so', async () => {
    const [pod] = await living(2, 'agent:2');
    await playPod(cluster.client, pod as Pod, 'Failed');
    const name = `default/${pod?.metadata.name} on node ${nodeOf(pod as Pod)}`;
    await cluster.event('DaemonSet', `Warning FailedDaemonPod: Found failed daemon pod ${name}, will try to kill it`);
    const after = await living(2, 'agent:2');
    assert.ok(!after.some(({ metadata }) => metadata.uid === pod?.metadata.uid));
  });
});

function active(pods: readonly Pod[], image: string): Pod[] {
  return pods.filter(
    ({ metadata, spec, status }) =>
      !metadata.deletionTimestamp && status?.phase !== 'Failed' && spec.containers[0]?.image === image,
  );
}
