import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Deployment, Pod, ReplicaSet } from '../machinery/workload-model.ts';
import { type ControlledCluster, startControlledCluster } from '../testing/controlled-cluster.ts';
import { eventually } from '../testing/eventually.ts';
import { eventuallyAll } from '../testing/eventually-all.ts';
import { playPod } from '../testing/play-pod.ts';

describe('deployment controller', () => {
  let cluster: ControlledCluster;
  before(async () => {
    cluster = await startControlledCluster();
  });
  after(() => cluster.close());

  const create = (name: string, spec: Record<string, unknown>) =>
    cluster.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: {
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'nginx:1' }] } },
        ...spec,
      },
    });
  const patch = (name: string, spec: unknown) =>
    cluster.client.patch({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name }, 'strategic', {
      spec,
    });
  const image = (name: string, to: string) =>
    patch(name, { template: { spec: { containers: [{ name: 'main', image: to }] } } });
  const living = async (app: string, wanted: (pods: Pod[]) => boolean) => {
    const of = (pods: Pod[]) =>
      pods.filter(({ metadata }) => metadata.labels?.app === app && !metadata.deletionTimestamp);
    return of(await eventuallyAll<Pod>(cluster.client, 'v1', 'Pod', (pods) => wanted(of(pods))));
  };
  const sets = async (app: string, wanted: (sizes: number[]) => boolean) => {
    const of = (all: ReplicaSet[]) =>
      all
        .filter(({ metadata }) => metadata.labels?.app === app)
        .sort((a, b) => Number(revision(a)) - Number(revision(b)));
    const sizes = (all: ReplicaSet[]) => of(all).map(({ spec }) => spec.replicas ?? 1);
    return of(await eventuallyAll<ReplicaSet>(cluster.client, 'apps/v1', 'ReplicaSet', (all) => wanted(sizes(all))));
  };
  const status = (name: string, wanted: (deployment: Deployment) => boolean) =>
    eventually<Deployment>(
      cluster.client,
      'apps/v1',
      'Deployment',
      name,
      (deployment) => deployment !== undefined && wanted(deployment),
    );
  /** Runs every pod of the image that does not run yet, once there are as many as asked for. */
  const run = async (app: string, count: number, of = 'nginx:1') => {
    const fits = (pod: Pod) => pod.spec.containers[0]?.image === of;
    const pods = await living(app, (all) => all.filter(fits).length >= count);
    for (const pod of pods)
      if (fits(pod) && pod.status?.phase !== 'Running') await playPod(cluster.client, pod, 'Running');
  };
  const reasonOf = ({ status: found }: Deployment, type: string) =>
    found?.conditions?.find((condition) => condition.type === type)?.reason;

  it('rolls out within maxSurge and maxUnavailable, and keeps as much history as it should', async () => {
    await create('rolling', {
      replicas: 4,
      revisionHistoryLimit: 1,
      strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
    });
    await run('rolling', 4);
    const first = await status(
      'rolling',
      (deployment) => reasonOf(deployment, 'Progressing') === 'NewReplicaSetAvailable',
    );
    assert.equal(revision(first), '1');
    assert.equal(first.status?.availableReplicas, 4);
    await image('rolling', 'nginx:2');
    const [old, next] = await sets('rolling', ([a, b]) => a === 3 && b === 2);
    assert.equal(old?.metadata.annotations?.['deployment.kubernetes.io/max-replicas'], '5');
    assert.equal(next?.metadata.annotations?.['deployment.kubernetes.io/desired-replicas'], '4');
    await run('rolling', 2, 'nginx:2');
    await sets('rolling', ([a, b]) => a === 1 && b === 4);
    await run('rolling', 4, 'nginx:2');
    await sets('rolling', ([a, b]) => a === 0 && b === 4);
    await status('rolling', (deployment) => reasonOf(deployment, 'Progressing') === 'NewReplicaSetAvailable');
    await image('rolling', 'nginx:3');
    for (const count of [2, 4]) await run('rolling', count, 'nginx:3');
    const kept = await sets('rolling', (sizes) => sizes.length === 2 && sizes[1] === 4);
    assert.deepEqual(kept.map(revision), ['2', '3']);
  });

  it('goes back to an old ReplicaSet under a new revision', async () => {
    await create('back', { replicas: 1 });
    await run('back', 1);
    await image('back', 'nginx:2');
    await run('back', 1, 'nginx:2');
    await image('back', 'nginx:1');
    const of = (all: ReplicaSet[]) => all.filter(({ metadata }) => metadata.labels?.app === 'back');
    const revisions = (all: ReplicaSet[]) => of(all).map(revision).sort().join();
    const all = await eventuallyAll<ReplicaSet>(
      cluster.client,
      'apps/v1',
      'ReplicaSet',
      (found) => revisions(found) === '2,3',
    );
    const newest = of(all).find((set) => revision(set) === '3');
    assert.equal(newest?.spec.template.spec.containers[0]?.image, 'nginx:1');
    assert.equal(newest?.metadata.annotations?.['deployment.kubernetes.io/revision-history'], '1');
  });

  it('recreates: no new pod before the last old one is gone', async () => {
    await create('recreate', { replicas: 2, strategy: { type: 'Recreate' } });
    await run('recreate', 2);
    await status('recreate', (deployment) => deployment.status?.availableReplicas === 2);
    const held = await living('recreate', (pods) => pods.length === 2);
    const finalizers = { metadata: { finalizers: ['example.com/held'] } };
    const [first] = held;
    const ref = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: first?.metadata.name ?? '' };
    await cluster.client.patch(ref, 'merge', finalizers);
    await image('recreate', 'nginx:2');
    await eventually(cluster.client, 'v1', 'Pod', ref.name, (pod) => pod?.metadata.deletionTimestamp !== undefined);
    assert.equal((await sets('recreate', (sizes) => sizes.length > 0)).length, 1);
    await cluster.client.patch(ref, 'merge', { metadata: { finalizers: null } });
    for (const pod of held)
      await cluster.client
        .delete({ ...ref, name: pod.metadata.name ?? '' }, { gracePeriodSeconds: 0 })
        .catch(() => undefined);
    await sets('recreate', ([a, b]) => a === 0 && b === 2);
  });

  it('shares a new size between the sets of a rollout that is under way', async () => {
    await create('shared', { replicas: 4, strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } } });
    await run('shared', 4);
    await status('shared', (deployment) => deployment.status?.availableReplicas === 4);
    await image('shared', 'nginx:2');
    await sets('shared', ([a, b]) => a === 4 && b === 2);
    await patch('shared', { replicas: 8 });
    const [old, next] = await sets('shared', ([a = 0, b = 0]) => a + b === 10);
    assert.deepEqual([old?.spec.replicas, next?.spec.replicas], [7, 3]);
  });

  it('says that it does not get on when the deadline has passed', async () => {
    await create('late', { replicas: 1, progressDeadlineSeconds: 1 });
    const late = await status(
      'late',
      (deployment) => reasonOf(deployment, 'Progressing') === 'ProgressDeadlineExceeded',
    );
    const [set] = await sets('late', (sizes) => sizes.length === 1);
    const progressing = late.status?.conditions?.find(({ type }) => type === 'Progressing');
    assert.equal(progressing?.message, `ReplicaSet "${set?.metadata.name}" has timed out progressing.`);
    assert.equal(reasonOf(late, 'Available'), 'MinimumReplicasUnavailable');
    await run('late', 1);
    await status('late', (deployment) => reasonOf(deployment, 'Progressing') === 'NewReplicaSetAvailable');
  });

  it('tells why pods cannot be created', async () => {
    await create('refused', {
      replicas: 1,
      template: {
        metadata: { labels: { app: 'refused' } },
        spec: { serviceAccountName: 'absent', containers: [{ name: 'main', image: 'nginx:1' }] },
      },
    });
    const refused = await status('refused', (deployment) => reasonOf(deployment, 'ReplicaFailure') !== undefined);
    const failure = refused.status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
    assert.equal(failure?.reason, 'FailedCreate');
    assert.match(failure?.message ?? '', /serviceaccount "absent" not found/);
  });

  it('lets go of a ReplicaSet that its selector no longer means, and makes another one', async () => {
    await create('released', { replicas: 1 });
    const [set] = await sets('released', (sizes) => sizes.length === 1);
    const name = set?.metadata.name ?? '';
    const ref = { apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace: 'default', name };
    await cluster.client.patch(ref, 'merge', { metadata: { labels: { app: 'elsewhere' } } });
    const free = (found: ReplicaSet | undefined) => found !== undefined && !found.metadata.ownerReferences?.length;
    await eventually<ReplicaSet>(cluster.client, 'apps/v1', 'ReplicaSet', name, free);
  });

  it('leaves nothing that failed', () =>
    assert.deepEqual(
      cluster.errors.filter((error) => !error.includes('refused')),
      [],
    ));

  it('goes on from the revision of the set that it adopts, however large that is', async () => {
    const labels = { app: 'adopts' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'nginx:1' }] } };
    await cluster.create({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        name: 'adopts-before',
        labels,
        annotations: { 'deployment.kubernetes.io/revision': '3546343826724305832' },
      },
      spec: { replicas: 0, selector: { matchLabels: labels }, template },
    } as never);
    await create('adopts', {
      replicas: 0,
      template: { ...template, spec: { containers: [{ name: 'main', image: 'nginx:2' }] } },
    });
    const { metadata } = await status(
      'adopts',
      ({ metadata: { annotations } }) => (annotations?.['deployment.kubernetes.io/revision'] ?? '').length > 1,
    );
    assert.equal(metadata.annotations?.['deployment.kubernetes.io/revision'], '3546343826724305833');
  });
});

function revision(object: ReplicaSet | Deployment): string | undefined {
  return object.metadata.annotations?.['deployment.kubernetes.io/revision'];
}
