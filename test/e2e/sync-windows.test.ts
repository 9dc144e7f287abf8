import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { configMap } from './support/manifests.ts';
import { World } from './support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

/** A project whose windows are these. */
const setWindows = (name: string, syncWindows: object[]) =>
  world.client.apply(
    {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AppProject',
      metadata: { name, namespace: world.namespace },
      spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }], syncWindows },
    },
    { fieldManager: 'test', force: true },
  );
const always = { kind: 'deny', schedule: '* * * * *', duration: '1h', applications: ['*'] };

test('an open deny window keeps automated syncs and operations waiting until it is gone', async () => {
  const namespace = await world.targetNamespace();
  await setWindows('frozen', [always]);
  const repository = world.repository({ 'a.yaml': configMap('frozen', 'one') });
  await world.createApplication('frozen', repository, {
    project: 'frozen',
    targetNamespace: namespace,
    syncPolicy: { automated: {} },
  });
  const blocked = await world.waitForApplication('frozen', 'the notice', (app) =>
    JSON.stringify(app.status?.diagnoses ?? []).includes('deny * * * * * for 1h'),
  );
  assert.equal(blocked.status?.sync?.status, 'OutOfSync');
  assert.equal(blocked.status?.operationState, undefined);
  const refused = await world.rest<{ message: string }>('POST', '/api/v1/applications/frozen/sync', { name: 'frozen' });
  assert.match(refused.body.message, /cannot sync: blocked by sync window/);
  await world.client.patch(world.applicationRef('frozen'), 'merge', { operation: { sync: {} } });
  const { status } = await world.waitForApplication('frozen', 'a waiting operation', (app) =>
    Boolean(app.status?.operationState?.message),
  );
  assert.equal(status?.operationState?.phase, 'Running');
  assert.match(status?.operationState?.message ?? '', /^Sync operation blocked by sync window/);
  await setWindows('frozen', []);
  await world.healthy('frozen');
});

test('a window that permits syncs by hand lets them happen', async () => {
  const namespace = await world.targetNamespace();
  await setWindows('by-hand', [{ ...always, manualSync: true }]);
  const repository = world.repository({ 'a.yaml': configMap('by-hand', 'one') });
  await world.createApplication('by-hand', repository, { project: 'by-hand', targetNamespace: namespace });
  await world.waitForApplication('by-hand', 'OutOfSync', (app) => app.status?.sync?.status === 'OutOfSync');
  const { status, body } = await world.rest('POST', '/api/v1/applications/by-hand/sync', { name: 'by-hand' });
  assert.equal(status, 200, JSON.stringify(body));
  await world.healthy('by-hand');
});
