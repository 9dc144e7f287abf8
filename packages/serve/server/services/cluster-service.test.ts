import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client, KubeObject, ResourceRef } from '@tiphys/kubernetes';
import { idleBackend, startTestServer } from '../testing/start-test-server.ts';

const server = 'https://10.0.0.1:6443';
const path = (url: string) => `/api/v1/clusters/${encodeURIComponent(url)}`;

test('the own cluster is there by itself; another becomes a Secret, shown without its token', async (t) => {
  const { call, login, client } = await startTestServer(t);
  const token = await login();
  const cluster = {
    server,
    name: 'edge',
    config: {
      bearerToken: 'MARKER',
      tlsClientConfig: { insecure: true, keyData: Buffer.from('MARKER').toString('base64') },
    },
    namespaces: ['a', 'b'],
  };
  assert.equal((await call('/api/v1/clusters', { token, body: cluster })).status, 200);
  const listed = await call('/api/v1/clusters', { token });
  assert.deepEqual(
    (listed.body.items as { name: string }[]).map(({ name }) => name),
    ['edge', 'in-cluster'],
  );
  assert.ok(!JSON.stringify(listed.body).includes('MARKER') && !JSON.stringify(listed.body).includes('TUFSS0VS'));
  const [secret] = (
    await client.list(
      { apiVersion: 'v1', kind: 'Secret', namespace: 'argocd' },
      { labelSelector: 'argocd.argoproj.io/secret-type=cluster' },
    )
  ).items;
  assert.match(secret?.metadata.name ?? '', /^cluster-10\.0\.0\.1-\d+$/);
  assert.equal((await call('/api/v1/clusters/edge?id.type=name', { token })).body.server, server);
  assert.equal(
    (await call('/api/v1/clusters', { token, body: { ...cluster, name: 'other' } })).status,
    400,
    'a different one needs upsert',
  );
  assert.equal((await call(path(server), { token, method: 'DELETE' })).status, 200);
  assert.equal((await call(path(server), { token })).status, 403);
});

test('the body of an update cannot name another cluster than the one that was checked (CVE-2023-23947)', async (t) => {
  const { call, login, client } = await startTestServer(t);
  const token = await login();
  const victim = 'https://10.0.0.2:6443';
  for (const [url, name] of [
    [server, 'mine'],
    [victim, 'theirs'],
  ])
    await call('/api/v1/clusters', { token, body: { server: url, name, config: {} } });
  await client.patch({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'argocd', name: 'argocd-cm' }, 'merge', {
    data: { 'accounts.eve': 'apiKey' },
  });
  await client.patch({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'argocd', name: 'argocd-rbac-cm' }, 'merge', {
    data: { 'policy.csv': `p, eve, clusters, update, ${server}, allow\np, eve, clusters, get, *, allow` },
  });
  const eve = String((await call('/api/v1/account/eve/token', { token, body: {} })).body.token);
  await call(path(server), {
    token: eve,
    method: 'PUT',
    body: { server: victim, name: 'theirs', config: { bearerToken: 'evil' } },
  });
  assert.equal(
    (await call(path(victim), { token: eve, method: 'PUT', body: { server, name: 'mine', config: {} } })).status,
    403,
  );
  const after = await call(path(victim), { token });
  assert.deepEqual([after.body.server, after.body.name], [victim, 'theirs']);
  const secrets = (
    await client.list(
      { apiVersion: 'v1', kind: 'Secret', namespace: 'argocd' },
      { labelSelector: 'argocd.argoproj.io/secret-type=cluster' },
    )
  ).items;
  const config = secrets.find(
    (secret) => Buffer.from((secret.data as { server: string }).server, 'base64').toString() === victim,
  )?.data as { config: string };
  assert.equal(Buffer.from(config.config, 'base64').toString(), '{"tlsClientConfig":{"insecure":false}}');
});

test('the token of a cluster is rotated: a new one is in use, and the old one is gone', async (t) => {
  const namespace = 'argocd';
  const type = 'kubernetes.io/service-account-token';
  let own: Client | undefined;
  const backend = {
    ...idleBackend,
    cluster: async () => ({ server: 'https://far.example', name: 'far', client: own as Client }),
  };
  // tokens of service accounts are written and taken back by their controller
  const { client, call, login } = await startTestServer(t, { backend }, { controllers: true });
  own = client;
  await client.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'manager', namespace } });
  const name = 'manager-token-first';
  const annotations = { 'kubernetes.io/service-account.name': 'manager' };
  await client.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace, annotations }, type });
  const bearerToken = await tokenIn(client, { apiVersion: 'v1', kind: 'Secret', namespace, name });
  const token = await login();
  const config = {
    bearerToken,
    tlsClientConfig: { certData: 'eA==', keyData: 'eA==' },
  };
  const added = await call('/api/v1/clusters', { token, body: { server: 'https://far.example', name: 'far', config } });
  assert.equal(added.status, 200);
  const path = `/api/v1/clusters/${encodeURIComponent('https://far.example')}`;
  const rotated = await call(`${path}/rotate-auth`, {
    token,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  });
  assert.equal(rotated.status, 200, JSON.stringify(rotated.body));
  const { items } = await client.list<KubeObject & { data: Record<string, string> }>({
    apiVersion: 'v1',
    kind: 'Secret',
    namespace,
  });
  const tokens = items.filter((secret) => secret.type === type);
  assert.equal(tokens.length, 1);
  const [kept] = tokens;
  assert.match(kept?.metadata.name ?? '', /^manager-token-(?!first)/);
  const stored = items.find(({ metadata }) => metadata.labels?.['argocd.argoproj.io/secret-type'] === 'cluster');
  const after = JSON.parse(Buffer.from(stored?.data.config ?? '', 'base64').toString());
  assert.notEqual(after.bearerToken, bearerToken);
  assert.deepEqual(after, { bearerToken: decoded(kept?.data.token), tlsClientConfig: { insecure: false } });
  const account = await client.get({ apiVersion: 'v1', kind: 'ServiceAccount', namespace, name: 'manager' });
  assert.deepEqual(account.secrets, [{ name: kept?.metadata.name }]);

  const basic = { server: 'https://basic.example', name: 'basic', config: { username: 'x', password: 'y' } };
  await call('/api/v1/clusters', { token, body: basic });
  const refused = await call(`/api/v1/clusters/${encodeURIComponent('https://basic.example')}/rotate-auth`, {
    token,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  });
  assert.match(String(refused.body.message), /does not use bearer token authentication/);
});

/** The token that the cluster's token controller puts into a Secret. */
async function tokenIn(client: Client, secret: ResourceRef): Promise<string> {
  for await (const { object } of client.watch<KubeObject & { data?: Record<string, string> }>(secret, {
    resourceVersion: '0',
    signal: AbortSignal.timeout(120_000),
  }))
    if (object.data?.token) return decoded(object.data.token);
  throw new Error('the watch ended before there was a token');
}

const decoded = (value = '') => Buffer.from(value, 'base64').toString();

test("what was applied as a cluster's Secret is not shown (CVE-2023-40029)", async (t) => {
  const { call, login, client } = await startTestServer(t);
  const config = JSON.stringify({ bearerToken: 'MARKER' });
  const metadata = {
    name: 'applied',
    namespace: 'argocd',
    labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
    annotations: {
      'kubectl.kubernetes.io/last-applied-configuration': `{"stringData":{"config":"MARKER"}}`,
      team: 'a',
    },
  };
  const stringData = { name: 'applied', server, config };
  await client.create({ apiVersion: 'v1', kind: 'Secret', metadata, stringData } as KubeObject);
  const token = await login();
  for (const path of ['/api/v1/clusters', '/api/v1/clusters/applied?id.type=name']) {
    const text = JSON.stringify((await call(path, { token })).body);
    assert.match(text, /"team":"a"/, path);
    assert.doesNotMatch(text, /MARKER/, path);
  }
});
