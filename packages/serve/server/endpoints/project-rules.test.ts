import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServer } from '../testing/start-test-server.ts';

const project = {
  metadata: { name: 'payments' },
  spec: {
    sourceRepos: ['https://git.example.com/pay/*', '!https://git.example.com/pay/secret'],
    destinations: [{ server: '*', namespace: 'pay-*' }],
    clusterResourceWhitelist: [{ group: '', kind: 'Namespace' }],
    namespaceResourceBlacklist: [{ group: '', kind: 'ResourceQuota' }],
    syncWindows: [{ kind: 'deny', schedule: '* * * * *', duration: '1h', applications: ['*'], manualSync: true }],
    roles: [
      {
        name: 'ci',
        policies: [
          'p, proj:payments:ci, applications, sync, payments/*, allow',
          'p, proj:payments:ci, applications, sync, payments/core, deny',
        ],
      },
    ],
  },
};

test('the rulings of a project name the rule that decides', async (t) => {
  const { call, login } = await startTestServer(t);
  const token = await login();
  await call('/api/v1/projects', { token, body: { project } });
  const ask = async (query: string) => {
    const { body } = await call(`/api/tiphys/v1/projects/payments/rulings?${query}`, { token });
    return (body.items as { allowed: boolean; rule: string }[]).map(({ allowed, rule }) => [allowed, rule]);
  };
  assert.deepEqual(await ask('repository=https://git.example.com/pay/web'), [
    [true, 'sourceRepos: "https://git.example.com/pay/*"'],
  ]);
  assert.deepEqual(await ask('repository=https://git.example.com/pay/secret'), [
    [false, 'sourceRepos: !https://git.example.com/pay/secret'],
  ]);
  assert.deepEqual(await ask('server=https://kubernetes.default.svc&namespace=shop'), [
    [false, 'destinations: none of spec.destinations matches'],
  ]);
  assert.deepEqual(await ask('server=https://kubernetes.default.svc&namespace=pay-1'), [
    [true, 'destinations: {"server":"*","namespace":"pay-*"}'],
  ]);
  assert.deepEqual(await ask('kind=Namespace&scope=cluster'), [
    [true, 'clusterResourceWhitelist: {"group":"","kind":"Namespace"}'],
  ]);
  assert.deepEqual(await ask('kind=ResourceQuota'), [
    [false, 'kinds: namespaceResourceBlacklist: {"group":"","kind":"ResourceQuota"}'],
  ]);
  assert.deepEqual(await ask('application=web'), [
    [false, 'syncWindows: deny * * * * * for 1h (UTC)'],
    [true, 'syncWindows: none forbids it now'],
  ]);
  const role = (application: string) => ask(`application=${application}&role=ci&action=sync`);
  assert.deepEqual((await role('web')).at(-1), [true, `roles: ${project.spec.roles[0]?.policies[0]}`]);
  assert.deepEqual((await role('core')).at(-1), [false, `roles: ${project.spec.roles[0]?.policies[1]}`]);
});

test('the windows of a project are told as the times in which they are open', async (t) => {
  const { call, login } = await startTestServer(t);
  const token = await login();
  const syncWindows = [
    { kind: 'allow', schedule: '0 9 * * *', duration: '8h', applications: ['*'] },
    { kind: 'deny', schedule: '*/30 * * * *', duration: '1h', applications: ['*'] },
  ];
  await call('/api/v1/projects', { token, body: { project: { metadata: { name: 'w' }, spec: { syncWindows } } } });
  const { body } = await call('/api/tiphys/v1/projects/w/windows?days=7', { token });
  const [daily, always] = (body.items as { openings: { from: number; to: number }[] }[]).map(
    ({ openings }) => openings,
  );
  assert.ok(daily?.every(({ from, to }) => to - from === 8 * 3_600_000 && new Date(from).getUTCHours() === 9));
  assert.ok(daily && daily.length >= 7 && daily.length <= 8);
  assert.equal(always?.length, 1);
  assert.equal((await call('/api/tiphys/v1/projects/w/windows?days=900', { token })).status, 400);
});
