import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { configMap, deployment } from './support/manifests.ts';
import { World } from './support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

const automated = { automated: { prune: true, selfHeal: true } };
const configMapRef = (namespace: string, name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name });
const value = (object: KubeObject | undefined) => (object?.data as Record<string, string> | undefined)?.value;

test('an applied Application is all it takes: its objects become live, Synced and Healthy', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({
    'all.yaml': `${configMap('settings', 'one')}---\n${deployment('web', { replicas: 2 })}`,
  });
  await world.createApplication('deliver', repository, { targetNamespace: namespace, syncPolicy: automated });
  const { status } = await world.healthy('deliver');
  assert.equal(status?.sync?.revision, repository.git('rev-parse', 'HEAD'));
  assert.equal(status?.sourceType, 'Directory');
  assert.deepEqual(status?.resources?.map(({ kind, status: sync, health }) => [kind, sync, health?.status]).sort(), [
    ['ConfigMap', 'Synced', undefined],
    ['Deployment', 'Synced', 'Healthy'],
  ]);
  assert.equal(status?.history?.length, 1);
  assert.deepEqual(status?.summary?.images, ['registry.example/app:1']);
  const live = await world.client.get(configMapRef(namespace, 'settings'));
  assert.equal(
    live.metadata.annotations?.['argocd.argoproj.io/tracking-id'],
    `deliver:/ConfigMap:${namespace}/settings`,
  );
});

test('a commit reaches the cluster, and a removed file is pruned', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': configMap('a', 'one'), 'b.yaml': configMap('b', 'one') });
  await world.createApplication('follow', repository, { targetNamespace: namespace, syncPolicy: automated });
  await world.healthy('follow');
  const commit = repository.commit({ 'a.yaml': configMap('a', 'two'), 'b.yaml': undefined });
  await world.waitFor(configMapRef(namespace, 'a'), 'the committed value', (object) => value(object) === 'two');
  await world.waitFor(configMapRef(namespace, 'b'), 'the pruned object to go', (object) => object === undefined);
  const { status } = await world.waitForApplication(
    'follow',
    `Synced to ${commit}`,
    (app) => app.status?.sync?.revision === commit && app.status.sync.status === 'Synced',
  );
  assert.equal(status?.history?.at(-1)?.revision, commit);
});

test('drift is healed where selfHeal is on', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': configMap('healed', 'desired') });
  await world.createApplication('heal', repository, { targetNamespace: namespace, syncPolicy: automated });
  await world.healthy('heal');
  await world.client.patch(configMapRef(namespace, 'healed'), 'merge', { data: { value: 'by hand' } });
  await world.waitFor(configMapRef(namespace, 'healed'), 'the healed value', (object) => value(object) === 'desired');
});

test('drift is shown, with the field and both values, where selfHeal is off', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': configMap('drifted', 'desired') });
  await world.createApplication('drift', repository, {
    targetNamespace: namespace,
    syncPolicy: { automated: { prune: true } },
  });
  await world.healthy('drift');
  await world.client.patch(configMapRef(namespace, 'drifted'), 'merge', { data: { value: 'by hand' } });
  const { status } = await world.waitForApplication(
    'drift',
    'OutOfSync',
    (app) => app.status?.sync?.status === 'OutOfSync',
  );
  assert.deepEqual(
    status?.resources?.map(({ name, status: sync }) => [name, sync]),
    [['drifted', 'OutOfSync']],
  );
  const { body } = await world.rest<{ items: { normalizedLiveState: string; predictedLiveState: string }[] }>(
    'GET',
    '/api/v1/applications/drift/managed-resources',
  );
  assert.equal(value(JSON.parse(body.items[0]?.normalizedLiveState ?? '{}')), 'by hand');
  assert.equal(value(JSON.parse(body.items[0]?.predictedLiveState ?? '{}')), 'desired');
  assert.equal(value(await world.client.get(configMapRef(namespace, 'drifted'))), 'by hand');
});

test('objects that left the repository stay, and that is said, where prune is off', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': configMap('kept', 'one'), 'b.yaml': configMap('left', 'one') });
  await world.createApplication('no-prune', repository, { targetNamespace: namespace, syncPolicy: { automated: {} } });
  await world.healthy('no-prune');
  repository.commit({ 'b.yaml': undefined });
  const { status } = await world.waitForApplication('no-prune', 'a notice of what was left', (app) =>
    JSON.stringify(app.status?.diagnoses ?? []).includes('"S8"'),
  );
  assert.equal(status?.sync?.status, 'OutOfSync');
  assert.deepEqual(
    status?.resources?.filter(({ requiresPruning }) => requiresPruning).map(({ name }) => name),
    ['left'],
  );
  assert.equal(status?.conditions, undefined);
  assert.equal(value(await world.client.get(configMapRef(namespace, 'left'))), 'one');
});

test('automated sync refuses to delete everything', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'app/a.yaml': configMap('last', 'one') });
  await world.createApplication('wipe', repository, { path: 'app', targetNamespace: namespace, syncPolicy: automated });
  await world.healthy('wipe');
  repository.commit({ 'app/a.yaml': undefined, 'app/README.md': 'empty' });
  const { status } = await world.waitForApplication('wipe', 'the refusal', (app) =>
    JSON.stringify(app.status?.diagnoses ?? []).includes('"S7"'),
  );
  assert.match(status?.conditions?.[0]?.message ?? '', /auto-sync will wipe out all resources/);
  assert.equal(value(await world.client.get(configMapRef(namespace, 'last'))), 'one');
});

test('a deleted Application takes its objects along if its finalizer says so', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': configMap('gone', 'one') });
  await world.createApplication(
    'cascade',
    repository,
    { targetNamespace: namespace, syncPolicy: automated },
    { finalizers: ['resources-finalizer.argocd.argoproj.io'] },
  );
  await world.healthy('cascade');
  await world.client.delete(world.applicationRef('cascade'));
  await world.waitFor(configMapRef(namespace, 'gone'), 'the object to go', (object) => object === undefined);
  await world.waitFor(world.applicationRef('cascade'), 'the Application to go', (object) => object === undefined);
});

test('a deleted Application without finalizer leaves its objects', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': configMap('orphan', 'one') });
  await world.createApplication('leave', repository, { targetNamespace: namespace, syncPolicy: automated });
  await world.healthy('leave');
  await world.client.delete(world.applicationRef('leave'));
  await world.waitFor(world.applicationRef('leave'), 'the Application to go', (object) => object === undefined);
  assert.equal(value(await world.client.get(configMapRef(namespace, 'orphan'))), 'one');
});
