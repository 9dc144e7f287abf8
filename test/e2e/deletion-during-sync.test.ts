import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { configMap } from './support/manifests.ts';
import { World } from './support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

test('a deletion waits for the running sync, says so, and goes on when that is ended', async () => {
  const namespace = await world.targetNamespace();
  await world.client.patch(
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'argocd-cm' },
    'merge',
    { data: { 'resource.customizations.health.ConfigMap': 'return { status = "Progressing", message = "never" }' } },
  );
  const repository = world.repository({
    'a.yaml': configMap('endless', 'one', { 'argocd.argoproj.io/hook': 'Sync' }),
  });
  await world.createApplication('stuck', repository, { targetNamespace: namespace });
  await world.client.patch(world.applicationRef('stuck'), 'merge', { operation: { sync: {} } });
  await world.waitForApplication('stuck', 'a running hook', ({ status }) =>
    Boolean(status?.operationState?.syncResult?.resources?.some(({ hookPhase }) => hookPhase === 'Running')),
  );
  const asked = await world.rest('DELETE', '/api/v1/applications/stuck?cascade=true');
  assert.equal(asked.status, 200, JSON.stringify(asked.body));
  const waiting = await world.waitForApplication('stuck', 'a notice', ({ status }) =>
    JSON.stringify(status?.diagnoses ?? []).includes('DeletionWaitsForSync'),
  );
  assert.equal(waiting.status?.operationState?.phase, 'Running');
  assert.ok(waiting.metadata.deletionTimestamp);
  const ended = await world.rest('DELETE', '/api/v1/applications/stuck/operation');
  assert.equal(ended.status, 200, JSON.stringify(ended.body));
  await world.waitFor(world.applicationRef('stuck'), 'no application', (app) => app === undefined);
});

test('an approval from before a deletion is none for it', async () => {
  const namespace = await world.targetNamespace();
  const kept = configMap('guarded', 'one', { 'argocd.argoproj.io/sync-options': 'Delete=confirm' });
  const repository = world.repository({ 'a.yaml': kept });
  await world.createApplication(
    'guarded',
    repository,
    { targetNamespace: namespace, syncPolicy: { automated: {} } },
    {
      finalizers: ['resources-finalizer.argocd.argoproj.io'],
      annotations: { 'argocd.argoproj.io/deletion-approved': '2026-01-01T00:00:00Z' },
    },
  );
  await world.waitForApplication('guarded', 'Synced', ({ status }) => status?.sync?.status === 'Synced');
  await world.client.delete(world.applicationRef('guarded'));
  await world.waitForApplication('guarded', 'a notice', ({ status }) =>
    JSON.stringify(status?.diagnoses ?? []).includes('DeletionConfirmationAwaited'),
  );
  await world.client.patch(world.applicationRef('guarded'), 'merge', {
    metadata: { annotations: { 'argocd.argoproj.io/deletion-approved': new Date(Date.now() + 1000).toISOString() } },
  });
  await world.waitFor(world.applicationRef('guarded'), 'no application', (app) => app === undefined);
});
