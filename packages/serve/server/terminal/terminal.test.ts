import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import type { TreeNode } from '@tiphys/engine';
import { type Client, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { WebSocket } from 'ws';
import { idleBackend, startTestServer, type TestServer } from '../testing/start-test-server.ts';

const pod = (name: string, command: string[]) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'local', command }] },
});

const query = {
  pod: 'web',
  container: 'main',
  appName: 'shop',
  projectName: 'default',
  namespace: 'default',
  appNamespace: 'argocd',
};

/** Milliseconds that a test waits for a shell. */
const timeout = 120_000;

/** A server with one application that has one pod of two; pods are processes. */
async function startShop(t: TestContext, options: Parameters<typeof startTestServer>[1] = {}) {
  let client: Client | undefined;
  const node = (name: string) => ({
    key: { group: '', kind: 'Pod', namespace: 'default', name },
    version: 'v1',
    uid: `uid of ${name}`,
    parents: [],
    info: [],
    images: [],
  });
  const world = await startTestServer(
    t,
    {
      ...options,
      backend: {
        ...idleBackend,
        tree: async () => ({ nodes: [node('web'), node('lost')] as unknown as TreeNode[], orphaned: [], hosts: [] }),
        cluster: async () => ({ server: '', name: '', client: client as Client }),
      },
    },
    { runtime: 'process', controllers: true, nodes: 1 },
  );
  client = world.client;
  for (const name of ['web', 'foreign']) await client.create(pod(name, ['sleep', '1000']));
  await running(client, 'web');
  const admin = await world.login();
  await world.call('/api/v1/applications?validate=false', {
    token: admin,
    body: {
      metadata: { name: 'shop' },
      spec: {
        project: 'default',
        source: { repoURL: 'https://example.test/r', path: 'p' },
        destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
      },
    },
  });
  await world.configure('argocd-cm', { 'exec.enabled': 'true', 'exec.shells': 'sh' });
  return { ...world, admin };
}

async function running(client: Client, name: string): Promise<void> {
  const ref = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name };
  type Pod = KubeObject & { status?: { phase?: string } };
  const { resourceVersion = '' } = (await client.list(ref)).metadata;
  if ((await client.get<Pod>(ref)).status?.phase === 'Running') return;
  const signal = AbortSignal.timeout(120_000);
  for await (const { object } of client.watch<Pod>(ref, { resourceVersion, signal }))
    if (object.metadata.name === name && object.status?.phase === 'Running') return;
}

interface Terminal {
  readonly socket: WebSocket;
  /** Resolves when what was printed matches. */
  printed(pattern: RegExp): Promise<string>;
  /** Commands of the server, such as to come again. */
  readonly commands: unknown[];
  type(text: string): void;
  readonly closed: Promise<number>;
}

async function open(
  { server }: Pick<TestServer, 'server'>,
  token: string,
  parameters: Record<string, string> = query,
  headers: Record<string, string> = { cookie: `argocd.token=${token}` },
): Promise<Terminal> {
  const url = `${server.url.replace('http', 'ws')}/terminal?${new URLSearchParams(parameters)}`;
  const socket = new WebSocket(url, { headers });
  let text = '';
  const commands: unknown[] = [];
  const waiting = new Set<() => void>();
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as { operation?: string; data?: string };
    if (message.operation === 'stdout') text += message.data;
    else commands.push(message);
    for (const look of waiting) look();
  });
  const closed = new Promise<number>((resolve) =>
    socket.once('close', (code) => {
      for (const look of waiting) look();
      resolve(code);
    }),
  );
  await once(socket, 'open');
  return {
    socket,
    commands,
    closed,
    type: (data) => socket.send(JSON.stringify({ operation: 'stdin', data, rows: 0, cols: 0 })),
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (pattern.test(text)) resolve(text);
          else if (socket.readyState === socket.CLOSED) reject(new Error(`closed without ${pattern}: ${text}`));
          else return;
          waiting.delete(look);
        };
        waiting.add(look);
        setTimeout(() => reject(new Error(`${pattern} did not come: ${text}`)), timeout).unref();
        look();
      }),
  };
}

/** Status and text of a refused handshake. */
async function refusal(
  { server }: Pick<TestServer, 'server'>,
  token: string | undefined,
  changes: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<string> {
  const parameters = new URLSearchParams(Object.entries({ ...query, ...changes }).filter(([, value]) => value !== ''));
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/terminal?${parameters}`, {
    headers: { ...(token ? { cookie: `argocd.token=${token}` } : {}), ...headers },
  });
  const [, answer] = await once(socket, 'unexpected-response');
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  return `${answer.statusCode} ${text.trim()}`;
}

/** A local user's token, with a policy. */
async function userToken({ call, configure }: TestServer, admin: string, policy: string): Promise<string> {
  await configure('argocd-cm', { 'accounts.eve': 'apiKey' });
  await configure('argocd-rbac-cm', { 'policy.csv': policy });
  return String((await call('/api/v1/account/eve/token', { token: admin, body: {} })).body.token);
}

/** Of a shell that waits. */
const prompt = /[$#] $/;
const mayExec = 'p, eve, exec, create, */*, allow\n';
const mayGet = 'p, eve, applications, get, */*, allow\n';

test('a terminal runs a shell in the container until it exits', async (t) => {
  const world = await startShop(t);
  const terminal = await open(world, world.admin);
  terminal.socket.send(JSON.stringify({ operation: 'resize', cols: 100, rows: 40 }));
  terminal.type('echo "one$((1 + 1))three" ⚓\n');
  await terminal.printed(/one2three ⚓/);
  terminal.type('exit 3\n');
  assert.equal(await terminal.closed, 1000, 'what the shell ends with is its own affair');
  assert.deepEqual(terminal.commands, []);
});

test('the token may come as a bearer token too, and the application namespace may be left out', async (t) => {
  const world = await startShop(t);
  const { appNamespace: _, ...rest } = query;
  const terminal = await open(world, '', rest, { authorization: `Bearer ${world.admin}` });
  terminal.type('echo $((6 * 7)); exit\n');
  await terminal.printed(/42/);
  await terminal.closed;
});

test('a shell that is not permitted gives way to those that are, and one that is not there to the next', async (t) => {
  const world = await startShop(t);
  await world.configure('argocd-cm', { 'exec.shells': 'no-such-shell,sh' });
  for (const shell of ['', 'python3', '/bin/sh -c id']) {
    const terminal = await open(world, world.admin, { ...query, shell });
    await terminal.printed(prompt);
    terminal.type('echo "this is $0"; exit\n');
    await terminal.printed(/this is (\/bin\/)?sh/);
    await terminal.closed;
  }
  await world.configure('argocd-cm', { 'exec.shells': 'no-such-shell' });
  const none = await open(world, world.admin);
  await none.printed(/No shell could be started.*no-such-shell.*exec\.shells/);
  assert.equal(await none.closed, 1011);
});

test('what is no terminal of the application is refused as Argo CD refuses it', async (t) => {
  const world = await startShop(t);
  const { admin } = world;
  assert.equal(await refusal(world, undefined), '400 Auth cookie not found');
  assert.equal(await refusal(world, `${admin}x`), '401 Invalid token');
  for (const missing of ['pod', 'container', 'appName', 'projectName', 'namespace'])
    assert.equal(await refusal(world, admin, { [missing]: '' }), '400 Missing required parameters');
  assert.equal(await refusal(world, admin, { pod: '../secrets' }), '400 Pod name is not valid');
  assert.equal(await refusal(world, admin, { container: 'a/b' }), '400 Container name is not valid');
  assert.equal(await refusal(world, admin, { appName: 'A b' }), '400 App name is not valid');
  assert.equal(await refusal(world, admin, { projectName: 'a/b' }), '400 Project name is not valid');
  assert.equal(await refusal(world, admin, { namespace: 'a.b' }), '400 Namespace name is not valid');
  assert.equal(await refusal(world, admin, { appNamespace: '_' }), '400 App namespace name is not valid');
  assert.equal(await refusal(world, admin, { appNamespace: 'other' }), "403 namespace 'other' is not permitted");
  assert.equal(await refusal(world, admin, { appName: 'absent' }), '404 App not found');
  assert.equal(
    await refusal(world, admin, { projectName: 'other' }),
    '400 The wrong project was specified for the app',
  );
  assert.equal(await refusal(world, admin, { pod: 'foreign' }), "400 Pod doesn't belong to specified app");
  assert.equal(await refusal(world, admin, { pod: 'lost' }), '400 Cannot find pod');
  assert.equal(
    await refusal(world, admin, { container: 'sidecar' }),
    '400 The container sidecar of pod web is not running',
  );
  assert.match(
    await refusal(world, admin, {}, { origin: 'https://evil.example' }),
    /^403 The request comes from a page of another site/,
  );
  await world.configure('argocd-cm', { 'exec.enabled': 'false' });
  assert.match(await refusal(world, admin), /^404 /);
  assert.equal((await world.call('/terminal', { token: admin })).status, 404);
});

test('a request without a WebSocket gets the same refusals, and other upgrades are answered as usual', async (t) => {
  const world = await startShop(t);
  const { admin: token } = world;
  const parameters = new URLSearchParams(query);
  const plain = await world.call(`/terminal?${parameters}`, { token });
  assert.deepEqual([plain.status, plain.body.text], [400, 'A terminal needs a WebSocket\n']);
  assert.equal((await world.call('/terminal', { token })).status, 400);
  const socket = new WebSocket(`${world.server.url.replace('http', 'ws')}/api/version`);
  const [, answer] = await once(socket, 'unexpected-response');
  answer.resume();
  assert.equal(answer.statusCode, 200);
});

test('who may not see the application or execute in it learns nothing but that', async (t) => {
  const world = await startShop(t);
  const { admin, configure } = world;
  const eve = await userToken(world, admin, mayExec);
  const hidden = await refusal(world, eve);
  assert.match(hidden, /^401 permission denied: applications, get, default\/shop, sub: eve, iat: /);
  assert.equal(hidden, (await refusal(world, eve, { appName: 'none' })).replace('/none', '/shop'));
  await configure('argocd-rbac-cm', { 'policy.csv': mayGet });
  assert.match(await refusal(world, eve), /^401 permission denied: exec, create, default\/shop, sub: eve, iat: /);
  // rights in a project of one's own tell nothing about applications of others
  await configure('argocd-rbac-cm', {
    'policy.csv': 'p, eve, exec, create, own/*, allow\np, eve, applications, get, own/*, allow\n',
  });
  const probe = (appName: string) => refusal(world, eve, { appName, projectName: 'own' });
  assert.deepEqual([await probe('shop'), await probe('none')], ['404 App not found', '404 App not found']);
});

test('a permission that is taken away ends the terminal at the next key (CVE-2024-41666)', async (t) => {
  const world = await startShop(t);
  const eve = await userToken(world, world.admin, mayGet + mayExec);
  const terminal = await open(world, eve);
  terminal.type('echo "be$(echo fore)"\n');
  await terminal.printed(/before/);
  await world.configure('argocd-rbac-cm', { 'policy.csv': mayGet });
  terminal.type('echo "af$(echo ter)"\n');
  assert.doesNotMatch(await terminal.printed(/Permission denied/), /after/);
  assert.equal(await terminal.closed, 1008);
});

test('a permission or token that is taken away ends the terminal though nobody types (CVE-2023-40025)', async (t) => {
  let skew = 0;
  const clock = { now: () => systemClock.now() + skew, sleep: systemClock.sleep };
  const world = await startShop(t, { clock });
  const terminal = await open(world, world.admin);
  await terminal.printed(prompt);
  skew = 25 * 3600 * 1000;
  await terminal.printed(/Reconnect because the token was refreshed/);
  assert.equal(await terminal.closed, 1000);
  assert.deepEqual(terminal.commands, [{ Code: 1 }]);
  assert.equal(await refusal(world, world.admin), '401 Invalid token');
});

test('a login that ends within minutes is renewed by the handshake', async (t) => {
  let skew = 0;
  const clock = { now: () => systemClock.now() + skew, sleep: systemClock.sleep };
  const world = await startShop(t, { clock });
  skew = 24 * 3600 * 1000 - 200_000;
  const socket = new WebSocket(`${world.server.url.replace('http', 'ws')}/terminal?${new URLSearchParams(query)}`, {
    headers: { cookie: `argocd.token=${world.admin}` },
  });
  const [answer] = await once(socket, 'upgrade');
  assert.match(String(answer.headers['set-cookie']), /^argocd\.token=ey.*httpOnly/i);
  socket.send(JSON.stringify({ operation: 'stdin', data: 'exit\n' }));
  await once(socket, 'close');
});

test('a message that is none ends the terminal, and so does the shell when the browser goes', async (t) => {
  const world = await startShop(t);
  const odd = await open(world, world.admin);
  odd.socket.send('not JSON');
  assert.equal(await odd.closed, 1003);
  const left = await open(world, world.admin);
  left.type('echo $$ is it\n');
  const pid = Number(/(\d+) is it/.exec(await left.printed(/\d+ is it/))?.[1]);
  left.socket.terminate();
  const alive = () => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  const until = performance.now() + 20_000;
  while (alive() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(alive(), false);
});
