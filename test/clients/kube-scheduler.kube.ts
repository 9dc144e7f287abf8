import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Client, connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { type Sandbox, startNodes, startSandbox } from '@tiphys/sandbox';
import { startKubeScheduler } from '../../scripts/cluster/control-plane.ts';

interface Pod extends KubeObject {
  spec: { nodeName?: string };
  status?: { phase?: string; conditions?: { type: string; message?: string }[] };
}

const container = (requests = {}) => ({ name: 'main', image: 'nginx', resources: { requests } });

/** The real kube-scheduler in the place of the sandbox's own; pods run on simulated nodes. */
describe('kube-scheduler on the sandbox', { timeout: 500_000 }, () => {
  const abort = new AbortController();
  let sandbox: Sandbox;
  let client: Client;
  let scheduler: Awaited<ReturnType<typeof startKubeScheduler>>;
  before(async () => {
    sandbox = await startSandbox({ nodes: 0 });
    client = connect(sandbox.config, { caller: { component: 'test', purpose: 'test' } });
    const nodes = [
      { name: 'plain' },
      { name: 'tainted', labels: { zone: 'b' }, taints: [{ key: 'own', effect: 'NoSchedule' as const }] },
      { name: 'small', capacity: { cpu: '1', memory: '1Gi', pods: '10' } },
    ];
    await startNodes(client, { nodes, clock: systemClock, signal: abort.signal, scheduler: false });
    scheduler = await startKubeScheduler(sandbox.kubeconfig);
  });
  after(async () => {
    abort.abort(new Error('the test is over'));
    await scheduler?.stop();
    await client.close();
    await sandbox.close();
  });

  const create = (name: string, spec: object, labels = {}) =>
    client.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default', labels }, spec });

  /** Waits by watching until a pod is as wanted. */
  async function until(name: string, wanted: (pod: Pod) => boolean): Promise<Pod> {
    const ref = { apiVersion: 'v1', kind: 'Pod', namespace: 'default' };
    const fieldSelector = `metadata.name=${name}`;
    const { items, metadata } = await client.list<Pod>(ref, { fieldSelector });
    const [known] = items;
    if (known && wanted(known)) return known;
    const options = {
      fieldSelector,
      resourceVersion: metadata.resourceVersion ?? '',
      signal: AbortSignal.timeout(180_000),
    };
    for await (const { type, object } of client.watch<Pod>(ref, options))
      if (type !== 'BOOKMARK' && wanted(object as Pod)) return object as Pod;
    throw new Error(`${name} was not as wanted`);
  }
  const isRunning = ({ status }: Pod) => status?.phase === 'Running';

  test('binds pods where they fit, and spreads them', async () => {
    const spread = {
      maxSkew: 1,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'DoNotSchedule',
      nodeTaintsPolicy: 'Honor',
      labelSelector: { matchLabels: { app: 'web' } },
    };
    for (const name of ['web-1', 'web-2'])
      await create(
        name,
        { topologySpreadConstraints: [spread], containers: [container({ cpu: '500m' })] },
        { app: 'web' },
      );
    const pods = [await until('web-1', isRunning), await until('web-2', isRunning)];
    assert.deepEqual(pods.map(({ spec }) => spec.nodeName).sort(), ['plain', 'small']);
  });

  test('tells why a pod fits nowhere', async () => {
    await create('large', { containers: [container({ cpu: '100' })] });
    const pod = await until('large', ({ status }) => Boolean(status?.conditions?.length));
    assert.match(
      pod.status?.conditions?.[0]?.message ?? '',
      /^0\/3 nodes are available: 1 node\(s\) had untolerated taint\(s\), 2 Insufficient cpu\./,
    );
  });

  test('binds a claim that waits for its first consumer, on the node that is asked for', async () => {
    await client.create({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'default' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    await create('claiming', {
      nodeSelector: { zone: 'b' },
      tolerations: [{ operator: 'Exists' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      containers: [container()],
    });
    assert.equal((await until('claiming', isRunning)).spec.nodeName, 'tainted');
  });

  test('takes pods of lower priority off where there is no room', async () => {
    await client.create({
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'urgent' },
      value: 1000,
    });
    const onSmall = { nodeSelector: { 'kubernetes.io/hostname': 'small' } };
    await create('cheap', { ...onSmall, containers: [container({ memory: '900Mi' })] });
    await until('cheap', isRunning);
    await create('dear', { ...onSmall, priorityClassName: 'urgent', containers: [container({ memory: '900Mi' })] });
    assert.equal((await until('dear', isRunning)).spec.nodeName, 'small');
    assert.equal(await client.find({ apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'cheap' }), undefined);
  });
});
