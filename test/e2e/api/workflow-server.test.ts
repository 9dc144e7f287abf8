import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { create } from '@bufbuild/protobuf';
import { Code, type ConnectError, createClient, type Client as RpcClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { fromWire, loadWorkflowServices, toWire, type WorkflowServices } from '@tiphys/api';
import { type Client, connect, type KubeObject, pause, systemClock } from '@tiphys/kubernetes';
import { startWorkflowServer, type WorkflowServer } from '@tiphys/workflow-server';
import { openKept } from '../../../packages/automate/workflows/controller/persistence/open-persistence.ts';
import { startWorkflows } from '../../../packages/automate/workflows/controller/start-workflows.ts';
import { startSimulatedExecutor } from '../../../packages/automate/workflows/simulated-executor/simulated-executor.ts';
import { startCluster, type TestCluster } from '../support/cluster.ts';

const suffix = `${process.pid}-${Math.floor(performance.now())}`;
const control = `flow-${suffix}`;
const space = `flows-${suffix}`;
const apiVersion = 'argoproj.io/v1alpha1';
const errors: string[] = [];
const logged: string[] = [];
const closers: (() => Promise<unknown>)[] = [];

let cluster: TestCluster;
let client: Client;
let services: WorkflowServices;
let server: WorkflowServer;
let token: string;

type Json = Record<string, unknown>;

/** One call by REST; the token of the test unless another one is given. */
async function rest(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = response.headers.get('content-type')?.startsWith('application/json') ? (JSON.parse(text) as Json) : {};
  return { status: response.status, headers: response.headers, text, json };
}

const grpc = <K extends keyof WorkflowServices>(key: K) =>
  createClient(services[key], createGrpcTransport({ baseUrl: server.url })) as unknown as RpcClient<
    WorkflowServices[K]
  >;
const auth = () => ({ headers: { authorization: `Bearer ${token}` } });

const spec = (command: string) => ({
  entrypoint: 'main',
  templates: [{ name: 'main', container: { image: 'alpine', command: ['sh', '-c', command] } }],
});

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const end = Date.now() + 120_000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}: ${errors.join('; ')}`);
    await pause(systemClock, 100);
  }
}

const labelled = (name: string, label: string, value: string) =>
  until(`${name} to have ${label}=${value}`, async () => {
    const found = await client.find({ apiVersion, kind: 'Workflow', namespace: space, name });
    return found?.metadata.labels?.[`workflows.argoproj.io/${label}`] === value ? found : undefined;
  });

before(async () => {
  cluster = await startCluster();
  client = connect(cluster.config, { caller: { component: 'test', purpose: 'workflows' } });
  services = await loadWorkflowServices();
  const abort = new AbortController();
  closers.push(
    () => client.close(),
    () => cluster.close(),
  );
  for (const name of [control, space]) await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const shared = {
    client,
    clock: systemClock,
    signal: abort.signal,
    namespace: control,
    onError: (key: string, error: unknown) => void errors.push(`${key}: ${String(error)}`),
  };
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-flows-'));
  closers.push(async () => rmSync(folder, { recursive: true, force: true }));
  const archiveFile = join(folder, 'archive.db');
  const base = { env: {}, executorImage: 'argoexec', wrapsCommands: false };
  const kept = await openKept({ ...shared, base, settings: {}, managedNamespace: space, archiveFile });
  const runtime = await startWorkflows({ ...shared, base, managedNamespace: space, persistence: kept.persistence });
  closers.unshift(
    async () => abort.abort(new Error('over')),
    () => runtime.close(),
    () => kept.close(),
  );
  await startSimulatedExecutor(shared);
  server = await startWorkflowServer({
    client,
    config: cluster.config,
    connect: (config) => connect(config, { caller: { component: 'test', purpose: 'workflows' } }),
    namespace: control,
    managedNamespace: space,
    port: 0,
    archiveFile,
    clock: systemClock,
    log: (_level, message) => void logged.push(message),
    version: '0.0.0',
    env: {},
  });
  closers.unshift(() => server.close());
  token = await serviceAccountToken('caller', ['*']);
});

after(async () => {
  for (const close of closers) await close();
});

/** A ServiceAccount with some verbs on everything of workflows in the test's namespace. */
async function serviceAccountToken(name: string, verbs: string[]): Promise<string> {
  const metadata = { name, namespace: space };
  await client.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  await client.create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata,
    rules: [{ apiGroups: ['argoproj.io', ''], resources: ['*'], verbs }],
  } as KubeObject);
  await client.create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace: space }],
  } as KubeObject);
  const answer = await client.request('POST', `/api/v1/namespaces/${space}/serviceaccounts/${name}/token`, {
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  });
  return ((await answer.json()) as { status: { token: string } }).status.token;
}

test('who has no token, or a false one, gets nothing, and does not learn the version', async () => {
  const path = `/api/v1/workflows/${space}`;
  for (const authorization of ['', 'Bearer nonsense', 'Basic Z2FyYmFnZTpnYXJiYWdl']) {
    const refused = await rest('GET', path, undefined, { authorization });
    assert.equal(refused.status, 401);
    assert.equal(refused.headers.get('grpc-metadata-argo-version'), null);
  }
  assert.equal((await rest('GET', '/metrics', undefined, { authorization: '' })).status, 403);
  const refusal = await grpc('workflow')
    .listWorkflows(create(services.workflow.method.listWorkflows.input, { namespace: space }))
    .catch((error: unknown) => error);
  assert.equal((refusal as ConnectError).code, Code.Unauthenticated);
});

test('rights are those of the token', async () => {
  const weak = await serviceAccountToken('weak', ['list']);
  const headers = { authorization: `Bearer ${weak}` };
  assert.equal((await rest('GET', `/api/v1/workflows/${space}`, undefined, headers)).status, 200);
  assert.equal((await rest('GET', '/api/v1/workflows/', undefined, headers)).status, 403);
  const body = { workflow: { metadata: { generateName: 'no-' }, spec: spec('true') } };
  assert.equal((await rest('POST', `/api/v1/workflows/${space}`, body, headers)).status, 403);
});

test('a workflow is created by REST, read by gRPC, followed, and listed', async () => {
  const created = await rest('POST', `/api/v1/workflows/${space}`, {
    workflow: { metadata: { name: 'hello', labels: { a: '1' } }, spec: spec('echo hello world') },
  });
  assert.equal(created.status, 200, created.text);
  const { labels } = created.json.metadata as { labels: Record<string, string> };
  assert.equal(labels['workflows.argoproj.io/creator'], `system-serviceaccount-${space}-caller`.slice(-63));
  assert.ok(created.headers.get('grpc-metadata-argo-version'));
  await labelled('hello', 'completed', 'true');

  const { getWorkflow } = services.workflow.method;
  const message = await grpc('workflow').getWorkflow(
    toWire(getWorkflow.input, { name: 'hello', namespace: space }),
    auth(),
  );
  const found = fromWire(getWorkflow.output, message) as unknown as { status: { phase: string; nodes: Json } };
  assert.equal(found.status.phase, 'Succeeded');
  assert.deepEqual(Object.keys(found.status.nodes), ['hello']);

  const some = await rest('GET', `/api/v1/workflows/${space}/hello?fields=status.phase`);
  assert.deepEqual((some.json.status as Json).phase, 'Succeeded');
  assert.equal((some.json.status as Json).nodes, undefined);
  const none = await rest('GET', `/api/v1/workflows/${space}?listOptions.labelSelector=a%3D2`);
  assert.equal(none.json.items, null);
  const one = await rest(
    'GET',
    `/api/v1/workflows/${space}?listOptions.labelSelector=a%3D1&nameFilter=Prefix&listOptions.fieldSelector=metadata.name%3Dhe`,
  );
  assert.equal((one.json.items as unknown[]).length, 1);
  const bad = await rest('GET', `/api/v1/workflows/${space}?listOptions.fieldSelector=spec.x%3D1`);
  assert.equal(bad.status, 400);

  const missing = await rest('GET', `/api/v1/workflows/${space}/not-there`);
  assert.deepEqual([missing.status, missing.json.code], [404, 5]);
  const logs = await rest('GET', `/api/v1/workflows/${space}/hello/log?logOptions.follow=true`);
  if (cluster.kind === 'sandbox') assert.match(logs.text, /"content":"hello world","podName":"hello"/);
});

test('what is wrong is found before anything is created, in the words of upstream', async () => {
  const wrong = {
    ...spec('true'),
    templates: [{ name: 'main', steps: [[{ name: 'a', template: 'nothing' }]] }],
  };
  const workflow = { metadata: { name: 'wrong' }, spec: wrong };
  const created = await rest('POST', `/api/v1/workflows/${space}`, { workflow });
  assert.equal(created.status, 400);
  assert.match(String(created.json.message), /templates\.main\.steps\[0\]\.a template name 'nothing' undefined/);
  assert.equal((await rest('POST', `/api/v1/workflows/${space}/lint`, { workflow })).status, 500);
  const dry = await rest('POST', `/api/v1/workflows/${space}`, {
    workflow: { metadata: { generateName: 'dry-' }, spec: spec('true') },
    createOptions: { dryRun: ['All'] },
  });
  assert.equal((dry.json.metadata as Json).uid, undefined);
});

test('a template is submitted with parameters; a workflow is stopped, and resumed by whom', async () => {
  const template = {
    metadata: { name: 'wait', namespace: space },
    spec: {
      entrypoint: 'main',
      arguments: { parameters: [{ name: 'who' }] },
      templates: [{ name: 'main', inputs: { parameters: [{ name: 'who' }] }, suspend: {} }],
    },
  };
  assert.equal((await rest('POST', `/api/v1/workflow-templates/${space}`, { template })).status, 200);
  const submit = (options: Json) =>
    rest('POST', `/api/v1/workflows/${space}/submit`, {
      resourceKind: 'WorkflowTemplate',
      resourceName: 'wait',
      submitOptions: options,
    });
  const without = await submit({ name: 'without' });
  assert.equal(without.status, 400);
  assert.match(String(without.json.message), /spec\.arguments\.who\.value/);
  for (const name of ['one', 'two']) assert.equal((await submit({ name, parameters: ['who=me'] })).status, 200);
  const waits = (name: string) =>
    until(`${name} to wait`, async () => {
      const { json } = await rest('GET', `/api/v1/workflows/${space}/${name}`);
      const nodes = Object.values(((json.status as Json | undefined)?.nodes ?? {}) as Record<string, Json>);
      return nodes.some(({ type, phase }) => type === 'Suspend' && phase === 'Running') || undefined;
    });
  await Promise.all([waits('one'), waits('two')]);
  assert.equal((await rest('PUT', `/api/v1/workflows/${space}/one/resume`)).status, 200);
  await labelled('one', 'completed', 'true');
  const { json } = await rest('GET', `/api/v1/workflows/${space}/one`);
  const nodes = Object.values((json.status as { nodes: Record<string, Json> }).nodes);
  assert.match(
    String(nodes[0]?.message),
    new RegExp(`Resumed by: map\\[User:system:serviceaccount:${space}:caller\\]`),
  );
  assert.equal((await rest('PUT', `/api/v1/workflows/${space}/two/terminate`)).status, 200);
  await labelled('two', 'completed', 'true');
  const again = await rest('PUT', `/api/v1/workflows/${space}/two/terminate`);
  assert.match(String(again.json.message), /cannot shutdown a completed workflow/);
  const copy = await rest('PUT', `/api/v1/workflows/${space}/two/resubmit`, { memoized: true });
  assert.equal(copy.status, 200, copy.text);
  assert.equal((await rest('DELETE', `/api/v1/workflows/${space}/two`)).status, 200);
});

test('what has ended is in the archive, is listed once, and can be run again from there', async () => {
  const body = { workflow: { metadata: { name: 'kept', labels: { kept: '1' } }, spec: spec('exit 1') } };
  assert.equal((await rest('POST', `/api/v1/workflows/${space}`, body)).status, 200);
  const { metadata } = await labelled('kept', 'workflow-archiving-status', 'Archived');
  const list = async (path: string) => {
    const { json } = await rest(
      'GET',
      `${path}?listOptions.labelSelector=kept%3D1&listOptions.fieldSelector=metadata.namespace%3D${space}`,
    );
    return ((json.items ?? []) as { metadata: { name: string; labels: Json } }[]).map((item) => item.metadata);
  };
  for (const path of ['/api/v1/archived-workflows', `/api/v1/workflows/${space}`])
    assert.deepEqual(
      (await list(path)).map(({ name, labels }) => [name, labels['workflows.argoproj.io/workflow-archiving-status']]),
      [['kept', 'Persisted']],
    );
  const uid = metadata.uid ?? '';
  assert.equal((await rest('PUT', `/api/v1/archived-workflows/${uid}/retry`, { namespace: space })).status, 409);
  assert.equal((await rest('DELETE', `/api/v1/workflows/${space}/kept`)).status, 200);
  await until('kept to be gone', async () =>
    (await client.find({ apiVersion, kind: 'Workflow', namespace: space, name: 'kept' })) ? undefined : true,
  );
  const found = await rest('GET', `/api/v1/workflows/${space}/kept`);
  assert.equal((found.json.status as Json).phase, 'Failed', found.text);
  const retried = await rest('PUT', `/api/v1/archived-workflows/${uid}/retry`, { namespace: space });
  assert.equal(retried.status, 200, retried.text);
  assert.equal(
    (
      await rest('GET', '/api/v1/archived-workflows-label-values?listOptions.labelSelector=kept')
    ).json.items?.toString(),
    '1',
  );
  assert.equal((await rest('DELETE', `/api/v1/archived-workflows/${uid}`)).status, 200);
  assert.equal((await rest('GET', `/api/v1/archived-workflows/${uid}`)).status, 404);
});

test('limits of semaphores are kept in ConfigMaps', async () => {
  const of = (method: string, key: string, limit?: number) =>
    rest(
      method,
      `/api/v1/sync/${space}${key}`,
      limit === undefined ? undefined : { cmName: 'limits', key: 'k', limit },
    );
  assert.equal((await of('POST', '', 0)).status, 400);
  assert.equal((await of('POST', '', 3)).status, 200);
  assert.equal((await of('POST', '', 3)).status, 409);
  assert.equal((await of('PUT', '/k', 5)).status, 200);
  assert.equal((await rest('GET', `/api/v1/sync/${space}/k?cmName=limits`)).json.limit, 5);
  assert.equal((await rest('GET', `/api/v1/sync/${space}/other?cmName=limits`)).status, 404);
  assert.equal((await rest('DELETE', `/api/v1/sync/${space}/k?cmName=limits`)).status, 200);
});

test('workflow-controller-configmap is followed; what needs a restart, or cannot be read, is told', async () => {
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: control, name: 'workflow-controller-configmap' };
  const color = async () => (await rest('GET', '/api/v1/info')).json.navColor || undefined;
  const told = (what: RegExp) => until(String(what), async () => logged.find((line) => what.test(line)));
  const write = (data: Record<string, string>) => client.patch(ref, 'merge', { data });
  assert.equal(await color(), undefined);
  await client.create({
    ...ref,
    metadata: { namespace: control, name: ref.name },
    data: { navColor: 'red' },
  } as KubeObject);
  await until('the colour', async () => ((await color()) === 'red' ? true : undefined));
  await write({ navColor: 'blue', persistence: 'archive: true' });
  await until('the next colour', async () => ((await color()) === 'blue' ? true : undefined));
  await told(/^persistence of workflow-controller-configmap has changed: restart/);
  await write({ navColor: '{' });
  await told(/^workflow-controller-configmap cannot be read/);
  assert.equal(await color(), 'blue');
  await client.delete(ref);
  await until('the default', async () => ((await color()) === undefined ? true : undefined));
});

test('an event that a Git host signed starts a workflow, another one does not', async () => {
  const metadata = (name: string) => ({ name, namespace: space });
  const secret = (name: string, text: Record<string, string>) =>
    client.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: metadata(name),
      data: Object.fromEntries(
        Object.entries(text).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
      ),
    } as KubeObject);
  await secret('argo-workflows-webhook-clients', { caller: 'type: github\nsecret: "shh"\n' });
  await secret('caller.service-account-token', { token });
  await client.create({
    apiVersion,
    kind: 'WorkflowTemplate',
    metadata: metadata('pushed'),
    spec: { ...spec('true'), arguments: { parameters: [{ name: 'ref' }] } },
  } as KubeObject);
  await client.create({
    apiVersion,
    kind: 'WorkflowEventBinding',
    metadata: metadata('pushed'),
    spec: {
      event: { selector: 'metadata["x-github-event"] == ["push"] && payload.ref != ""' },
      submit: {
        workflowTemplateRef: { name: 'pushed' },
        arguments: { parameters: [{ name: 'ref', valueFrom: { event: 'payload.ref' } }] },
      },
    },
  } as KubeObject);
  const body = JSON.stringify({ ref: 'refs/heads/main' });
  const sent = (secretText: string) =>
    rest('POST', `/api/v1/events/${space}/`, body, {
      authorization: '',
      'x-github-event': 'push',
      'x-hub-signature-256': `sha256=${createHmac('sha256', secretText).update(body).digest('hex')}`,
    });
  assert.equal((await sent('guessed')).status, 401);
  assert.equal((await sent('shh')).status, 200);
  const labelSelector = 'workflows.argoproj.io/workflow-event-binding=pushed';
  const { items } = await client.list<KubeObject & { spec: { arguments: unknown } }>(
    { apiVersion, kind: 'Workflow', namespace: space },
    { labelSelector },
  );
  assert.deepEqual(
    items.map(({ spec }) => spec.arguments),
    [{ parameters: [{ name: 'ref', value: 'refs/heads/main' }] }],
  );
});

test('every method of the ten services is served', async () => {
  const all = Object.values(services).flatMap((service) => Object.values(service.method));
  assert.equal(all.length, 68);
  assert.equal((await rest('GET', '/api/v1/userinfo')).json.serviceAccountName, 'caller');
  assert.match((await rest('GET', '/metrics')).text, /grpc_server_handling_seconds_bucket.*CreateWorkflow/);
});
