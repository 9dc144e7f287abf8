import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccessRequest } from '@tiphys/applications';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { idleBackend, startTestServer } from '../testing/start-test-server.ts';

const url = 'https://example.test/r';
const path = `/api/v1/repositories/${encodeURIComponent(url)}`;
const refused = defineDiagnosis('TestRefused', 'A test');

test('a repository becomes a Secret as Argo CD writes it, and its credentials never come back (CVE-2025-55190)', async (t) => {
  const { call, login, client } = await startTestServer(t);
  const token = await login();
  const repo = {
    repo: url,
    username: 'u',
    password: 'MARKER-pw',
    sshPrivateKey: 'MARKER-key',
    enableLfs: true,
    githubAppID: 7,
    project: 'default',
    proxy: 'http://u:MARKER-proxy@proxy.test:3128',
  };
  const created = await call('/api/v1/repositories', { token, body: repo });
  assert.deepEqual(
    [created.status, created.body],
    [200, { repo: url, connectionState: { status: '', message: '', attemptedAt: null } }],
  );
  const [secret] = (
    await client.list(
      { apiVersion: 'v1', kind: 'Secret', namespace: 'argocd' },
      { labelSelector: 'argocd.argoproj.io/secret-type=repository' },
    )
  ).items;
  assert.match(secret?.metadata.name ?? '', /^repo-\d+$/);
  assert.equal(secret?.metadata.annotations?.['managed-by'], 'argocd.argoproj.io');
  const data = Object.fromEntries(
    Object.entries(secret?.data as Record<string, string>).map(([key, value]) => [
      key,
      Buffer.from(value, 'base64').toString(),
    ]),
  );
  assert.deepEqual(
    [data.url, data.password, data.enableLfs, data.githubAppID, data.project],
    [url, 'MARKER-pw', 'true', '7', 'default'],
  );
  for (const place of ['/api/v1/repositories', path, '/api/v1/projects/default/detailed']) {
    const { status, body } = await call(place, { token });
    assert.equal(status, 200, place);
    assert.ok(
      JSON.stringify(body).includes(url) && !JSON.stringify(body).includes('MARKER'),
      `${place}: ${JSON.stringify(body)}`,
    );
  }
});

test('a repository without credentials of its own takes those of the longest template', async (t) => {
  const asked: AccessRequest[] = [];
  const backend = {
    ...idleBackend,
    testRepository: async (repository: AccessRequest) => {
      asked.push(repository);
      return [];
    },
  };
  const { call, login } = await startTestServer(t, { backend });
  const token = await login();
  for (const [prefix, password] of [
    ['https://example.test/', 'short'],
    ['https://example.test/r', 'long'],
  ]) {
    assert.equal(
      (await call('/api/v1/repocreds', { token, body: { url: prefix, username: 'u', password } })).status,
      200,
    );
  }
  await call('/api/v1/repositories', { token, body: { repo: url } });
  assert.deepEqual(asked[0]?.settings, { username: 'u', password: 'long' });
  const templates = (await call('/api/v1/repocreds', { token })).body.items as object[];
  assert.deepEqual(templates, [
    { url: 'https://example.test/', username: 'u' },
    { url: 'https://example.test/r', username: 'u' },
  ]);
});

test('a repository that cannot be reached is not stored, and the reason is told', async (t) => {
  const backend = {
    ...idleBackend,
    testRepository: () => Promise.reject(failure(refused, { message: 'the host refused the key' })),
  };
  const { call, login } = await startTestServer(t, { backend });
  const token = await login();
  const { status, body } = await call('/api/v1/repositories', { token, body: { repo: url } });
  assert.deepEqual([status, body.message], [500, 'the host refused the key']);
  assert.equal((await call('/api/v1/repositories', { token })).body.items, null);
});

test('many writers of one repository leave one whole record (CVE-2025-55191)', async (t) => {
  const { call, login, client } = await startTestServer(t);
  const token = await login();
  const write = (i: number) =>
    call('/api/v1/repositories?upsert=true', { token, body: { repo: url, username: `u${i}`, password: `u${i}` } });
  await write(0);
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) => (i % 2 ? write(i) : call('/api/v1/repositories', { token }))),
  );
  assert.ok(answers.every(({ status }) => status === 200 || status === 409));
  const secrets = (
    await client.list(
      { apiVersion: 'v1', kind: 'Secret', namespace: 'argocd' },
      { labelSelector: 'argocd.argoproj.io/secret-type=repository' },
    )
  ).items;
  assert.equal(secrets.length, 1);
  const data = secrets[0]?.data as Record<string, string>;
  assert.equal(data.username, data.password);
  assert.equal((await call('/api/version')).status, 200);
});

test('a declared Secret is unlabelled when it is deleted, one of the API is removed', async (t) => {
  const { call, login, client } = await startTestServer(t);
  const token = await login();
  await client.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'mine', namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': 'repository' } },
    data: { url: Buffer.from(url).toString('base64') },
  } as never);
  while ((await call(path, { token })).status !== 200) await new Promise((resolve) => setImmediate(resolve));
  assert.equal((await call(path, { token, method: 'DELETE' })).status, 200);
  assert.deepEqual(
    (await client.get({ apiVersion: 'v1', kind: 'Secret', namespace: 'argocd', name: 'mine' })).metadata.labels ?? {},
    {},
  );
  assert.equal((await call(path, { token })).status, 403, 'what is not there is told like what may not be seen');
});

test('a type of repository that there is not is refused before anything is asked', async (t) => {
  const { call, login } = await startTestServer(t, {
    backend: { ...idleBackend, testRepository: () => assert.fail('it was asked') },
  });
  const token = await login();
  const { status, body } = await call(`${path}/validate?type=nonsense`, { token, body: '"x"' });
  assert.deepEqual([status, body.message], [500, 'unsupported repository type "nonsense"']);
});
