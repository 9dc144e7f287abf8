import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { configMap } from './support/manifests.ts';
import { World } from './support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

test('an application waits for what it depends on, and is deleted before it', async () => {
  const namespace = await world.targetNamespace();
  const finalizers = ['resources-finalizer.argocd.argoproj.io'];
  const base = world.repository({ 'a.yaml': configMap('depended', 'one') });
  const above = world.repository({ 'a.yaml': configMap('dependent', 'one') });
  await world.createApplication('depended', base, { targetNamespace: namespace }, { finalizers });
  await world.createApplication(
    'dependent',
    above,
    { targetNamespace: namespace, syncPolicy: { automated: {} } },
    { finalizers: [...finalizers, 'test.example.com/hold'], annotations: { 'tiphys.dev/depends-on': 'depended' } },
  );
  const { status } = await world.waitForApplication('dependent', 'it waits', (app) =>
    JSON.stringify(app.status?.diagnoses ?? []).includes('DependencyAwaited'),
  );
  assert.equal(status?.operationState, undefined);
  assert.equal(status?.conditions, undefined);
  await world.rest('POST', '/api/v1/applications/depended/sync', { name: 'depended' });
  await world.healthy('dependent');

  await world.client.delete(world.applicationRef('depended'));
  await world.client.delete(world.applicationRef('dependent'));
  await world.waitForApplication('depended', 'it waits for its dependent', (app) =>
    JSON.stringify(app.status?.diagnoses ?? []).includes('DependentsFirst'),
  );
  const held = await world.waitForApplication(
    'dependent',
    'its objects gone',
    ({ metadata }) => metadata.finalizers?.join() === 'test.example.com/hold',
  );
  assert.ok(held.metadata.deletionTimestamp);
  assert.ok(await world.client.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'depended' }));
  await world.client.patch(world.applicationRef('dependent'), 'merge', { metadata: { finalizers: null } });
  await world.waitFor(world.applicationRef('depended'), 'its own deletion', (object) => object === undefined);
});
