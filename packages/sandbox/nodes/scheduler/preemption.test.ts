import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Pod } from '@tiphys/kube-controllers';
import { type Client, connect, type KubeObject } from '@tiphys/kubernetes';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';
import { eventually } from '../../kube-controllers/testing/eventually.ts';
import { eventuallyAll } from '../../kube-controllers/testing/eventually-all.ts';

interface Made extends KubeObject {
  reason?: string;
  regarding?: { name?: string };
}

describe('The scheduler', () => {
  let sandbox: Sandbox;
  let client: Client;
  before(async () => {
    const capacity = { cpu: '2', memory: '4Gi', pods: '20' };
    sandbox = await startSandbox({
      nodes: [
        { name: 'a', labels: { zone: 'one', disk: 'slow' }, capacity },
        { name: 'b', labels: { zone: 'two', disk: 'fast' }, capacity },
      ],
    });
    client = connect(sandbox.config, { caller: { component: 'test', purpose: 'test' } });
    for (const [name, value, more] of [
      ['low', 1, {}],
      ['middle', 100, {}],
      ['high', 1000, {}],
      ['polite', 1000, { preemptionPolicy: 'Never' }],
    ] as const)
      await client.create({
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name },
        value,
        ...more,
      } as KubeObject);
  });
  after(async () => {
    await client.close();
    await sandbox.close();
  });

  const create = (name: string, spec: object, labels: Record<string, string> = {}) =>
    client.create<Pod>({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', labels },
      spec,
    } as Pod);
  const cpu = (amount: string, more: object = {}) => ({
    terminationGracePeriodSeconds: 0,
    containers: [{ name: 'main', image: 'i', resources: { requests: { cpu: amount } } }],
    ...more,
  });
  const placed = async (name: string) =>
    (await eventually<Pod>(client, 'v1', 'Pod', name, (pod) => Boolean(pod?.spec.nodeName))).spec.nodeName;
  const remove = async (...names: string[]) => {
    for (const name of names) {
      await client.delete({ apiVersion: 'v1', kind: 'Pod', namespace: 'default', name }, { gracePeriodSeconds: 0 });
      await eventually(client, 'v1', 'Pod', name, (pod) => pod === undefined);
    }
  };

  test('follows the preferences of pods', async () => {
    const preference = { matchExpressions: [{ key: 'disk', operator: 'In', values: ['fast'] }] };
    const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 10, preference }] };
    for (const name of ['fast-1', 'fast-2']) {
      await create(name, cpu('10m', { affinity: { nodeAffinity } }), { app: 'fast' });
      assert.equal(await placed(name), 'b');
    }
    const podAffinityTerm = { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'fast' } } };
    const terms = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm }] };
    await create('near', cpu('10m', { affinity: { podAffinity: terms } }));
    assert.equal(await placed('near'), 'b');
    await create('far', cpu('10m', { affinity: { podAntiAffinity: terms } }));
    assert.equal(await placed('far'), 'a');
    const topologySpreadConstraints = [{ maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway', ...podAffinityTerm }];
    await create('apart', cpu('10m', { topologySpreadConstraints }), { app: 'fast' });
    assert.equal(await placed('apart'), 'a');
    await remove('fast-1', 'fast-2', 'near', 'far', 'apart');
  });

  test('keeps the room of those that it takes off from what is made in their place', async () => {
    const to = { zone: 'one' };
    for (const [name, amount] of [
      ['low', '600m'],
      ['middle', '900m'],
    ] as const) {
      const labels = { app: name };
      const spec = cpu(amount, { priorityClassName: name, nodeSelector: to });
      await client.create({
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { name, namespace: 'default' },
        spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      } as KubeObject);
      await eventuallyAll<Pod>(client, 'v1', 'Pod', (pods) =>
        pods.some((pod) => pod.metadata.labels?.app === name && pod.status?.phase === 'Running'),
      );
    }
    await create('above', cpu('1500m', { priorityClassName: 'high', nodeSelector: to }));
    assert.equal(await placed('above'), 'a');
    const made = (events: Made[]) =>
      events.filter(({ reason, regarding }) => reason === 'SuccessfulCreate' && regarding?.name === 'middle');
    const events = await eventuallyAll<Made>(client, 'events.k8s.io/v1', 'Event', (all) => made(all).length > 1);
    assert.equal(made(events).length, 2);
    for (const name of ['low', 'middle'])
      await client.delete({ apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace: 'default', name });
    await remove('above');
    await eventuallyAll<Pod>(client, 'v1', 'Pod', (pods) => pods.length === 0);
    await client.request('DELETE', '/api/v1/namespaces/default/events');
  });

  test('takes pods of lower priority off for one of higher, sparing what a budget protects', async () => {
    await create('first', cpu('1500m', { priorityClassName: 'low', nodeSelector: { zone: 'one' } }), { app: 'kept' });
    await create('second', cpu('1500m', { priorityClassName: 'low', nodeSelector: { zone: 'two' } }));
    for (const name of ['first', 'second'])
      await eventually<Pod>(client, 'v1', 'Pod', name, (pod) => pod?.status?.phase === 'Running');
    await client.create({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'kept', namespace: 'default' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'kept' } } },
    } as KubeObject);
    await eventually<KubeObject & { status?: { expectedPods?: number } }>(
      client,
      'policy/v1',
      'PodDisruptionBudget',
      'kept',
      (budget) => budget?.status?.expectedPods === 1,
    );
    await create('modest', cpu('1', { priorityClassName: 'polite' }));
    await eventually<Pod>(client, 'v1', 'Pod', 'modest', (pod) =>
      JSON.stringify(pod?.status?.conditions ?? []).includes('Insufficient cpu'),
    );
    await create('urgent', cpu('1', { priorityClassName: 'high' }));
    assert.equal(await placed('urgent'), 'b');
    const { items } = await client.list<Pod>({ apiVersion: 'v1', kind: 'Pod', namespace: 'default' });
    const names = items.map(({ metadata }) => metadata.name).sort();
    assert.ok(names.includes('first') && !names.includes('second'), names.join());
    const events = await client.list<KubeObject & { reason: string; message: string }>({
      apiVersion: 'v1',
      kind: 'Event',
      namespace: 'default',
    });
    assert.match(
      events.items.find(({ reason }) => reason === 'Preempted')?.message ?? '',
      /^Preempted by pod [0-9a-f-]{36} on node b$/,
    );
  });

  test('keeps the room that was made for a pod until it has it', async () => {
    await remove('first', 'urgent', 'modest');
    const stubborn = { command: ['sh', '-c', "trap '' TERM; while true; do sleep 1; done"] };
    const held = cpu('2', {
      priorityClassName: 'low',
      nodeSelector: { zone: 'one' },
      terminationGracePeriodSeconds: 3600,
    });
    await create('held', { ...held, containers: [{ ...held.containers[0], ...stubborn }] });
    await eventually<Pod>(client, 'v1', 'Pod', 'held', (pod) => pod?.status?.phase === 'Running');
    await create('awaited', cpu('1500m', { priorityClassName: 'high', nodeSelector: { zone: 'one' } }));
    const nominated = await eventually<Pod>(client, 'v1', 'Pod', 'awaited', (pod) =>
      Boolean(pod?.status?.nominatedNodeName),
    );
    assert.equal(nominated.status?.nominatedNodeName, 'a');
    await eventually(client, 'v1', 'Pod', 'held', (pod) => pod?.metadata.deletionTimestamp !== undefined);
    const refusal = (pod: Pod | undefined) =>
      pod?.status?.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False')?.message;
    await create('small', cpu('1', { nodeSelector: { zone: 'one' } }));
    await eventually<Pod>(client, 'v1', 'Pod', 'small', (pod) => refusal(pod) !== undefined);
    await remove('held');
    assert.equal(await placed('awaited'), 'a');
    assert.match(
      refusal(await client.get<Pod>({ apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'small' })) ?? '',
      /^0\/2 nodes are available: 1 Insufficient cpu, 1 node\(s\) didn't match Pod's node affinity\/selector\. no new claims/,
    );
    await create('patient', cpu('2', { priorityClassName: 'polite', nodeSelector: { zone: 'one' } }));
    const told = await eventually<Pod>(client, 'v1', 'Pod', 'patient', (pod) => refusal(pod) !== undefined);
    assert.match(refusal(told) ?? '', / preemption: not eligible due to preemptionPolicy=Never\.$/);
    await create('equal', cpu('2', { priorityClassName: 'high', nodeSelector: { zone: 'one' } }));
    const beaten = await eventually<Pod>(client, 'v1', 'Pod', 'equal', (pod) => refusal(pod) !== undefined);
    assert.match(
      refusal(beaten) ?? '',
      / preemption: 0\/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling\.$/,
    );
  });
});
