import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { type Client, type ClusterConfig, connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import type { Workflow } from '../model/types.ts';
import { startSimulatedExecutor } from '../simulated-executor/simulated-executor.ts';

const worker = join(import.meta.dirname, 'testing', 'controller-worker.ts');
const shards = 3;
const names = Array.from({ length: 3 }, (_, index) => `w${index}`);
const timeout = AbortSignal.timeout(600_000);

let client: Client;
let config: ClusterConfig;
const processes = new Set<ChildProcess>();
const closers: (() => unknown)[] = [];

before(async () => {
  const sandbox = await startSandbox({ nodes: 1 });
  config = sandbox.config;
  client = connect(config, { caller: { component: 'test', purpose: 'killed controllers' } });
  const abort = new AbortController();
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argo' } });
  const first = await controller();
  await startSimulatedExecutor({ client, clock: systemClock, signal: abort.signal, onError: () => undefined });
  closers.push(
    () => abort.abort(new Error('over')),
    () => client.close(),
    () => sandbox.close(),
  );
  await heldBy(first);
});

after(async () => {
  for (const each of processes) await kill(each);
  for (const close of closers) await close();
});

/** Starts a controller as a process of its own, and waits until it has seen what is there. */
async function controller(): Promise<ChildProcess> {
  const args = ['--disable-warning=ExperimentalWarning', worker, JSON.stringify(config), String(shards)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  processes.add(child);
  for await (const line of createInterface({ input: child.stdout })) if (line === 'started') return child;
  throw new Error('the controller ended before it had started');
}

async function kill(child: ChildProcess): Promise<void> {
  if (!processes.delete(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Waits until a process holds all shards. */
async function heldBy({ pid }: ChildProcess): Promise<void> {
  const ref = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: 'argo' };
  const held = new Set<string>();
  const see = ({ metadata, spec }: KubeObject) => {
    // a bookmark has no content
    const { holderIdentity = '' } = (spec ?? {}) as { holderIdentity?: string };
    if (holderIdentity.includes(`_${pid}_`)) held.add(metadata.name ?? '');
    return held.size === shards;
  };
  const { items, metadata } = await client.list(ref);
  if (items.some(see)) return;
  const resourceVersion = metadata.resourceVersion ?? '';
  for await (const { object } of client.watch<KubeObject>(ref, { resourceVersion, signal: timeout }))
    if (see(object)) return;
}

const spec = {
  entrypoint: 'main',
  templates: [
    { name: 'main', steps: [1, 2, 3].map((step) => [1, 2].map((n) => ({ name: `s${step}-${n}`, template: 'say' }))) },
    { name: 'say', container: { image: 'alpine', command: ['echo', 'hello'] } },
  ],
};

test('controllers that are killed in the middle of workflows are followed by others, and no node runs twice', async () => {
  const second = await controller();
  const pods = new Map<string, string[]>();
  const podsRef = { apiVersion: 'v1', kind: 'Pod', namespace: 'default' };
  const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', namespace: 'default' };
  const over = new AbortController();
  const [{ metadata: seenPods }, { metadata: seen }] = [await client.list(podsRef), await client.list(ref)];
  const [first] = processes;
  const kills = new Map([
    [3, first],
    [10, second],
  ]);
  const killed: Promise<unknown>[] = [];
  const watching = (async () => {
    const options = {
      resourceVersion: seenPods.resourceVersion ?? '',
      signal: AbortSignal.any([timeout, over.signal]),
    };
    for await (const { type, object } of client.watch<KubeObject>(podsRef, options)) {
      if (type !== 'ADDED') continue;
      const { name = '', uid = '' } = object.metadata;
      pods.set(name, [...(pods.get(name) ?? []), uid]);
      const victim = kills.get(pods.size);
      kills.delete(pods.size);
      // the last one has nobody behind it until another is started
      if (victim) killed.push(kill(victim).then(() => (victim === second ? controller() : undefined)));
    }
  })().catch((error: unknown) => {
    if (!over.signal.aborted) throw error;
  });
  for (const name of names) await client.create({ ...ref, metadata: { name, namespace: 'default' }, spec });
  const ended = new Map<string, Workflow>();
  const options = { resourceVersion: seen.resourceVersion ?? '', signal: timeout };
  for await (const { object } of client.watch<KubeObject & Workflow>(ref, options)) {
    if (object.metadata.labels?.['workflows.argoproj.io/completed'] === 'true')
      ended.set(object.metadata.name ?? '', object);
    if (ended.size === names.length) break;
  }
  over.abort(new Error('over'));
  await watching;
  await Promise.all(killed);

  assert.equal(killed.length, 2, 'both were killed before the workflows had ended');
  for (const [name, uids] of pods) assert.equal(uids.length, 1, `${name} ran ${uids.length} times`);
  for (const [name, { status }] of ended) {
    assert.equal(status?.phase, 'Succeeded', `${name}: ${status?.message}\n${JSON.stringify(status?.nodes, null, 1)}`);
    assert.equal(status?.progress, '6/6');
    const started = Object.values(status?.nodes ?? {}).filter(({ type }) => type === 'Pod');
    assert.equal(started.length, 6, name);
    assert.ok(started.every(({ phase }) => phase === 'Succeeded'));
  }
  assert.equal(pods.size, names.length * 6, [...pods.keys()].join(' '));
});
