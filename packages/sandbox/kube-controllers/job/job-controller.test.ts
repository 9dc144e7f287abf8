import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { isPodActive } from '../machinery/pods.ts';
import type { Pod } from '../machinery/workload-model.ts';
import { type ControlledCluster, startControlledCluster } from '../testing/controlled-cluster.ts';
import { eventually } from '../testing/eventually.ts';
import { eventuallyAll } from '../testing/eventually-all.ts';
import { playPod } from '../testing/play-pod.ts';
import { finishedCondition, type Job, trackingFinalizer } from './job-model.ts';

describe('job controller', () => {
  let cluster: ControlledCluster;
  before(async () => {
    cluster = await startControlledCluster();
  });
  after(() => cluster.close());

  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] } };
  const create = (name: string, spec: Record<string, unknown> = {}) =>
    cluster.create({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec: { template, ...spec } });
  const podsOf = (job: KubeObject, count: number) =>
    eventuallyAll<Pod>(cluster.client, 'v1', 'Pod', (pods) => ofJob(job, pods).length === count).then((pods) =>
      ofJob(job, pods),
    );
  const finished = (name: string) =>
    eventually<Job>(cluster.client, 'batch/v1', 'Job', name, (job) => job !== undefined && !!finishedCondition(job));
  const conditions = (job: Job) => job.status?.conditions?.map(({ type, reason, message }) => [type, reason, message]);

  it('completes when its pod succeeds, and releases the pod once it is counted', async () => {
    const [pod] = await podsOf(await create('simple'), 1);
    assert.deepEqual(pod?.metadata.finalizers, [trackingFinalizer]);
    await playPod(cluster.client, pod as Pod, 'Succeeded');
    const job = await finished('simple');
    assert.deepEqual(conditions(job), [
      ['SuccessCriteriaMet', 'CompletionsReached', 'Reached expected number of succeeded pods'],
      ['Complete', 'CompletionsReached', 'Reached expected number of succeeded pods'],
    ]);
    const { succeeded, ready, terminating, uncountedTerminatedPods, completionTime } = job.status ?? {};
    assert.deepEqual({ succeeded, ready, terminating }, { succeeded: 1, ready: 0, terminating: 0 });
    assert.deepEqual(uncountedTerminatedPods, {});
    assert.ok(completionTime);
    const ended = await cluster.client.get({
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: 'default',
      name: pod?.metadata.name ?? '',
    });
    assert.equal(ended.metadata.finalizers, undefined);
  });

  it('fails with the reason when the back-off limit is exceeded', async () => {
    const [pod] = await podsOf(await create('failing', { backoffLimit: 0 }), 1);
    await playPod(cluster.client, pod as Pod, 'Failed');
    const job = await finished('failing');
    assert.deepEqual(conditions(job), [
      ['FailureTarget', 'BackoffLimitExceeded', 'Job has reached the specified backoff limit'],
      ['Failed', 'BackoffLimitExceeded', 'Job has reached the specified backoff limit'],
    ]);
    assert.equal(job.status?.failed, 1);
  });

  it('stops at its deadline and counts the pods that it deletes as failed', async () => {
    await create('late', { activeDeadlineSeconds: 1, parallelism: 2 });
    const job = await finished('late');
    assert.equal(job.status?.conditions?.at(-1)?.reason, 'DeadlineExceeded');
    assert.equal(job.status?.failed, 2);
  });

  it('runs nothing while suspended', async () => {
    const job = await create('suspended', { suspend: true });
    const waiting = await eventually<Job>(
      cluster.client,
      'batch/v1',
      'Job',
      'suspended',
      (object) => object?.status?.conditions?.[0]?.type === 'Suspended',
    );
    assert.equal(waiting.status?.startTime, undefined);
    const ref = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'default', name: 'suspended' };
    await cluster.client.patch(ref, 'merge', { spec: { suspend: false } });
    await podsOf(job, 1);
  });

  it('runs each index of an indexed job and tells which failed', async () => {
    const spec = { completionMode: 'Indexed', completions: 3, parallelism: 3, backoffLimitPerIndex: 0 };
    const pods = await podsOf(await create('indexed', spec), 3);
    assert.deepEqual(
      pods.map((pod) => pod.spec.hostname),
      ['indexed-0', 'indexed-1', 'indexed-2'],
    );
    for (const [index, pod] of pods.entries()) await playPod(cluster.client, pod, index === 1 ? 'Failed' : 'Succeeded');
    const job = await finished('indexed');
    const { completedIndexes, failedIndexes } = job.status ?? {};
    assert.deepEqual({ completedIndexes, failedIndexes }, { completedIndexes: '0,2', failedIndexes: '1' });
    assert.equal(job.status?.conditions?.at(-1)?.message, 'Job has failed indexes');
  });

  it('fails at once for an exit code that its pod failure policy names', async () => {
    const podFailurePolicy = { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }] };
    const [pod] = await podsOf(await create('strict', { podFailurePolicy }), 1);
    await playPod(cluster.client, pod as Pod, 'Failed', 42);
    assert.match(
      (await finished('strict')).status?.conditions?.at(-1)?.message ?? '',
      /^Container main for pod default\/strict-\w+ failed with exit code 42 matching FailJob rule at index 0$/,
    );
  });

  it('lets the pods of a deleted job go', async () => {
    const job = await create('deleted');
    await podsOf(job, 1);
    const ref = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'default', name: 'deleted' };
    await cluster.client.delete(ref, { propagationPolicy: 'Foreground' });
    await eventually(cluster.client, 'batch/v1', 'Job', 'deleted', (object) => object === undefined);
    assert.deepEqual(ofJob(job, await cluster.list<Pod>('v1', 'Pod')), []);
  });

  it('deletes a finished job after its time to live', async () => {
    const [pod] = await podsOf(await create('brief', { ttlSecondsAfterFinished: 0 }), 1);
    await playPod(cluster.client, pod as Pod, 'Succeeded');
    await eventually(cluster.client, 'batch/v1', 'Job', 'brief', (object) => object === undefined);
  });
});

function ofJob(job: KubeObject, pods: readonly Pod[]): Pod[] {
  return pods.filter((pod) => isPodActive(pod) && pod.metadata.ownerReferences?.[0]?.uid === job.metadata.uid);
}
