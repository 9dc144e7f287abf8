import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Client, connect, type KubeObject } from '@tiphys/kubernetes';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';
import { startControllerManager } from '../../scripts/cluster/control-plane.ts';

const labels = { app: 'web' };
const template = (command?: string[]) => ({
  metadata: { labels },
  spec: { containers: [{ name: 'main', image: 'nginx:1', ...(command ? { command } : {}) }] },
});

/** The real kube-controller-manager in the place of the sandbox's own controllers; pods run on simulated nodes. */
describe('kube-controller-manager on the sandbox', { timeout: 500_000 }, () => {
  let sandbox: Sandbox;
  let client: Client;
  let manager: Awaited<ReturnType<typeof startControllerManager>>;
  before(async () => {
    sandbox = await startSandbox({ controllers: false });
    client = connect(sandbox.config, { caller: { component: 'test', purpose: 'test' } });
    manager = await startControllerManager(sandbox.kubeconfig);
  });
  after(async () => {
    await manager.stop();
    await client.close();
    await sandbox.close();
  });

  const create = (apiVersion: string, kind: string, name: string, spec: object) =>
    client.create({ apiVersion, kind, metadata: { name, namespace: 'default' }, spec });
  const status = (object: KubeObject | undefined) => (object?.status ?? {}) as Record<string, number>;

  /** Waits by watching until the objects of a kind are as wanted. */
  async function until(apiVersion: string, kind: string, wanted: (objects: KubeObject[]) => boolean): Promise<void> {
    const signal = AbortSignal.timeout(180_000);
    const ref = { apiVersion, kind, ...(kind === 'Namespace' ? {} : { namespace: 'default' }) };
    const { items, metadata } = await client.list(ref);
    const objects = new Map(items.map((item) => [item.metadata.uid, item]));
    if (wanted([...objects.values()])) return;
    const options = { resourceVersion: metadata.resourceVersion ?? '', signal };
    for await (const { type, object } of client.watch(ref, options)) {
      if (type === 'BOOKMARK') continue;
      if (type === 'DELETED') objects.delete(object.metadata.uid);
      else objects.set(object.metadata.uid, object);
      if (wanted([...objects.values()])) return;
    }
  }

  test('rolls a Deployment out, and collects what belonged to it', async () => {
    await create('apps/v1', 'Deployment', 'web', {
      replicas: 2,
      selector: { matchLabels: labels },
      template: template(),
    });
    await until('apps/v1', 'Deployment', ([web]) => status(web).availableReplicas === 2);
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' };
    const image = { spec: { template: { spec: { containers: [{ name: 'main', image: 'nginx:2' }] } } } };
    await client.patch(ref, 'strategic', image);
    await until(
      'apps/v1',
      'Deployment',
      ([web]) => status(web).updatedReplicas === 2 && status(web).availableReplicas === 2 && status(web).replicas === 2,
    );
    await client.delete(ref, { propagationPolicy: 'Foreground' });
    await until('apps/v1', 'Deployment', (all) => all.length === 0);
    await until('v1', 'Pod', (all) => all.length === 0);
    assert.equal(
      (await client.list({ apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace: 'default' })).items.length,
      0,
    );
  });

  test('brings a StatefulSet up in order', async () => {
    await create('apps/v1', 'StatefulSet', 'db', {
      replicas: 2,
      serviceName: 'db',
      selector: { matchLabels: labels },
      template: template(),
    });
    await until('apps/v1', 'StatefulSet', ([db]) => status(db).readyReplicas === 2);
    const { items } = await client.list({ apiVersion: 'v1', kind: 'Pod', namespace: 'default' });
    assert.deepEqual(items.map(({ metadata }) => metadata.name).sort(), ['db-0', 'db-1']);
    await client.delete({ apiVersion: 'apps/v1', kind: 'StatefulSet', namespace: 'default', name: 'db' });
    await until('v1', 'Pod', (all) => all.length === 0);
  });

  test('runs a Job to its end', async () => {
    const pod = { metadata: { labels }, spec: { ...template(['true']).spec, restartPolicy: 'Never' } };
    await create('batch/v1', 'Job', 'once', { completions: 3, parallelism: 2, template: pod });
    await until('batch/v1', 'Job', ([once]) => status(once).succeeded === 3);
    const conditions = (job: KubeObject | undefined) =>
      (job?.status as { conditions?: { type: string }[] })?.conditions;
    await until('batch/v1', 'Job', ([once]) => conditions(once)?.some(({ type }) => type === 'Complete') ?? false);
  });

  test('empties a namespace', async () => {
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'leaving' } });
    await client.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'left', namespace: 'leaving' } });
    await client.delete({ apiVersion: 'v1', kind: 'Namespace', name: 'leaving' });
    await until('v1', 'Namespace', (all) => all.every(({ metadata }) => metadata.name !== 'leaving'));
  });
});
