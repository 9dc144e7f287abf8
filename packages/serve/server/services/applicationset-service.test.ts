import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServer } from '../testing/start-test-server.ts';

test('ApplicationSets that are stored can be listed, seen and deleted; what is not built is refused', async (t) => {
  const { call, login, client } = await startTestServer(t);
  const token = await login();
  const spec = {
    generators: [{ list: { elements: [{ cluster: 'a' }] } }],
    template: {
      metadata: { name: '{{cluster}}' },
      spec: { project: 'default', source: { repoURL: 'r', path: 'p' }, destination: {} },
    },
  };
  await client.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'fleet', namespace: 'argocd' },
    spec,
  } as never);
  const { items } = (await call('/api/v1/applicationsets', { token })).body as {
    items: { metadata: { name: string }; spec: { generators: { list: { elements: unknown } }[] } }[];
  };
  assert.deepEqual(
    items.map((item) => [item.metadata.name, item.spec.generators[0]?.list.elements]),
    [['fleet', [{ cluster: 'a' }]]],
  );
  const absent = await call('/api/v1/applicationsets/absent', { token });
  assert.deepEqual(
    [absent.status, absent.body.message],
    [404, 'error getting ApplicationSet: applicationset.argoproj.io "absent" not found'],
  );
  assert.equal((await call('/api/v1/applicationsets/absent', { token, method: 'DELETE' })).status, 404);
  const created = await call('/api/v1/applicationsets', { token, body: { metadata: { name: 'more' }, spec } });
  assert.equal(created.status, 501);
  assert.match(String(created.body.message), /docs\/limits\.md/);
  assert.equal((await call('/api/v1/applicationsets/fleet', { token, method: 'DELETE' })).status, 200);
  assert.equal((await call('/api/v1/applicationsets', { token })).body.items, null);
});
