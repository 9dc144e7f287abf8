import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { TreeNode } from '@tiphys/engine';
import type { KubeObject } from '@tiphys/kubernetes';
import { idleBackend, startTestServer, type TestServer } from '../testing/start-test-server.ts';

const spec = {
  project: 'team',
  source: { repoURL: 'https://example.test/r', path: 'p' },
  destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
};

/** A server with a project `team`, an application of the control plane and one of the namespace `blue`, and a token of eve. */
async function start(t: TestContext, node?: TreeNode): Promise<TestServer & { admin: string; eve: string }> {
  let started: TestServer | undefined;
  started = await startTestServer(
    t,
    {
      applicationNamespaces: 'blue,/^green-/',
      backend: {
        ...idleBackend,
        tree: async () => ({ nodes: node ? [node] : [], orphaned: [], hosts: [] }),
        clusterOf: async () => ({
          server: 'https://kubernetes.default.svc',
          name: 'in-cluster',
          client: (started as TestServer).client,
        }),
      },
    },
    // what is deleted in the foreground waits for the garbage collector
    { controllers: true },
  );
  const { client, call, login, configure } = started;
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'blue' } });
  const admin = await login();
  const project = {
    metadata: { name: 'team' },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ server: '*', namespace: '*' }],
      sourceNamespaces: ['blue'],
      roles: [{ name: 'ci', policies: ['p, proj:team:ci, applications, get, team/blue/*, allow'] }],
    },
  };
  assert.equal((await call('/api/v1/projects', { token: admin, body: { project } })).status, 200);
  for (const metadata of [{ name: 'web' }, { name: 'web', namespace: 'blue' }])
    assert.equal((await call('/api/v1/applications', { token: admin, body: { metadata, spec } })).status, 200);
  await configure('argocd-cm', { 'accounts.eve': 'apiKey' });
  const { token } = (await call('/api/v1/account/eve/token', { token: admin, body: {} })).body;
  return { ...started, admin, eve: String(token) };
}

const names = (body: Record<string, unknown>) =>
  ((body.items ?? []) as KubeObject[]).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);

test('an application of another namespace is project/namespace/name to the rules', async (t) => {
  const { call, configure, eve } = await start(t);
  await configure('argocd-rbac-cm', { 'policy.csv': 'p, eve, applications, get, team/blue/*, allow' });
  assert.deepEqual(names((await call('/api/v1/applications', { token: eve })).body), ['blue/web']);
  assert.equal((await call('/api/v1/applications/web?appNamespace=blue', { token: eve })).status, 200);
  assert.equal((await call('/api/v1/applications/web', { token: eve })).status, 403);
  const deleted = await call('/api/v1/applications/web?appNamespace=blue', { token: eve, method: 'DELETE' });
  assert.match(
    String(deleted.body.message),
    /^permission denied: applications, delete, team\/blue\/web, sub: eve, iat: /,
  );
});

test('who has no rights cannot tell an application of a permitted namespace from one of a forbidden or one that is not', async (t) => {
  const { call, eve } = await start(t);
  const answers = new Set<string>();
  for (const path of ['web?appNamespace=blue', 'none?appNamespace=blue', 'web?appNamespace=red', 'web'])
    answers.add(JSON.stringify((await call(`/api/v1/applications/${path}`, { token: eve })).body));
  assert.equal(answers.size, 1, [...answers].join('\n'));
});

test('an application is made only where applications may be, and only where the project permits it', async (t) => {
  const { call, client, admin } = await start(t);
  const refusal = async (namespace: string) =>
    String(
      (await call('/api/v1/applications', { token: admin, body: { metadata: { name: 'x', namespace }, spec } })).body
        .message,
    );
  assert.equal(await refusal('green-1'), 'app is not allowed in project "team", or the project does not exist');
  assert.equal(await refusal('red'), 'app is not allowed in project "team", or the project does not exist');
  await client.patch(
    { apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', namespace: 'argocd', name: 'team' },
    'merge',
    { spec: { sourceNamespaces: ['*'] } },
  );
  assert.equal(await refusal('red'), "namespace 'red' is not permitted");
});

test('a token of a project speaks for its role until it is taken away', async (t) => {
  const { call, admin } = await start(t);
  const made = await call('/api/v1/projects/team/roles/ci/token', {
    token: admin,
    body: { id: 'one', expiresIn: 3600 },
  });
  const token = String(made.body.token);
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, number>;
  assert.deepEqual([claims.sub, claims.jti, (claims.exp ?? 0) - (claims.iat ?? 0)], ['proj:team:ci', 'one', 3600]);
  assert.deepEqual(names((await call('/api/v1/applications', { token })).body), ['blue/web']);
  assert.equal((await call('/api/v1/projects/team', { token })).status, 200);
  assert.equal((await call('/api/v1/projects/default', { token })).status, 403);
  const again = await call('/api/v1/projects/team/roles/ci/token', { token: admin, body: { id: 'one' } });
  assert.match(String(again.body.message), /Token id 'one' has been used/);
  await call(`/api/v1/projects/team/roles/ci/token/${claims.iat}?id=one`, { token: admin, method: 'DELETE' });
  assert.equal((await call('/api/v1/applications', { token })).status, 401);
});

test('rights on single objects are asked by kind, namespace and name; those on the application count for them only where that is set', async (t) => {
  const node: TreeNode = {
    key: { group: '', kind: 'ConfigMap', namespace: 'blue', name: 'one' },
    version: 'v1',
    uid: 'u',
    parents: [],
  } as unknown as TreeNode;
  const { call, client, configure, eve } = await start(t, node);
  const make = () =>
    client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one', namespace: 'blue' } });
  const remove = async () => {
    const query = 'appNamespace=blue&namespace=blue&resourceName=one&version=v1&kind=ConfigMap';
    return (await call(`/api/v1/applications/web/resource?${query}`, { token: eve, method: 'DELETE' })).status;
  };
  await make();
  await configure('argocd-rbac-cm', { 'policy.csv': 'p, eve, applications, delete, team/blue/web, allow' });
  assert.equal(await remove(), 403);
  await configure('argocd-cm', { 'server.rbac.disableApplicationFineGrainedRBACInheritance': 'false' });
  assert.equal(await remove(), 200);
  await make();
  await configure('argocd-cm', { 'server.rbac.disableApplicationFineGrainedRBACInheritance': 'true' });
  await configure('argocd-rbac-cm', {
    'policy.csv':
      'p, eve, applications, delete/*/ConfigMap/blue/*, team/blue/*, allow\np, eve, applications, delete/*/*/*/kept, */*, deny',
  });
  assert.equal(await remove(), 200);
});

test('a policy that cannot be read is told by an Event and changes nothing', async (t) => {
  const { call, client, configure, eve } = await start(t);
  const mayGet = async () =>
    (await call('/api/v1/account/can-i/applications/get/team/blue/web', { token: eve })).body.value;
  await configure('argocd-rbac-cm', { 'policy.csv': 'p, eve, applications, get, team/blue/web, allow' });
  assert.equal(await mayGet(), 'yes');
  await configure('argocd-rbac-cm', { 'policy.csv': 'p, eve, applications, get, */*' });
  assert.equal(await mayGet(), 'yes');
  const events = await client.list<KubeObject & { reason: string; message: string }>({
    apiVersion: 'v1',
    kind: 'Event',
    namespace: 'argocd',
  });
  const told = events.items.find(({ reason }) => reason === 'PolicyInvalid');
  assert.match(told?.message ?? '', /^policy\.csv: line 1 is neither .*p, eve, applications, get, \*\/\*/);
  await configure('argocd-rbac-cm', { 'policy.csv': '' });
  assert.equal(await mayGet(), 'no');
});
