import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Application } from '@tiphys/api';
import { type Client, connect, formatKubeconfig, systemClock } from '@tiphys/kubernetes';
import { startCluster, type TestCluster } from '../support/cluster.ts';
import { configMap } from '../support/manifests.ts';
import { TestRepository } from '../support/repository.ts';

const main = join(import.meta.dirname, '..', '..', '..', 'packages', 'serve', 'cli', 'main.ts');
const folder = mkdtempSync(join(tmpdir(), 'tiphys-roles-'));
const namespace = `control-${randomBytes(4).toString('hex')}`;
const target = `target-${randomBytes(4).toString('hex')}`;
/** Names are of this run alone: on a shared cluster the objects of an earlier one count as those of an application of the same name. */
const run = randomBytes(4).toString('hex');
const server = 'https://kubernetes.default.svc';

/** A process with one role. */
class Part {
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;
  /** URL of the server; empty for the controller. */
  readonly up: Promise<string>;

  constructor(role: 'server' | 'controller', kubeconfig: string) {
    const args = ['up', '--role', role, '--kubeconfig', kubeconfig, '--namespace', namespace, '--port', '0'];
    this.#child = spawn(process.execPath, [main, ...args, '--no-metrics', '--local-repositories', tmpdir()], {
      cwd: folder,
      env: { ...process.env, XDG_CONFIG_HOME: join(folder, role), NO_COLOR: '1', TIPHYS_OUTBOUND: 'loopback,private' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#exit = new Promise((resolve) => this.#child.on('exit', resolve));
    let text = '';
    this.up = new Promise((resolve, reject) => {
      for (const stream of [this.#child.stdout, this.#child.stderr])
        stream?.on('data', (chunk: Buffer) => {
          text += chunk.toString();
          const url = /Tiphys is up:\s+(http\S+)/.exec(text)?.[1];
          if (url || text.includes('The controller is up')) resolve(url ?? '');
        });
      void this.#exit.then((code) => reject(new Error(`The ${role} ended with ${code} before it was up:\n${text}`)));
    });
    this.up.catch(() => undefined);
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.#child.kill(signal);
    await this.#exit;
  }
}

let cluster: TestCluster;
let client: Client;
let kubeconfig: string;
let controller: Part;
let api: Part;
let url: string;
let token: string;
const repository = new TestRepository({ 'a.yaml': configMap('roles-one', 'first') });

before(async () => {
  cluster = await startCluster();
  client = connect(cluster.config, { caller: { component: 'test', purpose: 'roles' }, clock: systemClock });
  kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, formatKubeconfig(cluster.config));
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: target } });
  controller = new Part('controller', kubeconfig);
  api = new Part('server', kubeconfig);
  await controller.up;
  url = await api.up;
  token = await login();
});

after(async () => {
  await Promise.all([controller?.end('SIGTERM'), api?.end('SIGTERM')]);
  await client?.close();
  await cluster?.close();
  repository.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function login(): Promise<string> {
  const name = 'argocd-initial-admin-secret';
  const secret = await client.get({ apiVersion: 'v1', kind: 'Secret', namespace, name });
  const password = Buffer.from((secret.data as Record<string, string>).password ?? '', 'base64').toString('utf8');
  const { body } = await rest<{ token: string }>('POST', '/api/v1/session', { username: 'admin', password });
  return body.token;
}

async function rest<T>(method: string, path: string, body?: unknown): Promise<{ status: number; body: T }> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as T };
}

/** Asks until the answer is as wanted; fails with the last one. */
async function eventually<T>(ask: () => Promise<T>, holds: (answer: T) => boolean): Promise<T> {
  const deadline = Date.now() + 180_000;
  for (;;) {
    const answer = await ask();
    if (holds(answer)) return answer;
    if (Date.now() > deadline) assert.fail(`waited 180 s, and it is ${JSON.stringify(answer)}`);
    await pause(200);
  }
}

const application = async (query = '') =>
  (await rest<Application>('GET', `/api/v1/applications/roles-app-${run}${query}`)).body;
const succeeded = ({ status }: Application) =>
  status?.operationState?.phase === 'Succeeded' && status.sync?.status === 'Synced';
const sync = () => rest('POST', `/api/v1/applications/roles-app-${run}/sync`, { prune: true });

interface Managed {
  readonly items?: readonly { readonly name: string; readonly liveState?: string; readonly targetState?: string }[];
}
const managed = async () =>
  (await rest<Managed>('GET', `/api/v1/applications/roles-app-${run}/managed-resources`)).body.items ?? [];
const valuesOf = async () => {
  const [item] = await managed();
  const value = (text = 'null') => (JSON.parse(text) as { data?: { value?: string } } | null)?.data?.value;
  return { live: value(item?.liveState), target: value(item?.targetState) };
};

const newApplication = (name: string, repoURL: string, path = '.') => ({
  metadata: { name, namespace },
  spec: {
    project: 'default',
    source: { repoURL, path, targetRevision: 'main' },
    destination: { server, namespace: target },
  },
});

interface ClusterAnswer {
  readonly connectionState: { readonly status: string; readonly message: string };
  readonly info: { readonly applicationsCount: string; readonly cacheInfo: { readonly apisCount: string } };
}
const clusterState = async () =>
  (await rest<ClusterAnswer>('GET', `/api/v1/clusters/${encodeURIComponent(server)}`)).body;

test('an application made over the API of the server is delivered by the controller, and the server shows it', async () => {
  const created = await rest('POST', '/api/v1/applications', newApplication(`roles-app-${run}`, repository.url));
  assert.equal(created.status, 200, JSON.stringify(created.body));
  await eventually(application, ({ status }) => status?.sync?.status === 'OutOfSync');
  assert.deepEqual(await valuesOf(), { live: undefined, target: 'first' });
  assert.equal((await sync()).status, 200);
  await eventually(application, succeeded);
  assert.deepEqual(await valuesOf(), { live: 'first', target: 'first' });
  const { body } = await rest<{ nodes?: { name: string }[] }>(
    'GET',
    `/api/v1/applications/roles-app-${run}/resource-tree`,
  );
  assert.deepEqual(
    body.nodes?.map(({ name }) => name),
    ['roles-one'],
  );
});

test('who asks for the objects of an application that is not compared yet gets them', async () => {
  const other = new TestRepository({ 'a.yaml': configMap('roles-new', 'first') });
  const created = await rest('POST', '/api/v1/applications', newApplication(`roles-new-${run}`, other.url));
  assert.equal(created.status, 200, JSON.stringify(created.body));
  const { body } = await rest<{ items?: { name: string }[] }>(
    'GET',
    `/api/v1/applications/roles-new-${run}/managed-resources`,
  );
  assert.deepEqual(
    body.items?.map(({ name }) => name),
    ['roles-new'],
  );
  await rest('DELETE', `/api/v1/applications/roles-new-${run}?cascade=false`);
});

test('what the server shows rests on the revision of a refresh that it has just answered', async () => {
  repository.commit({ 'a.yaml': configMap('roles-one', 'second') });
  const refreshed = await application('?refresh=normal');
  assert.equal(refreshed.status?.sync?.status, 'OutOfSync');
  assert.deepEqual(await valuesOf(), { live: 'first', target: 'second' });
  await sync();
  await eventually(application, (app) => succeeded(app) && app.status?.history?.length === 2);
  assert.deepEqual(await valuesOf(), { live: 'second', target: 'second' });
});

test('a sync to a commit that the controller has not heard of leaves the application Synced', async () => {
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'argocd-cm' };
  // the repository is not polled any more
  await client.patch(settings, 'merge', { data: { 'timeout.reconciliation': '0s' } });
  const commit = repository.commit({ 'a.yaml': configMap('roles-one', 'unheard') });
  await sync();
  await eventually(application, (app) => succeeded(app) && app.status?.sync?.revision === commit);
});

test('a new application takes the commit that is there when it is made, whatever was read of its repository before', async () => {
  const commit = repository.commit({ 'other/b.yaml': configMap('roles-two', 'new') });
  const name = 'roles-second';
  await client.create<Application>({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    ...newApplication(name, repository.url, 'other'),
  });
  const { status } = await eventually(
    async () => (await rest<Application>('GET', `/api/v1/applications/${name}`)).body,
    (app) => Boolean(app.status?.reconciledAt),
  );
  assert.equal(status?.sync?.revision, commit);
  await client.delete({ apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace, name });
  await eventually(clusterState, ({ info }) => Number(info.applicationsCount) === 1);
});

test('the state of a cluster comes from the process that delivers to it', async () => {
  const { info } = await eventually(clusterState, ({ info }) => Number(info.cacheInfo.apisCount) > 0);
  assert.equal(Number(info.applicationsCount), 1);
  const { connectionState } = await clusterState();
  assert.equal(connectionState.status, 'Successful');
});

test('while the controller is away the server goes on, says so, and what is asked for is done when it is back', async () => {
  await controller.end('SIGTERM');
  const { connectionState } = await eventually(clusterState, (state) => state.connectionState.status === 'Unknown');
  assert.match(connectionState.message, /No controller delivers/);
  assert.deepEqual(await valuesOf(), { live: 'unheard', target: 'unheard' });
  repository.commit({ 'a.yaml': configMap('roles-one', 'third') });
  assert.equal((await sync()).status, 200);
  await rest('POST', '/api/v1/repositories', { repo: repository.url, type: 'git' });

  controller = new Part('controller', kubeconfig);
  await controller.up;
  await eventually(application, (app) => succeeded(app) && app.status?.history?.length === 4);
  assert.deepEqual(await valuesOf(), { live: 'third', target: 'third' });
  await eventually(clusterState, (state) => state.connectionState.status === 'Successful');
});

test('both processes tell whether they reach a repository', async () => {
  interface Connections {
    readonly items: readonly { readonly replicas: readonly { readonly replica: string }[] }[];
  }
  const replicas = await eventually(
    async () => {
      const { body } = await rest<Connections>('GET', '/api/tiphys/v1/repositories');
      return (body.items?.[0]?.replicas ?? []).map(({ replica }) => replica);
    },
    (names) => names.length === 2,
  );
  assert.match(replicas.join(), /controller.*server|server.*controller/);
});

test('a controller that is killed in the middle is followed by the next one; sessions outlive a server that is killed', async () => {
  repository.commit({ 'a.yaml': configMap('roles-one', 'fourth') });
  await Promise.all([sync(), controller.end('SIGKILL')]);
  controller = new Part('controller', kubeconfig);
  await api.end('SIGKILL');
  api = new Part('server', kubeconfig);
  url = await api.up;
  await eventually(
    application,
    (app) => succeeded(app) && app.status?.sync?.revision === repository.git('rev-parse', 'HEAD'),
  );
  assert.deepEqual(await valuesOf(), { live: 'fourth', target: 'fourth' });
});
