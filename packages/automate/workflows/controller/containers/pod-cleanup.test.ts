import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Client, connect, type KubeObject, type RequestRecord, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import type { Pod, Workflow } from '../../model/types.ts';
import { PodCleanup } from './pod-cleanup.ts';

const namespace = 'cleanup';
const finalizer = 'workflows.argoproj.io/status';
const closers: (() => unknown)[] = [];
const sent: string[] = [];
let client: Client;

before(async () => {
  const sandbox = await startSandbox({ controllers: false, nodes: 0 });
  closers.unshift(() => sandbox.close());
  const onRequest = ({ method }: RequestRecord) => void sent.push(method);
  client = connect(sandbox.config, { caller: { component: 'test', purpose: 'cleanup' }, onRequest });
  closers.unshift(() => client.close());
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
});

after(async () => {
  for (const close of closers) await close();
});

const makePod = (name: string, finalizers: string[] = []) =>
  client.create<KubeObject>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, finalizers, annotations: { 'workflows.argoproj.io/node-id': 'w' } },
    spec: { containers: [{ name: 'main', image: 'busybox' }] },
  });

const workflow = {
  metadata: { name: 'w', namespace },
  spec: {},
  status: { phase: 'Succeeded', nodes: { w: { id: 'w', name: 'w', type: 'Pod', phase: 'Succeeded' } } },
} as unknown as Workflow;

const asEnded = (pod: KubeObject) => ({ ...pod, status: { phase: 'Succeeded' } }) as unknown as Pod;

/** What is sent to the API server while the pods are swept as they were seen. */
async function swept(...rounds: readonly Pod[][]): Promise<string[]> {
  const errors: unknown[] = [];
  const stop = new AbortController();
  const cleanup = new PodCleanup({
    client,
    clock: systemClock,
    signals: { send: async () => undefined } as never,
    onError: (_key, error) => void errors.push(error),
    deleteDelay: () => undefined,
    gracePeriodSeconds: () => undefined,
  });
  sent.length = 0;
  const running = cleanup.run(1, stop.signal);
  for (const pods of rounds) {
    cleanup.sweep(workflow, pods);
    while (cleanup.queue.depth + cleanup.queue.busy > 0) await new Promise((resolve) => setImmediate(resolve));
  }
  stop.abort(new Error('over'));
  await running;
  assert.deepEqual(errors, []);
  return [...sent];
}

const labelOf = async (name: string) => {
  const { metadata } = await client.get({ apiVersion: 'v1', kind: 'Pod', namespace, name });
  return [metadata.labels?.['workflows.argoproj.io/completed'], metadata.finalizers ?? []];
};

test('a pod that has ended costs one request, however often it is seen as it was', async () => {
  const pod = asEnded(await makePod('once', [finalizer, 'example.com/other']));
  assert.deepEqual(await swept([pod], [pod], [pod]), ['PATCH']);
  assert.deepEqual(await labelOf('once'), ['true', ['example.com/other']]);
});

test('a pod that has changed since it was seen is asked for, and another one of its name is left alone', async () => {
  const seen = asEnded(await makePod('changed', [finalizer]));
  const ref = { apiVersion: 'v1', kind: 'Pod', namespace, name: 'changed' };
  await client.patch(ref, 'merge', { metadata: { labels: { a: 'b' } } });
  assert.deepEqual(await swept([seen]), ['PATCH', 'GET', 'PATCH']);
  assert.deepEqual(await labelOf('changed'), ['true', []]);
  await client.delete(ref, { gracePeriodSeconds: 0 });
  await makePod('changed');
  await swept([{ ...seen, metadata: { ...seen.metadata, finalizers: [] } }]);
  assert.deepEqual(await labelOf('changed'), [undefined, []]);
});
