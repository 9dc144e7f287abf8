import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServer } from '../testing/start-test-server.ts';

test('plugins and overrides of comparisons are told to whoever is logged in, and to nobody else', async (t) => {
  const { call, login, configure } = await startTestServer(t);
  await configure('argocd-cm', {
    'resource.customizations.ignoreDifferences.apps_Deployment': 'jsonPointers: [/spec/replicas]',
  });
  assert.equal((await call('/api/v1/settings/plugins')).status, 401);
  assert.equal((await call('/api/v1/settings')).body.resourceOverrides, undefined);
  const token = await login();
  assert.deepEqual((await call('/api/v1/settings/plugins', { token })).body, { plugins: [{ name: 'greeting-v1.0' }] });
  const { resourceOverrides } = (await call('/api/v1/settings', { token })).body as {
    resourceOverrides: Record<string, { ignoreDifferences?: { jsonPointers?: string[] } }>;
  };
  assert.deepEqual(resourceOverrides['apps/Deployment']?.ignoreDifferences?.jsonPointers, ['/spec/replicas']);
  assert.deepEqual(resourceOverrides['*/*']?.ignoreDifferences?.jsonPointers, ['/status']);
});

test("clients that offer what the installation has are told that dry sources are hydrated, as Argo CD's `hydrator.enabled`", async (t) => {
  const { call, login } = await startTestServer(t);
  assert.equal((await call('/api/v1/settings')).body.hydratorEnabled, undefined);
  assert.equal((await call('/api/v1/settings', { token: await login() })).body.hydratorEnabled, true);
});
