import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { configMap } from '../support/manifests.ts';
import { World } from '../support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

test('of two instances on one API server one delivers; the other shows the same, and follows when it ends', async (t) => {
  const other = await world.another();
  t.after(() => other.close());
  const namespace = await world.targetNamespace();
  const files = (value: string) =>
    Object.fromEntries(
      Array.from({ length: 6 }, (_, index) => [`${index}/a.yaml`, configMap(`shared-${index}`, value)]),
    );
  const repository = world.repository(files('one'));
  const names = Array.from({ length: 6 }, (_, index) => `shared-${index}`);
  for (const [index, name] of names.entries())
    await world.createApplication(name, repository, {
      targetNamespace: namespace,
      path: String(index),
      syncPolicy: { automated: {} },
    });
  for (const name of names)
    await world.waitForApplication(name, 'synced', ({ status }) => status?.operationState?.phase === 'Succeeded');
  for (const name of names) {
    const { status } = await world.application(name);
    assert.equal(status?.history?.length, 1, `${name} was synced once`);
  }
  const events = await world.client.list({ apiVersion: 'v1', kind: 'Event', namespace: world.namespace });
  const starts = events.items.filter(({ reason }) => reason === 'OperationStarted');
  assert.ok(starts.length <= names.length, `${starts.length} operations were started for ${names.length} applications`);

  // whoever is asked, the tree is there
  for (const url of [world.url, other.url]) {
    const response = await fetch(`${url}/api/v1/applications/shared-0/resource-tree`, {
      headers: { authorization: `Bearer ${await world.token()}` },
    });
    const tree = (await response.json()) as { nodes?: { kind: string; name: string }[] };
    assert.ok(
      tree.nodes?.some(({ name }) => name === 'shared-0'),
      url,
    );
  }

  await world.stop();
  const commit = repository.commit(files('two'));
  await world.waitForApplication('shared-3', 'delivered by the other', ({ status }) => {
    return status?.operationState?.syncResult?.revision === commit && status.operationState.phase === 'Succeeded';
  });
});
