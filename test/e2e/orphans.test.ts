import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { configMap } from './support/manifests.ts';
import { World } from './support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

test('objects of no application are warned of, but for those that the project ignores', async () => {
  const namespace = await world.targetNamespace();
  const make = (name: string) =>
    world.client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } });
  await make('stray');
  await make('known-one');
  await world.client.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'tidy', namespace: world.namespace },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ server: '*', namespace: '*' }],
      orphanedResources: { warn: true, ignore: [{ group: '', kind: 'ConfigMap', name: 'known-*' }] },
    },
  });
  const repository = world.repository({ 'a.yaml': configMap('own', 'one') });
  await world.createApplication('tidy', repository, {
    project: 'tidy',
    targetNamespace: namespace,
    syncPolicy: { automated: {} },
  });
  const { status } = await world.healthy('tidy');
  assert.equal(status?.conditions?.[0]?.type, 'OrphanedResourceWarning');
  assert.match(status?.conditions?.[0]?.message ?? '', /^Application has 1 orphaned resources[\s\S]*ConfigMap stray/);
});
