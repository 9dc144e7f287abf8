import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { type Application, names } from '@tiphys/api';
import { Terminal } from '../../incidents/terminal.ts';
import { configMap, deployment } from '../support/manifests.ts';
import type { TestRepository } from '../support/repository.ts';
import { World } from '../support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

const gated = (time: string) => ({ annotations: { [names.annotations.healthGate]: time } });
const automated = { syncPolicy: { automated: { prune: true, selfHeal: true } } };
const never = { 'sandbox.tiphys.dev/behavior': 'never-ready' };
const slow = { 'sandbox.tiphys.dev/behavior': 'slow:10s' };
const codes = ({ status }: Application) =>
  ((status?.diagnoses ?? []) as unknown as { code: string }[]).map(({ code }) => code);
const inQuarantine = ({ metadata }: Application) => metadata.annotations?.[names.annotations.quarantine] ?? '';
const image = async (namespace: string) => {
  const object = await world.client.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'shop' });
  return JSON.stringify(object.spec).match(/registry\.example\/app:\d+/)?.[0];
};

/** More than any health takes on a loaded machine. */
const patient = '10m';

const setGate = (name: string, gate: string) =>
  world.client.patch(world.applicationRef(name), 'merge', { metadata: gated(gate) });

/** An application of one Deployment whose first revision is good and recorded; the gate is narrowed once it is. */
async function delivered(
  name: string,
  gate: string,
): Promise<{ repository: TestRepository; namespace: string; good: string }> {
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': deployment('shop') });
  await world.createApplication(name, repository, { targetNamespace: namespace, ...automated }, gated(patient));
  await world.healthy(name);
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace: world.namespace, name: `tiphys-recorded-${name}` };
  await world.waitFor(ref, 'the manifests recorded', (secret) => secret !== undefined);
  await setGate(name, gate);
  return { repository, namespace, good: repository.git('rev-parse', 'HEAD') };
}

const bad = (version = 2) => deployment('shop', { image: `registry.example/app:${version}`, podAnnotations: never });

test('what does not become healthy in time is taken back and stays in quarantine until a newer revision', async () => {
  const { repository, namespace, good } = await delivered('gated', '3s');
  const commit = repository.commit({ 'a.yaml': bad(), 'b.yaml': configMap('added', 'one') });
  const restored = await world.waitForApplication(
    'gated',
    'the good revision restored',
    (app) => codes(app).includes('RevisionQuarantined') && app.status?.operationState?.phase === 'Succeeded',
  );
  assert.equal(restored.status?.operationState?.syncResult?.revision, good);
  assert.match(
    inQuarantine(restored),
    new RegExp(`${commit}.*not healthy 3 s after its sync began: its health is Progressing`),
  );
  assert.ok(codes(restored).includes('RevisionRestored'));
  assert.equal(restored.status?.history?.at(-1)?.revision, good);
  assert.equal(await image(namespace), 'registry.example/app:1');
  const added = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'added' };
  assert.equal(await world.client.find(added), undefined);
  const { items } = await world.client.list({ apiVersion: 'v1', kind: 'Event', namespace: world.namespace });
  assert.ok(items.some(({ reason }) => reason === 'RevisionQuarantined'));

  // a commit that changes nothing of the manifests does not let it out
  const idle = repository.commit({ 'README.md': 'nothing new' });
  const held = await world.waitForApplication('gated', 'the idle commit held up', ({ status }) =>
    Boolean(
      status?.sync?.revision === idle &&
        status.conditions?.some(({ message }) => message.includes('gives the same manifests as')),
    ),
  );
  assert.equal(held.status?.operationState?.syncResult?.revision, good);

  await setGate('gated', patient);
  await world.restart();
  const mended = repository.commit({ 'a.yaml': deployment('shop', { image: 'registry.example/app:3' }) });
  await world.rest('GET', '/api/v1/applications/gated?refresh=normal');
  await world.waitForApplication(
    'gated',
    'the correction delivered',
    ({ status }) =>
      status?.sync?.revision === mended && status.sync.status === 'Synced' && status.health?.status === 'Healthy',
  );
  assert.equal(await image(namespace), 'registry.example/app:3');
});

test('the last good revision comes back without the repository, and by another process', async () => {
  const { repository, namespace, good } = await delivered('alone', '20s');
  const commit = repository.commit({ 'a.yaml': bad() });
  await world.waitForApplication(
    'alone',
    'the bad revision synced',
    ({ status }) =>
      status?.operationState?.syncResult?.revision === commit && status.operationState.phase === 'Succeeded',
  );
  renameSync(repository.url, `${repository.url}-away`);
  try {
    await world.restart();
    const restored = await world.waitForApplication(
      'alone',
      'the good revision restored',
      ({ status }) =>
        status?.operationState?.syncResult?.revision === good && status.operationState.phase === 'Succeeded',
    );
    assert.match(inQuarantine(restored), new RegExp(commit));
    assert.equal(await image(namespace), 'registry.example/app:1');
  } finally {
    renameSync(`${repository.url}-away`, repository.url);
  }
});

test('a sync that waits for the health of a wave is ended and taken back', async () => {
  const { repository, namespace, good } = await delivered('waves', '5s');
  const wave = (text: string, number: number) =>
    text.replace('annotations: {}', `annotations: {argocd.argoproj.io/sync-wave: "${number}"}`);
  repository.commit({
    'a.yaml': wave(bad(), 0),
    'b.yaml': configMap('late', 'one', { 'argocd.argoproj.io/sync-wave': '1' }),
  });
  const restored = await world.waitForApplication(
    'waves',
    'the good revision restored',
    ({ status }) =>
      status?.operationState?.syncResult?.revision === good &&
      status.operationState.phase === 'Succeeded' &&
      Boolean(status.operationState.operation.info),
  );
  assert.ok(inQuarantine(restored));
  assert.equal(await image(namespace), 'registry.example/app:1');
});

test('a sync by hand of what is in quarantine lets it out once it is healthy', async () => {
  const { repository } = await delivered('byhand', '3s');
  repository.commit({ 'a.yaml': deployment('shop', { image: 'registry.example/app:2', podAnnotations: slow }) });
  await world.waitForApplication(
    'byhand',
    'taken back',
    (app) =>
      inQuarantine(app) !== '' &&
      app.status?.operationState?.phase === 'Succeeded' &&
      codes(app).includes('RevisionQuarantined'),
  );
  const { body } = await world.rest('POST', '/api/v1/applications/byhand/sync', { name: 'byhand', prune: true });
  assert.ok(body);
  await world.waitForApplication('byhand', 'out of quarantine', (app) => inQuarantine(app) === '');
});

test('what is released from the command line is delivered again by automated sync', async (t) => {
  const { repository, namespace } = await delivered('released', '8s');
  const commit = repository.commit({ 'a.yaml': deployment('shop', { image: 'registry.example/does-not-exist:2' }) });
  const held = await world.waitForApplication(
    'released',
    'taken back',
    (app) => codes(app).includes('RevisionQuarantined') && app.status?.operationState?.phase === 'Succeeded',
  );
  assert.match(JSON.stringify(held.status?.diagnoses), /tiphys app release [\w-]+\/released/);
  // the cause is gone with the pods: what was seen of it is kept
  assert.match(
    inQuarantine(held),
    /its health is Progressing: Image registry\.example\/does-not-exist:2 of container main cannot be pulled/,
  );
  await setGate('released', patient);
  const terminal = await Terminal.of(world);
  t.after(() => terminal.close());
  assert.match(
    (await terminal.run('app', 'get', 'released')).text,
    new RegExp(`Quarantined: +${commit.slice(0, 7)} since`),
  );
  const other = await terminal.run('app', 'release', 'released', '--revision', 'abc123');
  assert.deepEqual([other.code, other.text.includes(`there are ${commit}`)], [1, true]);
  const { code, text } = await terminal.run('app', 'release', 'released', '--revision', commit.slice(0, 8));
  assert.equal(code, 0, text);
  assert.match(text, new RegExp(`Revision ${commit} is out of quarantine, where it was because of this: `));
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'shop' };
  await world.waitFor(ref, 'the revision delivered again', (found) =>
    JSON.stringify(found?.spec).includes('does-not-exist:2'),
  );
  assert.match((await terminal.run('app', 'release', 'released')).text, /has no revision in quarantine/);
});

test('the first revision has nothing to go back to, and a time that cannot be read gates nothing: both are told', async () => {
  const targetNamespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': bad(1) });
  await world.createApplication('first', repository, { targetNamespace, ...automated }, gated('2s'));
  const first = await world.waitForApplication('first', 'told', (app) => codes(app).includes('HealthGateClosed'));
  assert.equal(inQuarantine(first), '');
  await world.createApplication(
    'odd',
    world.repository({ 'a.yaml': configMap('odd', 'one') }),
    { targetNamespace, ...automated },
    gated('soon'),
  );
  await world.waitForApplication('odd', 'told', (app) => codes(app).includes('HealthGateInvalid'));
});
