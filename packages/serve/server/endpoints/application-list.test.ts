import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idleBackend, startTestServer } from '../testing/start-test-server.ts';

const own = '/api/tiphys/v1/applications';
interface Listed {
  items: { name: string }[];
  total: number;
  all: number;
  counts: Record<string, [string, number][]>;
  version: string;
}

const application = (name: string, project = 'default') => ({
  metadata: { name, namespace: 'argocd' },
  spec: {
    project,
    source: { repoURL: 'https://git.example.com/shop.git', path: name },
    destination: { server: 'https://kubernetes.default.svc', namespace: name },
  },
});

test('the list of applications is filtered, counted and cut, and shows what one may see alone', async (t) => {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { key: 'hush' } };
  const render = async () => ({
    objects: [{ object: secret, origin: { file: 'a.yaml', line: 1 } }],
    revisions: ['1'.repeat(40)],
    sourceType: 'Directory' as const,
    warnings: [],
  });
  const { server, client, call, login, configure, password } = await startTestServer(t, {
    backend: { ...idleBackend, render },
  });
  const admin = await login();
  await call('/api/v1/projects', {
    token: admin,
    body: {
      project: {
        metadata: { name: 'pay' },
        spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] },
      },
    },
  });
  for (const [name, project] of [
    ['a', 'default'],
    ['b', 'pay'],
    ['c', 'pay'],
  ] as const)
    assert.equal((await call('/api/v1/applications', { token: admin, body: application(name, project) })).status, 200);
  await configure('argocd-cm', { 'accounts.clerk': 'login', 'accounts.maker': 'login' });
  await configure('argocd-rbac-cm', {
    'policy.csv': 'p, clerk, applications, get, pay/*, allow\np, maker, applications, create, pay/*, allow',
  });
  for (const name of ['clerk', 'maker'])
    await call('/api/v1/account/password', {
      token: admin,
      method: 'PUT',
      body: { name, currentPassword: password, newPassword: 'a-long-password' },
    });
  const list = async (query: string, token: string) =>
    (await call(`${own}${query}`, { token })).body as unknown as Listed;

  await t.test('an administrator sees all of it, page by page', async () => {
    const { items, total, all, counts } = await list('?sort=-name&offset=1&limit=1', admin);
    assert.deepEqual([items.map(({ name }) => name), total, all], [['b'], 3, 3]);
    assert.deepEqual(counts.project, [
      ['pay', 2],
      ['default', 1],
    ]);
    assert.equal((await list('?project=pay&text=argocd%2Fc', admin)).total, 1);
  });

  await t.test('what cannot be asked for is refused by name', async () => {
    const { status, body } = await call(`${own}?sort=luck`, { token: admin });
    assert.equal(status, 400);
    assert.match(String(body.message), /sort is "luck"; it can be urgency, name/);
    assert.equal((await call(own)).status, 401);
  });

  await t.test('changes are told since a version, and that a list is stale', async () => {
    const { version } = await list('', admin);
    const abort = new AbortController();
    const response = await fetch(`${server.url}${own}/changes?since=${version}`, {
      headers: { authorization: `Bearer ${admin}` },
      signal: AbortSignal.any([abort.signal, AbortSignal.timeout(120_000)]),
    });
    await client.delete({ apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'argocd', name: 'a' });
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array);
      if (text.includes('"stale":true')) break;
    }
    abort.abort();
    assert.match(text, /data: \{"result":\{"version":"[0-9a-f]{8}-\d+"/);
  });

  await t.test('a preview shows what would be deployed, with Secrets hidden, to who may create it', async () => {
    const { status, body } = await call(`${own}/preview`, { token: admin, body: application('new', 'pay') });
    assert.equal(status, 200);
    assert.deepEqual(
      [body.sourceType, (body.objects as { origin: unknown }[])[0]?.origin],
      ['Directory', { file: 'a.yaml', line: 1 }],
    );
    assert.doesNotMatch(JSON.stringify(body), /hush|aHVzaA/);
    const refused = await call(`${own}/preview`, { token: admin, body: { spec: {} } });
    assert.match(String(refused.body.message), /needs metadata.name and spec/);
  });

  await t.test('others see, count and preview what their rights are for', async () => {
    const clerk = await login('clerk', 'a-long-password');
    const { items, all, counts } = await list('', clerk);
    assert.deepEqual([items.map(({ name }) => name), all, counts.project], [['b', 'c'], 2, [['pay', 2]]]);
    assert.equal((await call(`${own}/preview`, { token: clerk, body: application('new', 'pay') })).status, 403);
    const maker = await login('maker', 'a-long-password');
    assert.equal((await list('', maker)).all, 0);
    assert.equal((await call(`${own}/preview`, { token: maker, body: application('new', 'pay') })).status, 200);
    assert.equal((await call(`${own}/preview`, { token: maker, body: application('new') })).status, 403);
  });

  await t.test('resources are those of the applications that one may see', async () => {
    for (const name of ['b', 'c'])
      await client.patch(
        { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'argocd', name },
        'merge',
        {
          spec: { project: name === 'b' ? 'pay' : 'default' },
          status: { resources: [{ kind: 'Service', name: `svc-${name}` }] },
        },
      );
    const seen = async (token: string, query = '') => {
      const { status, body } = await call(`/api/tiphys/v1/resources${query}`, { token });
      return status === 200 ? (body as unknown as Listed).items.map(({ name }) => name) : String(body.message);
    };
    const clerk = await login('clerk', 'a-long-password');
    // the server learns of it by its watch
    for (let found = 0; found < 2; ) found = (await seen(admin)).length;
    assert.deepEqual(await seen(admin), ['svc-b', 'svc-c']);
    assert.deepEqual(await seen(clerk), ['svc-b']);
    assert.match(String(await seen(admin, '?limit=501')), /limit is "501"; it can be/);
    assert.equal((await call('/api/tiphys/v1/resources')).status, 401);
  });
});
