import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getOption } from '@bufbuild/protobuf';
import { httpRule, loadWorkflowServices } from '@tiphys/api';
import { systemClock } from '@tiphys/kubernetes';
import { openPageAccess } from '@tiphys/workflow-server';
import { startTestServer } from '../../packages/serve/server/testing/start-test-server.ts';

const base = '/api/tiphys/v1/flow';

/** Every route of Argo Workflows' API, and of its artifacts. */
async function routes(): Promise<{ verb: string; path: string }[]> {
  const methods = Object.values(await loadWorkflowServices()).flatMap((service) => service.methods);
  const rest = methods.flatMap((method) => {
    const rule = getOption(method, httpRule);
    return [rule, ...rule.additionalBindings].flatMap(({ pattern }) =>
      pattern.case === undefined
        ? []
        : [{ verb: pattern.case.toUpperCase(), path: String(pattern.value).replace(/\{[^}]+\}/g, 'shop') }],
    );
  });
  const artifacts = [
    'artifacts/shop/w/n/a',
    'input-artifacts/shop/w/n/a',
    'artifacts-by-uid/u/n/a',
    'input-artifacts-by-uid/u/n/a',
  ];
  return [
    ...rest,
    ...artifacts.map((path) => ({ verb: 'GET', path: `/${path}` })),
    { verb: 'GET', path: '/artifact-files/shop/workflows/w/n/outputs/a/' },
  ];
}

test('the API of workflows on the page is for nobody without a token, and for nobody without the right', async (t) => {
  const world = await startTestServer(t);
  const access = await openPageAccess({
    client: world.client,
    namespace: 'argocd',
    clock: systemClock,
    log: () => undefined,
    version: '0',
    env: {},
  });
  t.after(() => access.close());
  await world.configure('argocd-cm', { 'accounts.guest': 'login' });
  await world.configure('argocd-rbac-cm', { 'policy.csv': 'p, guest, clusters, get, *, allow' });
  const password = 'guests-password-1';
  const admin = await world.login();
  const headers = { 'content-type': 'application/json' };
  const body = { name: 'guest', currentPassword: world.password, newPassword: password };
  await world.call('/api/v1/account/password', { method: 'PUT', token: admin, headers, body });
  const served = await world.beside({ workflows: access });
  const guest = await served.login('guest', password);
  const all = await routes();
  assert.ok(all.length > 68, String(all.length));
  const wrong: string[] = [];
  for (const { verb, path } of all)
    for (const [token, status] of [
      ['', 401],
      ['a.b.c', 401],
      [guest, 403],
    ] as const) {
      const sent = ['GET', 'DELETE'].includes(verb) ? {} : { body: {} };
      const answer = await served.call(`${base}${path}`, {
        method: verb,
        headers,
        ...sent,
        ...(token ? { token } : {}),
      });
      if (answer.status !== status) wrong.push(`${verb} ${path} with "${token.slice(0, 5)}": ${answer.status}`);
    }
  assert.deepEqual(wrong, []);
  const allowed = await served.call(`${base}/api/v1/info`, { token: admin });
  assert.equal(allowed.status, 200);
});
