import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { configMap } from './manifests.ts';
import { World } from './world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

const automated = { automated: { prune: true, selfHeal: true } };
const value = (object: KubeObject | undefined) => (object?.data as Record<string, string> | undefined)?.value;
const ref = (namespace: string, name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name });

/** An application of both repositories; the world's own form has one source. */
async function createWithSources(name: string, namespace: string, sources: { repoURL: string; ref?: string }[]) {
  await world.client.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: world.namespace },
    spec: {
      project: 'default',
      sources: sources.map((source) => ({ path: '.', targetRevision: 'main', ...source })),
      destination: { server: 'https://kubernetes.default.svc', namespace },
      syncPolicy: automated,
    },
  });
}

test('several sources make one application, whose revisions are told in their order', async () => {
  const namespace = await world.targetNamespace();
  const base = world.repository({ 'a.yaml': configMap('base', 'one'), 'b.yaml': configMap('both', 'of base') });
  const overlay = world.repository({
    'a.yaml': configMap('overlay', 'one'),
    'b.yaml': configMap('both', 'of overlay'),
  });
  await createWithSources('several', namespace, [{ repoURL: base.url }, { repoURL: overlay.url }]);
  const { status } = await world.healthy('several');
  const revisions = [base, overlay].map((repository) => repository.git('rev-parse', 'HEAD'));
  assert.deepEqual(status?.sync?.revisions, revisions);
  assert.equal(status?.sync?.revision, undefined);
  assert.deepEqual(status?.sourceTypes, ['Directory', 'Directory']);
  assert.deepEqual(status?.operationState?.syncResult?.revisions, revisions);
  assert.deepEqual(status?.history?.at(-1)?.revisions, revisions);
  assert.equal(status?.history?.at(-1)?.sources?.length, 2);
  assert.deepEqual(
    status?.conditions?.map(({ type }) => type),
    ['RepeatedResourceWarning'],
  );
  assert.equal(value(await world.client.get(ref(namespace, 'both'))), 'of overlay');
  // A commit to the second source is followed, and the first stays as it is.
  const next = overlay.commit({ 'a.yaml': configMap('overlay', 'two') });
  await world.waitFor(ref(namespace, 'overlay'), 'the committed value', (object) => value(object) === 'two');
  await world.waitForApplication(
    'several',
    'the new revisions',
    (app) => app.status?.history?.at(-1)?.revisions?.join() === [revisions[0], next].join(),
  );
});

test('the API creates, syncs and rolls back applications of several sources', async () => {
  const namespace = await world.targetNamespace();
  const [first, second] = [
    world.repository({ 'a.yaml': configMap('first', 'one') }),
    world.repository({ 'a.yaml': configMap('second', 'one') }),
  ];
  const created = await world.rest('POST', '/api/v1/applications', {
    metadata: { name: 'by-api', namespace: world.namespace },
    spec: {
      project: 'default',
      sources: [first, second].map(({ url }) => ({ repoURL: url, path: '.', targetRevision: 'main' })),
      destination: { server: 'https://kubernetes.default.svc', namespace },
    },
  });
  assert.equal(created.status, 200, JSON.stringify(created.body));
  const sync = () => world.rest('POST', '/api/v1/applications/by-api/sync', { name: 'by-api' });
  const synced = await sync();
  assert.equal(synced.status, 200, JSON.stringify(synced.body));
  await world.healthy('by-api');
  second.commit({ 'a.yaml': configMap('second', 'two') });
  await world.rest('GET', '/api/v1/applications/by-api?refresh=normal');
  assert.equal((await sync()).status, 200);
  await world.waitFor(ref(namespace, 'second'), 'the new value', (object) => value(object) === 'two');
  await world.waitForApplication(
    'by-api',
    'two deployments',
    (app) => app.status?.history?.length === 2 && !app.operation,
  );
  const rolled = await world.rest('POST', '/api/v1/applications/by-api/rollback', { name: 'by-api', id: 0 });
  assert.equal(rolled.status, 200, JSON.stringify(rolled.body));
  await world.waitFor(ref(namespace, 'second'), 'the old value', (object) => value(object) === 'one');
});

test('a source that cannot be rendered is named', async () => {
  const namespace = await world.targetNamespace();
  const good = world.repository({ 'a.yaml': configMap('a', 'one') });
  const bad = world.repository({ 'a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: [' });
  await createWithSources('one-bad', namespace, [{ repoURL: good.url }, { repoURL: bad.url }]);
  const { status } = await world.waitForApplication('one-bad', 'a condition', (app) =>
    Boolean(app.status?.conditions?.length),
  );
  assert.match(status?.conditions?.[0]?.message ?? '', /spec\.sources\[1\]/);
});

test('a source that others refer to is refused by its field', async () => {
  const repository = world.repository({ 'a.yaml': configMap('a', 'one') });
  await createWithSources('refers', await world.targetNamespace(), [{ repoURL: repository.url, ref: 'values' }]);
  const { status } = await world.waitForApplication('refers', 'a condition', (app) =>
    Boolean(app.status?.conditions?.length),
  );
  assert.match(status?.conditions?.[0]?.message ?? '', /spec\.sources\[\]\.ref is not supported yet/);
});
