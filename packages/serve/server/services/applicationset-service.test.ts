import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServer } from '../testing/start-test-server.ts';

const spec = {
  generators: [{ list: { elements: [{ cluster: 'a' }] } }],
  template: {
    metadata: { name: '{{cluster}}' },
    spec: { project: 'default', source: { repoURL: 'r', path: 'p' }, destination: {} },
  },
};

interface List {
  items: { metadata: { name: string }; spec: { generators: { list: { elements: unknown } }[] } }[] | null;
}

test('ApplicationSets are created, listed, seen, changed on demand and deleted', async (t) => {
  const { call, login } = await startTestServer(t);
  const token = await login();
  const set = { metadata: { name: 'fleet' }, spec };
  assert.equal((await call('/api/v1/applicationsets', { token, body: set })).status, 200);
  // the same once more is no change; another spec is one, which has to be asked for
  assert.equal((await call('/api/v1/applicationsets', { token, body: set })).status, 200);
  const other = { ...set, spec: { ...spec, goTemplate: true } };
  const refused = await call('/api/v1/applicationsets', { token, body: other });
  assert.deepEqual(
    [refused.status, refused.body.message],
    [400, 'existing ApplicationSet spec is different, use upsert flag to force update'],
  );
  assert.equal((await call('/api/v1/applicationsets?upsert=true', { token, body: other })).status, 200);
  const seen = await call('/api/v1/applicationsets/fleet', { token });
  assert.equal((seen.body.spec as { goTemplate?: boolean }).goTemplate, true);
  const absent = await call('/api/v1/applicationsets/absent', { token });
  assert.deepEqual(
    [absent.status, absent.body.message],
    [404, 'error getting ApplicationSet: applicationset.argoproj.io "absent" not found'],
  );
  assert.deepEqual((await call('/api/v1/applicationsets/fleet/resource-tree', { token })).body.nodes ?? [], []);
  assert.equal((await call('/api/v1/applicationsets/absent', { token, method: 'DELETE' })).status, 404);
  assert.equal((await call('/api/v1/applicationsets/fleet', { token, method: 'DELETE' })).status, 200);
  assert.equal((await call('/api/v1/applicationsets/fleet', { token })).status, 404);
});

test('sets that are stored by others are listed; what cannot be a set is refused with the reason', async (t) => {
  const { call, login, client } = await startTestServer(t);
  const token = await login();
  const kind = { apiVersion: 'argoproj.io/v1alpha1', kind: 'ApplicationSet' };
  await client.create({ ...kind, metadata: { name: 'fleet', namespace: 'argocd' }, spec } as never);
  const single = await call('/api/v1/applicationsets/fleet', { token });
  assert.equal(single.status, 200);
  let list = (await call('/api/v1/applicationsets', { token })).body as unknown as List;
  // the list is made of what the watch has brought
  for (let tries = 0; !list.items?.length && tries < 1_000; tries++)
    list = (await call('/api/v1/applicationsets', { token })).body as unknown as List;
  assert.deepEqual(
    list.items?.map((item) => [item.metadata.name, item.spec.generators[0]?.list.elements]),
    [['fleet', [{ cluster: 'a' }]]],
  );
  const create = async (change: object) => {
    const body = { metadata: { name: 'more' }, spec: { ...spec, ...change } };
    return String((await call('/api/v1/applicationsets', { token, body })).body.message);
  };
  const project = (name: string) => ({ ...spec.template, spec: { ...spec.template.spec, project: name } });
  assert.match(
    await create({ template: project('{{p}}') }),
    /does not currently support creating ApplicationSets with templated `project`/,
  );
  assert.match(
    await create({ template: project('nobody') }),
    /ApplicationSet references project nobody which does not exist/,
  );
  assert.match(await create({ generators: [{}] }), /ApplicationSet more contains unrecognized generators/);
  const elsewhere = { metadata: { name: 'x', namespace: 'kube-system' }, spec };
  assert.equal(
    (await call('/api/v1/applicationsets', { token, body: elsewhere })).body.message,
    "namespace 'kube-system' is not permitted",
  );
});
