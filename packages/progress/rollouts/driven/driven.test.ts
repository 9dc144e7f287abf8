import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Rollout, RolloutStatus } from '@tiphys/api';
import { type Client, connect, type KubeObject, pause, systemClock } from '@tiphys/kubernetes';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';
import { startRolloutsFamily } from '../run/family.ts';

const namespace = 'data';

describe('Rollouts of workloads that keep their pods', () => {
  let sandbox: Sandbox;
  let client: Client;
  const stop = new AbortController();
  const scratch = mkdtempSync(join(tmpdir(), 'tiphys-driven-'));
  let close: () => Promise<void>;
  const failures: string[] = [];

  before(async () => {
    sandbox = await startSandbox({ nodes: 4 });
    client = connect(sandbox.config, { caller: { component: 'test', purpose: 'driven workloads' } });
    for (const name of [namespace, 'argo-rollouts'])
      await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const family = await startRolloutsFamily({
      client,
      namespace: 'argo-rollouts',
      clock: systemClock,
      signal: stop.signal,
      onError: (key, error) => failures.push(`${key}: ${error}`),
      env: {},
      scratch,
    });
    close = () => family.close();
  });

  after(async () => {
    await close?.();
    stop.abort();
    await client.close();
    await sandbox.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  const refTo = (kind: string, name: string) => ({
    apiVersion: kind === 'Rollout' ? 'argoproj.io/v1alpha1' : 'apps/v1',
    ...{ kind, namespace, name },
  });

  async function until(name: string, check: (status: RolloutStatus) => boolean): Promise<RolloutStatus> {
    const limit = AbortSignal.timeout(120_000);
    for (;;) {
      const { status = {} } = await client.get<Rollout>(refTo('Rollout', name));
      const isSeen = status.workloadObservedGeneration !== undefined;
      if (isSeen && check(status)) return status;
      if (limit.aborted) assert.fail(`${name} did not come there: ${JSON.stringify(status)} ${failures.join('\n')}`);
      await pause(systemClock, 50);
    }
  }

  async function podsWhere(name: string, check: (images: string[]) => boolean): Promise<void> {
    const limit = AbortSignal.timeout(120_000);
    for (;;) {
      const { items } = await client.list(
        { apiVersion: 'v1', kind: 'Pod', namespace },
        { labelSelector: `app=${name}` },
      );
      const images = items
        .sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
        .map(({ spec }) => (spec as { containers: { image: string }[] }).containers[0]?.image ?? '');
      if (check(images)) return;
      if (limit.aborted) assert.fail(`the pods of ${name} are ${images.join(', ')}`);
      await pause(systemClock, 50);
    }
  }

  async function start(kind: 'StatefulSet' | 'DaemonSet', name: string, steps: unknown[], more: object = {}) {
    const labels = { app: name };
    const workload: KubeObject = {
      apiVersion: 'apps/v1',
      kind,
      metadata: { name, namespace },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'data:1' }] } },
        ...(kind === 'StatefulSet' ? { replicas: 4, serviceName: name } : {}),
      },
    };
    await client.create(workload);
    await client.create({
      ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', metadata: { name, namespace } },
      spec: { workloadRef: { apiVersion: 'apps/v1', kind, name }, strategy: { canary: { steps, ...more } } },
    });
    const status = await until(name, ({ phase, availableReplicas }) => phase === 'Healthy' && availableReplicas === 4);
    return { before: status, update: (image: string) => setImage(kind, name, image) };
  }

  async function setImage(kind: string, name: string, image: string): Promise<void> {
    await client.patch(refTo(kind, name), 'json', [
      { op: 'replace', path: '/spec/template/spec/containers/0/image', value: image },
    ]);
  }

  const promote = (name: string) =>
    client.patch(refTo('Rollout', name), 'merge', { status: { pauseConditions: null } }, { subresource: 'status' });
  const abort = (name: string) =>
    client.patch(refTo('Rollout', name), 'merge', { status: { abort: true } }, { subresource: 'status' });
  const partition = async (name: string) => {
    const { spec } = await client.get(refTo('StatefulSet', name));
    return (spec as { updateStrategy: { rollingUpdate?: { partition?: number } } }).updateStrategy.rollingUpdate
      ?.partition;
  };

  it('moves the partition of a StatefulSet step by step, and holds the next template at rest', async () => {
    const { update } = await start('StatefulSet', 'db', [{ setWeight: 25 }, { pause: {} }]);
    await update('data:2');
    const paused = await until('db', ({ phase }) => phase === 'Paused');
    assert.equal(paused.updatedReplicas, 1);
    assert.equal(await partition('db'), 3);
    await podsWhere('db', (images) => images.join() === 'data:1,data:1,data:1,data:2');
    await promote('db');
    const done = await until('db', ({ phase, stableRS }) => phase === 'Healthy' && stableRS === paused.currentPodHash);
    assert.equal(done.updatedReplicas, 4);
    await podsWhere('db', (images) => images.join() === 'data:2,data:2,data:2,data:2');
    const limit = AbortSignal.timeout(120_000);
    while ((await partition('db')) !== 4) {
      if (limit.aborted) assert.fail(`the partition stays ${await partition('db')}`);
      await pause(systemClock, 50);
    }
  });

  it('takes the pods of a StatefulSet back after an abort, and all after the template is taken back', async () => {
    const { update } = await start('StatefulSet', 'queue', [{ setWeight: 50 }, { pause: {} }]);
    await update('data:2');
    await until('queue', ({ phase, updatedReplicas }) => phase === 'Paused' && updatedReplicas === 2);
    await abort('queue');
    await until('queue', ({ phase, updatedReplicas = 0 }) => phase === 'Degraded' && updatedReplicas === 0);
    await podsWhere('queue', (images) => images.join() === 'data:1,data:1,data:1,data:1');
    await update('data:1');
    const back = await until('queue', ({ phase, abort: isAborted }) => phase === 'Healthy' && !isAborted);
    assert.equal(back.stableRS, back.currentPodHash);
  });

  it('replaces the pods of a DaemonSet node by node, within maxUnavailable', async () => {
    const { update } = await start('DaemonSet', 'agent', [{ setWeight: 50 }, { pause: {} }], { maxUnavailable: 1 });
    await update('data:2');
    const paused = await until('agent', ({ phase }) => phase === 'Paused');
    assert.equal(paused.updatedReplicas, 2);
    await podsWhere('agent', (images) => images.filter((image) => image === 'data:2').length === 2);
    await promote('agent');
    await until('agent', ({ phase, stableRS }) => phase === 'Healthy' && stableRS === paused.currentPodHash);
    await podsWhere('agent', (images) => images.every((image) => image === 'data:2') && images.length === 4);
  });

  it('updates several workloads together: none goes on before all are there, and an abort of one is of all', async () => {
    const annotate = (name: string) =>
      client.patch(refTo('Rollout', name), 'merge', { metadata: { annotations: { 'tiphys.dev/release': 'shop' } } });
    const one = await start('StatefulSet', 'orders', [{ setWeight: 25 }, { setWeight: 50 }, { setWeight: 75 }]);
    const two = await start('StatefulSet', 'stock', [{ setWeight: 25 }, { pause: {} }, { setWeight: 75 }]);
    await Promise.all(['orders', 'stock'].map(annotate));
    await Promise.all([one.update('data:2'), two.update('data:2')]);
    await until('stock', ({ phase }) => phase === 'Paused');
    const held = await until(
      'orders',
      ({ currentStepIndex, diagnoses }) => currentStepIndex === 2 && diagnoses?.[0]?.code === 'RolloutReleaseBehind',
    );
    assert.equal(held.currentPodHash === held.stableRS, false);
    await promote('stock');
    for (const name of ['orders', 'stock'])
      await until(name, ({ phase, stableRS, currentPodHash }) => phase === 'Healthy' && stableRS === currentPodHash);
    await Promise.all([one.update('data:3'), two.update('data:3')]);
    await until('stock', ({ phase }) => phase === 'Paused');
    await abort('stock');
    for (const name of ['stock', 'orders']) {
      await until(name, ({ phase, updatedReplicas = 0 }) => phase === 'Degraded' && updatedReplicas === 0);
      await podsWhere(name, (images) => images.join() === 'data:2,data:2,data:2,data:2');
    }
  });

  it('refuses what such workloads cannot have', async () => {
    await client.create({
      ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', metadata: { name: 'routed', namespace } },
      spec: {
        workloadRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' },
        strategy: { canary: { canaryMetadata: { labels: { role: 'canary' } } } },
      },
    });
    const limit = AbortSignal.timeout(120_000);
    for (;;) {
      const { status } = await client.get<Rollout>(refTo('Rollout', 'routed'));
      const refused = status?.conditions?.find(({ type }) => type === 'InvalidSpec')?.message ?? '';
      if (/canaryMetadata: .* is not served for a StatefulSet/.test(refused)) break;
      if (limit.aborted) assert.fail(`it is not refused: ${JSON.stringify(status)}`);
      await pause(systemClock, 50);
    }
  });
});
