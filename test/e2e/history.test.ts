import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { HistoryEntry, NetChange } from '@tiphys/history';
import { configMap } from './support/manifests.ts';
import { World } from './support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

const read = async <T>(query: string): Promise<T[]> =>
  (await world.rest<{ items: T[] }>('GET', `/api/tiphys/v1/history${query}`)).body.items;

const secret = (value: string) =>
  `apiVersion: v1\nkind: Secret\nmetadata: {name: key}\nstringData: {password: ${value}}\n`;

test('the history says what changed between two times and who did it, over a restart, and never a secret', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': configMap('settings', 'one'), 'b.yaml': secret('hunter2') });
  await world.createApplication('told', repository, { targetNamespace: namespace });
  await world.waitForApplication('told', 'compared', ({ status }) => status?.sync?.status === 'OutOfSync');
  await world.rest('POST', '/api/v1/applications/told/sync', { name: 'told' });
  await world.healthy('told');
  const [first] = (await read<HistoryEntry>('?application=told')).filter(({ kind }) => kind === 'SyncEnded');
  assert.equal(first?.actor, 'admin');

  await world.restart();
  const revision = repository.commit({ 'a.yaml': configMap('settings', 'two'), 'b.yaml': secret('hunter3') });
  await world.client.patch(world.applicationRef('told'), 'merge', { spec: { syncPolicy: { automated: {} } } });
  await world.rest('GET', '/api/v1/applications/told?refresh=normal');
  await world.waitForApplication(
    'told',
    'the second revision synced',
    ({ status }) => status?.sync?.revision === revision && status.sync.status === 'Synced',
  );
  const entries = await read<HistoryEntry>('?application=told');
  const kinds = new Set(entries.map(({ kind }) => kind));
  for (const kind of ['Rendered', 'Drift', 'Health', 'SyncStarted', 'SyncEnded', 'Acted'] as const)
    assert.ok(kinds.has(kind), `${kind} of ${[...kinds].join()}`);
  const started = entries.find(({ kind }) => kind === 'SyncStarted');
  assert.equal(started?.actor, 'automated sync');
  assert.deepEqual(started.detail['revisions'], [revision]);
  assert.equal((started.detail['plan'] as unknown[]).length, 2);
  const rendered = entries.find(({ kind }) => kind === 'Rendered');
  assert.match(JSON.stringify(rendered?.detail), /"changed":\["a\.yaml","b\.yaml"\]|"inputs":"[0-9a-f]{64}"/);
  const ended = entries.find(({ kind }) => kind === 'SyncEnded');
  assert.deepEqual(ended?.detail['driftAfter'], []);

  const changes = await read<NetChange>(`/changes?application=told&since=${first.time}`);
  const value = changes.find(({ name, path }) => name === 'settings' && path === 'data.value');
  assert.deepEqual([value?.before, value?.after, value?.actors], ['one', 'two', ['automated sync']]);
  assert.ok(changes.some(({ name }) => name === 'key'));
  const everything = JSON.stringify([await read('?limit=1000'), changes]);
  assert.doesNotMatch(everything, /hunter|aHVudGVy/);

  assert.deepEqual(
    (await read<HistoryEntry>(`?object=ConfigMap/settings&namespace=${namespace}&limit=1`)).map(
      ({ application }) => application,
    ),
    [`${world.namespace}/told`],
  );
  assert.deepEqual(await read('?object=ConfigMap/none'), []);
  const { status } = await world.rest('GET', '/api/tiphys/v1/history?since=yesterday');
  assert.equal(status, 400);
});

test('who may not see an application does not see its history', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': configMap('hidden', 'one') });
  await world.createApplication('hidden', repository, { targetNamespace: namespace, syncPolicy: { automated: {} } });
  await world.healthy('hidden');
  assert.notEqual((await read('?application=hidden')).length, 0);
  const response = await fetch(`${world.url}/api/tiphys/v1/history?application=hidden`);
  assert.equal(response.status, 401);
});
