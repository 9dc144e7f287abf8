import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { configMap } from './support/manifests.ts';
import { World } from './support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

test('Events about an application carry the labels that the settings choose, of it and of its project', async () => {
  await world.client.patch(
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'argocd-cm' },
    'merge',
    { data: { 'resource.includeEventLabelKeys': 'team, app.*', 'resource.excludeEventLabelKeys': 'app.secret' } },
  );
  await world.client.patch(
    { apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', namespace: world.namespace, name: 'default' },
    'merge',
    { metadata: { labels: { team: 'of-project', 'app.tier': 'back' } } },
  );
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': configMap('told', 'one') });
  await world.createApplication(
    'told',
    repository,
    { targetNamespace: namespace, syncPolicy: { automated: {} } },
    { labels: { team: 'harbour', 'app.secret': 'x', other: 'y' } },
  );
  await world.healthy('told');
  const signal = AbortSignal.timeout(120_000);
  const list = await world.client.list(
    { apiVersion: 'v1', kind: 'Event', namespace: world.namespace },
    { fieldSelector: 'involvedObject.name=told', signal },
  );
  const found = list.items[0];
  const completed = async () => {
    if (found) return found;
    for await (const { object } of world.client.watch(
      { apiVersion: 'v1', kind: 'Event', namespace: world.namespace },
      { resourceVersion: list.metadata.resourceVersion ?? '0', signal },
    ))
      if ((object.involvedObject as { name?: string } | undefined)?.name === 'told') return object;
    throw new Error('no Event came');
  };
  const { metadata } = await completed();
  assert.deepEqual(metadata.labels, { team: 'harbour', 'app.tier': 'back' });
  assert.deepEqual(metadata.annotations, {
    'dest-server': 'https://kubernetes.default.svc',
    'dest-namespace': namespace,
  });
});
