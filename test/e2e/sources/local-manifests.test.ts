import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { services } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import { type ArchiveEntry, writeArchive } from '@tiphys/registry';
import { configMap } from '../support/manifests.ts';
import { World } from '../support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

const value = (object: KubeObject | undefined) => (object?.data as Record<string, string> | undefined)?.value;

/** What `argocd app diff --local --server-side-generate` sends: the query, then a gzipped tar in pieces. */
async function manifestsOf(name: string, entries: readonly ArchiveEntry[], checksum?: string): Promise<string[]> {
  const transport = createGrpcTransport({ baseUrl: world.url });
  const client = createClient(services.application, transport);
  const data = writeArchive(entries);
  async function* parts() {
    const digest = checksum ?? createHash('sha256').update(data).digest('hex');
    yield { part: { case: 'query' as const, value: { name, checksum: digest } } };
    for (let at = 0; at < data.length; at += 1024)
      yield { part: { case: 'chunk' as const, value: { chunk: data.subarray(at, at + 1024) } } };
  }
  const headers = { token: await world.token() };
  return (await client.getManifestsWithFiles(parts(), { headers })).manifests;
}

const file = (name: string, text: string): ArchiveEntry => ({ name, data: Buffer.from(text) });

test('local manifests are deployed by a sync, compared with from then on, and given up by the next sync', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': configMap('settings', 'committed') });
  await world.createApplication('local', repository, { targetNamespace: namespace });
  const sync = (body: object) => world.rest('POST', '/api/v1/applications/local/sync', body);
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'settings' };
  const synced = () =>
    world.waitForApplication(
      'local',
      'the end of the sync',
      ({ operation, status }) =>
        !operation && status?.operationState?.phase === 'Succeeded' && status.sync?.status === 'Synced',
    );
  await sync({});
  await synced();
  const manifest = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings' },
    data: { value: 'of a folder' },
  };
  await sync({ manifests: [JSON.stringify(manifest)] });
  await world.waitFor(ref, 'the local value', (object) => value(object) === 'of a folder');
  const { status } = await synced();
  assert.equal(status?.sync?.revision, '');
  assert.ok(
    status?.diagnoses?.some(({ code }) => code === 'LocalManifestsLive'),
    'it says so',
  );
  assert.equal(status?.conditions, undefined);
  await sync({});
  await world.waitFor(ref, 'the committed value', (object) => value(object) === 'committed');
  assert.notEqual((await synced()).status?.sync?.revision, '');
});

test('what a folder would become is rendered by the server, with Secrets masked, and nothing leads out of it', async () => {
  const repository = world.repository({ 'app/a.yaml': configMap('settings', 'committed') });
  await world.createApplication('folder', repository, { targetNamespace: await world.targetNamespace(), path: 'app' });
  const secret = 'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {p: MARKER}\n';
  const manifests = await manifestsOf('folder', [
    file('app/a.yaml', configMap('settings', 'local')),
    file('app/s.yaml', secret),
    { name: 'app/b.yaml', data: Buffer.from('../shared.yaml'), kind: 'link' },
    file('shared.yaml', configMap('shared', 'linked')),
  ]);
  const objects = manifests.map((text) => JSON.parse(text) as KubeObject);
  assert.deepEqual(
    objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    ['ConfigMap settings', 'ConfigMap shared', 'Secret s'],
  );
  assert.ok(objects.every(({ metadata }) => metadata.annotations?.['argocd.argoproj.io/tracking-id']));
  assert.ok(!manifests.join('').includes('MARKER') && !manifests.join('').includes('TUFSS0VS'));
  const refusal = (entries: ArchiveEntry[], checksum?: string) =>
    manifestsOf('folder', entries, checksum).then(
      () => assert.fail('it was taken'),
      (error: Error) => error.message,
    );
  assert.match(await refusal([file('app/a.yaml', 'x')], 'beef'), /file checksum validation error/);
  assert.match(await refusal([file('../a.yaml', 'x')]), /leads out of it/);
  const out = { name: 'app/b.yaml', data: Buffer.from('../../etc/passwd'), kind: 'link' as const };
  assert.match(await refusal([out]), /illegal filepath in symlink/);
  assert.match(await refusal([file('elsewhere/a.yaml', 'x')]), /app path does not exist/);
});
