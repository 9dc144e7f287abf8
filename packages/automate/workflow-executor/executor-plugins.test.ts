import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Client, connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { startWorkflowsFamily } from '@tiphys/workflows';
import { executorProgram } from './index.ts';

const closers: (() => Promise<void> | void)[] = [];
const errors: string[] = [];
const namespace = 'default';
let client: Client;

before(async () => {
  const sandbox = await startSandbox({ runtime: 'process' });
  client = connect(sandbox.config, { caller: { component: 'test', purpose: 'plugins' } });
  const abort = new AbortController();
  await client.create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'executors' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:serviceaccounts' }],
  } as KubeObject);
  const runtime = await startWorkflowsFamily({
    client,
    clock: systemClock,
    signal: abort.signal,
    namespace,
    env: { ARGO_EXECUTOR_PLUGINS: 'true', ARGO_AGENT_PATCH_RATE: '100ms' },
    sandbox: false,
    simulated: false,
    executorImage: 'executor',
    localExecutor: [process.execPath, executorProgram],
    onError: (key, error) => void errors.push(`${key}: ${String(error)}`),
  });
  closers.push(
    () => sandbox.close(),
    () => client.close(),
    () => runtime.close(),
    () => abort.abort(new Error('over')),
  );
});

after(async () => {
  for (const close of closers.reverse()) await close();
});

interface Flow extends KubeObject {
  status?: { phase?: string; message?: string; nodes?: Record<string, Node> };
}
interface TaskSet extends KubeObject {
  spec?: { tasks?: object };
  status?: { nodes?: object };
}
const completed = 'workflows.argoproj.io/completed';

interface Agent extends KubeObject {
  spec: {
    automountServiceAccountToken: boolean;
    containers: { name: string; volumeMounts: { mountPath: string }[] }[];
  };
}
interface Node {
  message?: string;
  outputs?: { parameters?: { name: string; value: string }[] };
}

async function ended(name: string, spec: object): Promise<Flow> {
  const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', namespace };
  const created = await client.create({ ...ref, metadata: { name, namespace }, spec } as KubeObject);
  const signal = AbortSignal.timeout(300_000);
  const resourceVersion = created.metadata.resourceVersion ?? '';
  for await (const { object } of client.watch<Flow>(ref, { resourceVersion, signal }))
    if (object.metadata.name === name && /Succeeded|Failed|Error/.test(object.status?.phase ?? '')) return object;
  throw new Error(`the watch ended: ${errors.join('\n')}`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const configMap = (name: string, container: object) =>
  client.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels: { 'workflows.argoproj.io/configmap-type': 'ExecutorPlugin' } },
    data: { 'sidecar.container': JSON.stringify(container) },
  } as KubeObject);

const greeting = {
  entrypoint: 'greet',
  templates: [{ name: 'greet', plugin: { greet: { whom: 'Ada' } } }],
};

test('a plugin runs beside the agent with the token that both have; one that cannot be used is told and left out', async () => {
  const port = await freePort();
  await configMap('broken-executor-plugin', { name: 'broken', image: 'any' });
  await configMap('greeter-executor-plugin', {
    name: 'greeter',
    image: 'any',
    command: [process.execPath, join(import.meta.dirname, 'testing/executor-plugin-worker.ts'), String(port)],
    ports: [{ containerPort: port }],
    resources: { requests: { cpu: '1m' }, limits: { cpu: '1' } },
    securityContext: { runAsNonRoot: true },
  });
  const other = { name: 'other', plugin: { farewell: {} } };
  const nobody = await ended('nobody', { entrypoint: 'other', templates: [other] });
  assert.match(nobody.status?.message ?? '', /^no plugin executed the template$/);
  const { status } = await ended('greets', greeting);
  assert.equal(status?.phase, 'Succeeded', JSON.stringify(status));
  const node = status?.nodes?.greets;
  assert.equal(node?.message, 'greeted');
  assert.deepEqual(node?.outputs?.parameters, [{ name: 'greeting', value: 'Hello Ada' }]);
  assert.match(
    errors.join('\n'),
    /executor plugin default\/broken-executor-plugin cannot be used: at least one port is mandatory/,
  );
  const taskSet = { apiVersion: 'argoproj.io/v1alpha1', kind: 'WorkflowTaskSet', namespace, name: 'greets' };
  const tidied = await client.get<TaskSet>(taskSet);
  assert.equal(tidied.metadata.labels?.[completed], 'true');
  assert.deepEqual([tidied.spec?.tasks ?? {}, tidied.status?.nodes ?? {}], [{}, {}]);
  const pods = await client.list<Agent>(
    { apiVersion: 'v1', kind: 'Pod', namespace },
    { labelSelector: 'workflows.argoproj.io/workflow=greets' },
  );
  const agent = pods.items[0]?.spec;
  assert.equal(agent?.automountServiceAccountToken, false);
  assert.deepEqual(
    agent.containers.map(({ name, volumeMounts }) => [name, ...volumeMounts.map(({ mountPath }) => mountPath)]),
    [
      ['greeter', '/var/run/argo'],
      ['main', '/var/run/argo', '/var/run/secrets/kubernetes.io/serviceaccount'],
    ],
  );
});

test('plugins of a workflow itself are refused where they are not allowed, and checked before it begins', async () => {
  const container = { name: 'own', image: 'any', ports: [{ containerPort: 4355 }] };
  const complete = { ...container, resources: { requests: {}, limits: {} }, securityContext: {} };
  const own = (sidecar: object) => [{ metadata: { name: 'own' }, spec: { sidecar } }];
  const refused = await ended('refused', { ...greeting, executorPlugins: own({ container: complete }) });
  assert.match(refused.status?.message ?? '', /ARGO_WORKFLOW_LEVEL_EXECUTOR_PLUGINS=true/);
  const invalid = await ended('invalid', { ...greeting, executorPlugins: own({ container }) });
  assert.match(invalid.status?.message ?? '', /spec\.executorPlugins\[0\].*resources requests are mandatory/);
});
