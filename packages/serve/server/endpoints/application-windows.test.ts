import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServer, TestClock } from '../testing/start-test-server.ts';

const application = (name: string, project: string) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec: {
    project,
    source: { repoURL: 'https://git.example.com/shop.git', path: '.' },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
  },
});

test('the windows of an application say which syncs may happen now, and when the others may', async (t) => {
  const clock = new TestClock(Date.parse('2026-01-02T08:30:00Z'));
  const { call, login, client } = await startTestServer(t, { clock });
  const token = await login();
  const syncWindows = [
    { kind: 'deny', schedule: '0 8 * * *', duration: '1h', applications: ['web'], manualSync: true },
    { kind: 'deny', schedule: '0 8 * * *', duration: '1h', applications: ['other'] },
  ];
  const spec = { syncWindows, sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] };
  await call('/api/v1/projects', { token, body: { project: { metadata: { name: 'shut' }, spec } } });
  await client.create(application('web', 'shut'));
  await client.create(application('free', 'shut'));
  const ask = async (name: string) => {
    const { body, status } = await call(`/api/tiphys/v1/applications/${name}/windows?appNamespace=argocd`, { token });
    assert.equal(status, 200, JSON.stringify(body));
    return body as { items: { active: boolean; openings: { from: number; to: number }[] }[] } & Record<string, unknown>;
  };
  const web = await ask('web');
  const nine = Date.parse('2026-01-02T09:00:00Z');
  assert.deepEqual([web.manual, web.automated], [{ allowed: true }, { allowed: false, until: nine }]);
  assert.deepEqual(
    web.items.map(({ active }) => active),
    [true],
  );
  assert.equal(web.items[0]?.openings[0]?.to, nine);
  clock.advance(3600);
  assert.deepEqual((await ask('web')).automated, { allowed: true });
  assert.deepEqual((await ask('free')).items, []);
  const strange = await call('/api/tiphys/v1/applications/web/windows?appNamespace=argocd');
  assert.equal(strange.status, 401);
});
