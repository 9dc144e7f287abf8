import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Diagnosis, defineDiagnosis, diagnose, failure } from '@tiphys/diagnosis';
import { idleBackend, startTestServer, TestClock, type TestServer } from '../testing/start-test-server.ts';

const unreachable = defineDiagnosis('TestUnreachable', 'For tests', 'R8');
const skewed = defineDiagnosis('TestSkewed', 'For tests', 'R5');
const url = 'https://example.test/r';

interface Item {
  connectionState: { status: string; message: string };
  replicas: { replica: string; node: string; status: string; results: string; cause: string; notices: string[] }[];
}

/** A backend whose repository fails as long as it is told to. */
function changeable() {
  const state = { fails: false, checks: 0, notices: [] as Diagnosis[] };
  const backend = {
    ...idleBackend,
    testRepository: async () => {
      state.checks += 1;
      if (state.fails) throw failure(unreachable, { message: 'nobody answers' });
      return state.notices;
    },
  };
  return { state, backend };
}

async function connection(server: TestServer, token: string, force = false): Promise<Item> {
  const query = force ? '?forceRefresh=true' : '';
  const { body } = await server.call(`/api/tiphys/v1/repositories${query}`, { token });
  return (body.items as Item[])[0] as Item;
}

test('one failed check of a repository that was reached is not believed; two are, and the same back', async (t) => {
  const clock = new TestClock();
  const { state, backend } = changeable();
  const server = await startTestServer(t, { clock, backend });
  const token = await server.login();
  assert.equal((await server.call('/api/v1/repositories', { token, body: { repo: url } })).status, 200);
  assert.equal((await connection(server, token)).replicas[0]?.results, 'S');

  const once = { ...backend };
  let left = 1;
  backend.testRepository = async () => {
    left -= 1;
    if (left >= 0) throw failure(unreachable, { message: 'nobody answers' });
    return [];
  };
  clock.advance(61);
  const flapped = await connection(server, token);
  assert.equal(flapped.connectionState.status, 'Successful');
  assert.equal(flapped.replicas[0]?.results, 'SFS', 'it was looked at again at once');

  backend.testRepository = once.testRepository;
  state.fails = true;
  clock.advance(61);
  const failed = await connection(server, token);
  assert.deepEqual(failed.connectionState.status, 'Failed');
  assert.equal(failed.connectionState.message, 'Unable to connect to repository: nobody answers');
  assert.equal(failed.replicas[0]?.cause, 'R8');
  const listed = (await server.call('/api/v1/repositories', { token })).body.items as Item[];
  assert.equal(listed[0]?.connectionState.status, 'Failed', 'Argo CD’s clients see the same');

  state.fails = false;
  assert.equal((await connection(server, token, true)).connectionState.status, 'Successful');
});

test('a changed credential is judged afresh', async (t) => {
  const { state, backend } = changeable();
  const server = await startTestServer(t, { backend });
  const token = await server.login();
  await server.call('/api/v1/repositories', { token, body: { repo: url, username: 'u', password: 'old' } });
  state.fails = true;
  await connection(server, token, true);
  assert.equal((await connection(server, token)).connectionState.status, 'Failed');
  state.fails = false;
  const path = `/api/v1/repositories/${encodeURIComponent(url)}`;
  const changed = { repo: url, username: 'u', password: 'new' };
  assert.equal((await server.call(path, { token, method: 'PUT', body: changed })).status, 200);
  const fresh = await connection(server, token);
  assert.deepEqual([fresh.connectionState.status, fresh.replicas[0]?.results], ['Successful', 'S']);
  assert.ok(!JSON.stringify(fresh).includes('new'), 'nothing that is secret is shown');
});

test('every replica says what it finds, and the state names those that fail and their node', async (t) => {
  const good = changeable();
  const bad = changeable();
  const first = await startTestServer(t, { backend: good.backend, replica: { replica: 'tiphys-0', node: 'node-a' } });
  const second = await first.beside({ backend: bad.backend, replica: { replica: 'tiphys-1', node: 'node-b' } });
  const token = await first.login();
  await first.call('/api/v1/repositories', { token, body: { repo: url } });
  bad.state.fails = true;
  good.state.notices = [
    diagnose(skewed, { message: 'The clock of node node-a is 600 s behind that of api.github.com' }),
  ];
  assert.equal((await connection(second, token, true)).connectionState.status, 'Failed');
  let item = await connection(first, token, true);
  for (let i = 0; i < 200 && item.replicas.length < 2; i++) item = await connection(first, token);
  assert.deepEqual(
    item.replicas.map(({ replica, node, status }) => [replica, node, status]),
    [
      ['tiphys-0', 'node-a', 'Successful'],
      ['tiphys-1', 'node-b', 'Failed'],
    ],
  );
  assert.equal(
    item.connectionState.message,
    'Unable to connect to repository from 1 of 2 replicas: tiphys-1 on node node-b: nobody answers',
  );
  bad.state.fails = false;
  await connection(second, token, true);
  do item = await connection(first, token);
  while (item.connectionState.status === 'Failed');
  assert.equal(item.connectionState.message, 'The clock of node node-a is 600 s behind that of api.github.com');
});

test('connections are shown to those who may see the repository', async (t) => {
  const { call, login, configure } = await startTestServer(t);
  const token = await login();
  await call('/api/v1/repositories', { token, body: { repo: url } });
  assert.equal((await call('/api/tiphys/v1/repositories')).status, 401);
  await configure('argocd-cm', { 'accounts.eve': 'apiKey' });
  const eve = String((await call('/api/v1/account/eve/token', { token, body: {} })).body.token);
  assert.deepEqual((await call('/api/tiphys/v1/repositories', { token: eve })).body.items, []);
});

test('write repositories and their credentials are kept apart from those that are read', async (t) => {
  const { call, login, client } = await startTestServer(t);
  const token = await login();
  const write = (body: object) => call('/api/v1/write-repositories', { token, body });
  assert.match(String((await write({ repo: url })).body.message), /missing credentials in request/);
  assert.equal((await write({ repo: url, username: 'u', password: 'MARKER' })).status, 200);
  assert.equal((await call('/api/v1/repositories', { token })).body.items, null);
  const { body } = await call('/api/v1/write-repositories', { token });
  assert.equal((body.items as { repo: string }[])[0]?.repo, url);
  assert.ok(!JSON.stringify(body).includes('MARKER'));
  const template = { url: 'https://example.test', username: 'w', password: 'MARKER' };
  assert.equal((await call('/api/v1/write-repocreds', { token, body: template })).status, 200);
  assert.deepEqual((await call('/api/v1/write-repocreds', { token })).body.items, [
    { url: 'https://example.test', username: 'w' },
  ]);
  assert.equal((await call('/api/v1/repocreds', { token })).body.items, null);
  const secrets = await client.list({ apiVersion: 'v1', kind: 'Secret', namespace: 'argocd' });
  const types = secrets.items.map(({ metadata }) => metadata.labels?.['argocd.argoproj.io/secret-type']);
  assert.deepEqual(types.filter(Boolean).sort(), ['repo-write-creds', 'repository-write']);
  const path = `/api/v1/write-repositories/${encodeURIComponent(url)}`;
  assert.equal((await call(path, { token, method: 'DELETE' })).status, 200);
  assert.equal((await call('/api/v1/write-repositories', { token })).body.items, null);
});

test('an address that a browser would run, or git would read otherwise, is refused (CVE-2025-47933, CVE-2020-5260)', async (t) => {
  const { state, backend } = changeable();
  const { call, login } = await startTestServer(t, { backend });
  const token = await login();
  for (const repo of [
    'javascript:alert(1)',
    ' JavaScript:alert(1)',
    'https://evil.test?%0ahost=github.com',
    'https://evil.test/\nhost=github.com',
    '--upload-pack=touch /tmp/pwn',
  ])
    assert.equal((await call('/api/v1/repositories', { token, body: { repo } })).status, 400, repo);
  assert.equal(state.checks, 0);
});
