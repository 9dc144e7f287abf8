import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Client, connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { parseDocuments } from '@tiphys/yaml';
import type { NodeStatus, Workflow } from '../model/types.ts';
import { startSimulatedAgent } from '../simulated-executor/simulated-agent.ts';
import { startSimulatedExecutor } from '../simulated-executor/simulated-executor.ts';
import type { WorkflowPersistence } from './persistence/persistence.ts';
import { startWorkflows } from './start-workflows.ts';

let client: Client;
const closers: (() => Promise<void>)[] = [];
const errors: unknown[] = [];
const kept = new Map<string, Workflow>();
const offloaded = new Map<string, Record<string, NodeStatus>>();
const persistence: WorkflowPersistence = {
  archive: {
    wants: ({ metadata }) => metadata.namespace === 'kept',
    keep: async (workflow) => void kept.set(workflow.metadata.uid ?? '', structuredClone(workflow)),
  },
  nodes: {
    get always() {
      return offloads;
    },
    save: async ({ uid }, nodes) => {
      const version = `${uid}-${offloaded.size}`;
      offloaded.set(version, structuredClone(nodes));
      return version;
    },
    load: async ({ version }) => offloaded.get(version),
  },
};
let offloads = false;

before(async () => {
  const sandbox = await startSandbox({ nodes: 1 });
  client = connect(sandbox.config, { caller: { component: 'test', purpose: 'workflows' } });
  const abort = new AbortController();
  const shared = {
    client,
    clock: systemClock,
    signal: abort.signal,
    onError: (key: string, error: unknown) => void errors.push([key, error]),
  };
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argo' } });
  const base = { env: {}, executorImage: 'argoexec', wrapsCommands: false };
  const runtime = await startWorkflows({ ...shared, namespace: 'argo', base, persistence });
  await startSimulatedExecutor(shared);
  await startSimulatedAgent(shared);
  closers.push(
    async () => abort.abort(new Error('over')),
    () => runtime.close(),
    () => client.close(),
    () => sandbox.close(),
  );
});

after(async () => {
  for (const close of closers) await close();
});

/** Creates a workflow in a namespace of its own and waits until it has ended. */
async function run(namespace: string, spec: string, annotations: Record<string, string> = {}): Promise<Workflow> {
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const created = await client.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'w', namespace, annotations },
    spec: parseDocuments(spec, { file: 'spec.yaml' }).documents[0]?.value as Record<string, unknown>,
  });
  const ref = { apiVersion: created.apiVersion, kind: created.kind, namespace };
  const signal = AbortSignal.timeout(120_000);
  const { metadata } = await client.list(ref);
  const seen = await client.get<Workflow>({ ...ref, name: 'w' });
  if (seen.metadata.labels?.['workflows.argoproj.io/completed'] === 'true') return seen;
  const resourceVersion = metadata.resourceVersion ?? '';
  for await (const { object } of client.watch<KubeObject & Workflow>(ref, { resourceVersion, signal }))
    if (object.metadata.labels?.['workflows.argoproj.io/completed'] === 'true') return object;
  throw new Error(`the watch ended: ${JSON.stringify(errors)}`);
}

test('steps use the output of a command that the sandbox pretends to run', async () => {
  const { status } = await run(
    'steps',
    `entrypoint: main
templates:
- name: main
  steps:
  - - {name: coin, template: coin}
  - - {name: heads, template: say, when: "{{steps.coin.outputs.result}} == heads"}
    - {name: tails, template: say, when: "{{steps.coin.outputs.result}} == tails"}
- {name: coin, script: {image: alpine, command: [sh], source: echo heads}}
- {name: say, container: {image: alpine, command: [echo, hello]}}
`,
  );
  const phases = Object.values(status?.nodes ?? {}).map(({ displayName, phase }) => `${displayName} ${phase}`);
  assert.equal(status?.phase, 'Succeeded', JSON.stringify(status, null, 1));
  assert.deepEqual(phases.sort(), [
    '[0] Succeeded',
    '[1] Succeeded',
    'coin Succeeded',
    'heads Succeeded',
    'tails Skipped',
    'w Succeeded',
  ]);
  assert.equal(status?.progress, '2/2');
});

test('outputs are given by annotation; a failed pod is tried again and tells its exit code', async () => {
  const { status } = await run(
    'outputs',
    `entrypoint: main
templates:
- name: main
  dag:
    tasks:
    - {name: make, template: make}
    - {name: use, template: use, dependencies: [make], arguments: {parameters: [{name: size, value: "{{tasks.make.outputs.parameters.size}}"}]}}
- name: make
  metadata: {annotations: {sandbox.tiphys.dev/outputs: '{"parameters": {"size": "3"}}'}}
  container: {image: alpine, command: [echo]}
  outputs: {parameters: [{name: size, valueFrom: {path: /tmp/size}}]}
- name: use
  retryStrategy: {limit: 1}
  inputs: {parameters: [{name: size}]}
  container: {image: alpine, command: [sh, -c, "exit {{inputs.parameters.size}}"]}
`,
  );
  assert.equal(status?.phase, 'Failed', JSON.stringify(status, null, 1));
  const attempts = Object.values(status?.nodes ?? {}).filter(({ nodeFlag }) => nodeFlag?.retried);
  assert.deepEqual(
    attempts.map(({ phase, outputs, message }) => [phase, outputs?.exitCode, message]),
    [
      ['Failed', '3', 'main: Error (exit code 3)'],
      ['Failed', '3', 'main: Error (exit code 3)'],
    ],
  );
  assert.equal(status?.nodes?.['w']?.phase, 'Failed');
});

test('a workflow that is stopped ends its pods and runs its exit handler', async () => {
  const ended = run(
    'stopped',
    `entrypoint: main
onExit: bye
templates:
- {name: main, container: {image: alpine, command: [sleep, "1000"]}}
- {name: bye, container: {image: alpine, command: [echo, bye]}}
`,
  );
  const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', namespace: 'stopped', name: 'w' };
  const pods = { apiVersion: 'v1', kind: 'Pod', namespace: 'stopped' };
  const signal = AbortSignal.timeout(120_000);
  for await (const { object } of client.watch(pods, { resourceVersion: '0', signal }))
    if ((object.status as { phase?: string } | undefined)?.phase === 'Running') break;
  await client.patch(ref, 'merge', { spec: { shutdown: 'Stop' } });
  const { status } = await ended;
  assert.equal(status?.phase, 'Failed');
  assert.equal(status?.message, "Stopped with strategy 'Stop'");
  const exit = Object.values(status?.nodes ?? {}).find(({ name }) => name === 'w.onExit');
  assert.equal(exit?.phase, 'Succeeded');
});

test('a workflow whose nodes are in a database runs on, and goes to the archive whole', async () => {
  offloads = true;
  const { metadata, status } = await run(
    'kept',
    `entrypoint: main
templates:
- name: main
  steps: [[{name: first, template: say}], [{name: second, template: say}]]
- {name: say, container: {image: alpine, command: [echo, hello]}}
`,
  );
  offloads = false;
  assert.equal(status?.phase, 'Succeeded', JSON.stringify(status, null, 1));
  assert.equal(status?.nodes, undefined);
  const stored = offloaded.get(status?.offloadNodeStatusVersion ?? '') ?? {};
  assert.deepEqual(
    Object.values(stored).map(({ phase }) => phase),
    Array(5).fill('Succeeded'),
  );
  const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', namespace: 'kept' };
  const label = 'workflows.argoproj.io/workflow-archiving-status';
  const { metadata: list } = await client.list(ref);
  const signal = AbortSignal.timeout(120_000);
  const seen = await client.get<Workflow>({ ...ref, name: 'w' });
  if (seen.metadata.labels?.[label] !== 'Archived')
    for await (const { object } of client.watch(ref, { resourceVersion: list.resourceVersion ?? '', signal }))
      if (object.metadata.labels?.[label] === 'Archived') break;
  assert.deepEqual(Object.keys(kept.get(metadata.uid ?? '')?.status?.nodes ?? {}), Object.keys(stored));
});

test('http templates are answered where agents only pretend to run, with outputs of an annotation', async () => {
  const { status } = await run(
    'tasks',
    `entrypoint: main
templates:
- name: main
  steps:
  - - {name: ask, template: ask}
  - - {name: next, template: next, when: "'{{steps.ask.outputs.result}}' == 'yes'"}
- name: ask
  metadata: {annotations: {sandbox.tiphys.dev/outputs: '{"result": "yes"}'}}
  http: {url: "http://localhost/"}
- {name: next, plugin: {hello: {}}}
`,
  );
  assert.equal(status?.phase, 'Succeeded', JSON.stringify(status));
  const phases = Object.values(status.nodes ?? {}).map(({ name, phase }) => `${name} ${phase}`);
  assert.ok(phases.includes('w[1].next Succeeded'), phases.join('; '));
});
