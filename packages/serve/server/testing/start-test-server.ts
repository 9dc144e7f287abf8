import type { TestContext } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { customResourceDefinitions } from '@tiphys/api';
import { type Client, type Clock, connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { type SandboxOptions, startSandbox } from '@tiphys/sandbox';
import { parseYaml } from '@tiphys/yaml';
import type { Backend } from '../ports/backend.ts';
import { type Server, type ServerOptions, startServer } from '../start-server.ts';

/** A clock that a test moves; sleeping takes no time. */
export class TestClock implements Clock {
  #now: number;

  constructor(now = Date.parse('2026-01-02T03:04:05Z')) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  advance(seconds: number): void {
    this.#now += seconds * 1000;
  }

  async sleep(): Promise<void> {}
}

/** A backend for tests of everything but resources: sources are fine, and nothing was ever deployed. */
export const idleBackend: Backend = {
  comparison: async () => ({ status: 'Synced', resources: [], conditions: [] }),
  comparisonAt: async () => ({ resources: [], revisions: [] }),
  tree: async () => ({ nodes: [], orphaned: [], hosts: [] }),
  renders: async () => [],
  plan: async () => ({ rows: [], refusals: [], summary: 'nothing is done' }),
  onTreeChange: () => () => undefined,
  render: async () => ({ objects: [], revisions: [], sourceType: 'Directory', warnings: [] }),
  checkSources: async () => [],
  resolveRevision: async (_app, _index, revision) => ({
    revision: '1'.repeat(40),
    display: `${revision || 'HEAD'} (1111111)`,
  }),
  cluster: async () => {
    throw new Error('there is no cluster');
  },
  clusterOf: async () => {
    throw new Error('there is no cluster');
  },
  clusterState: async () => undefined,
  pushed: async () => [],
  testCluster: async () => ({ version: 'v1.34.4' }),
  testRepository: async () => [],
  repositoryCredentials: async () => ({}),
  sourceBranch: async () => {
    throw new Error('there is no repository');
  },
  sourceFiles: async () => {
    throw new Error('there is no repository');
  },
  revision: async () => ({ author: '', date: '', message: '', tags: [] }),
  signature: async () => ({ info: '' }),
  refs: async () => ({ branches: ['main'], tags: [] }),
  discover: async () => [],
  plugins: async () => ['greeting-v1.0'],
  sourceDetails: async () => ({ type: 'Directory' }),
  sourceFile: async () => undefined,
  newestChart: async () => undefined,
  mergeBase: async () => undefined,
  charts: async () => [],
  tags: async () => [],
  chartDetails: async () => ({ description: '', home: '', maintainers: [] }),
  artifactAnnotations: async () => ({}),
  compareByServer: async (_app, desired, live) => ({
    live,
    predicted: desired,
    modified: !isDeepStrictEqual(desired, live),
  }),
  availableActions: () => [],
  planAction: () => [],
};

export interface TestServer {
  readonly server: Server;
  readonly client: Client;
  readonly password: string;
  /** Logs in and returns the token. */
  login(username?: string, password?: string): Promise<string>;
  /** Sends JSON; a body makes it a POST unless `method` says otherwise. */
  call(
    path: string,
    options?: { token?: string; method?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<{ status: number; body: Record<string, unknown>; headers: Headers }>;
  /** Merges into the data of a ConfigMap and waits until the server sees it. */
  configure(name: string, data: Record<string, string>): Promise<void>;
  /** A second replica on the same cluster. */
  beside(other?: Partial<ServerOptions>): Promise<TestServer>;
  /** Another server on the same cluster, as after a restart. */
  restart(): Promise<TestServer>;
}

/** Tests of everything but the hashes themselves log in often. */
const cheapestHash = 4;

/** A server on a sandbox of its own, both closed with the test. Unless asked for, nothing runs on that but its API server. */
export async function startTestServer(
  t: TestContext,
  options: Partial<ServerOptions> = {},
  cluster: SandboxOptions = {},
): Promise<TestServer> {
  const sandbox = await startSandbox({ controllers: false, nodes: 0, ...cluster });
  t.after(() => sandbox.close());
  const client = connect(sandbox.config, { caller: { component: 'test', purpose: 'test' } });
  t.after(() => client.close());
  await install(client);
  return await onCluster(t, client, options);
}

async function onCluster(t: TestContext, client: Client, options: Partial<ServerOptions>): Promise<TestServer> {
  const clock = options.clock ?? systemClock;
  const server = await startServer({
    client,
    backend: idleBackend,
    port: 0,
    version: '0.0.0',
    clock,
    passwordCost: cheapestHash,
    ...options,
  });
  t.after(() => server.close());
  const secret = await client.find<KubeObject & { data: { password: string } }>({
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: 'argocd',
    name: 'argocd-initial-admin-secret',
  });
  const password = Buffer.from(secret?.data.password ?? '', 'base64').toString();
  const call: TestServer['call'] = async (path, { token, method, body, headers } = {}) => {
    const answer = await fetch(`${server.url}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(body === undefined && method === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : { text },
    };
  };
  const login: TestServer['login'] = async (username = 'admin', secretWord = password) =>
    String((await call('/api/v1/session', { body: { username, password: secretWord } })).body.token);
  return {
    server,
    client,
    password,
    call,
    login,
    async configure(name, data) {
      await client.patch({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'argocd', name }, 'merge', { data });
      // a write of the server's own comes after ours, and the server waits until it sees that
      await call('/api/v1/session', { body: { username: `nobody-${Object.keys(data).length}`, password: 'x' } });
      await new Promise((resolve) => setImmediate(resolve));
    },
    beside: (other = {}) => onCluster(t, client, { ...options, ...other }),
    async restart() {
      await server.close();
      return await onCluster(t, client, options);
    },
  };
}

let definitions: readonly KubeObject[] | undefined;

/** Custom resources and the namespace, as the composition root installs them; the files are read once for all tests of a process. */
async function install(client: Client): Promise<void> {
  definitions ??= customResourceDefinitions().map(
    ({ file, text }) => parseYaml(text, { file }) as unknown as KubeObject,
  );
  await Promise.all(definitions.map((definition) => client.create(definition)));
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } });
  for (const kind of ['Application', 'AppProject', 'ApplicationSet']) {
    while (!(await client.discovery.find('argoproj.io/v1alpha1', kind)))
      await new Promise((resolve) => setImmediate(resolve));
  }
}
