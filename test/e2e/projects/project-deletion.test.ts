import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { configMap } from '../support/manifests.ts';
import { World } from '../support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

test('a project that is deleted stays until no application refers to it', async () => {
  const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', namespace: world.namespace, name: 'held' };
  await world.client.create({
    apiVersion: ref.apiVersion,
    kind: ref.kind,
    metadata: { name: 'held', namespace: world.namespace, finalizers: ['resources-finalizer.argocd.argoproj.io'] },
    spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] },
  });
  const repository = world.repository({ 'a.yaml': configMap('a', 'one') });
  await world.createApplication('holder', repository, {
    project: 'held',
    targetNamespace: await world.targetNamespace(),
    syncPolicy: { automated: {} },
  });
  await world.healthy('holder');
  await world.client.delete(ref);
  await world.client.patch(world.applicationRef('holder'), 'merge', {
    metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } },
  });
  await world.waitForApplication(
    'holder',
    'refreshed',
    ({ metadata }) => !metadata.annotations?.['argocd.argoproj.io/refresh'],
  );
  assert.ok(await world.client.find(ref));
  await world.client.delete(world.applicationRef('holder'));
  await world.waitFor(ref, 'the project to go', (object) => object === undefined);
});
