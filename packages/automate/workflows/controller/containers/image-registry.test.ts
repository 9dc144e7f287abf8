import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Client } from '@tiphys/kubernetes';
import { type OciRegistryServer, startOciRegistry } from '@tiphys/registry/testing';
import { MissingFact } from '../../machine/index.ts';
import { ImageCommands } from './image-commands.ts';
import { ImageRegistry } from './image-registry.ts';

const auth = { kind: 'bearer', username: 'ada', password: 'enter-here' } as const;
const config = (value: object) => ({
  mediaType: 'application/vnd.oci.image.config.v1+json',
  data: Buffer.from(JSON.stringify(value)),
});
const signal = new AbortController().signal;
const architecture = { x64: 'amd64' }[process.arch as string] ?? process.arch;
let registry: OciRegistryServer;
let host: string;

before(async () => {
  registry = await startOciRegistry({ auth, answers: {} });
  host = new URL(registry.url).host;
  registry.push('team/tool', '1', {
    config: config({ config: { Entrypoint: ['/tool'], Cmd: ['--help'] } }),
    layers: [],
  });
});

after(() => registry.close());

/** A cluster with a pull Secret for the registry, which the ServiceAccount `default` names. */
function cluster(path = ''): Client {
  const auths = { [`https://${host}${path}`]: { username: auth.username, password: auth.password } };
  const objects: Readonly<Record<string, object>> = {
    'ServiceAccount n/default': { imagePullSecrets: [{ name: 'pull' }] },
    'ServiceAccount n/other': {},
    'Secret n/pull': { data: { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') } },
  };
  const find = async ({ kind, namespace, name }: { kind: string; namespace?: string; name: string }) =>
    objects[`${kind} ${namespace}/${name}`];
  return { find } as unknown as Client;
}

const pull = { namespace: 'n', serviceAccount: '', secrets: [] };

test('what an image runs is read from its registry, with the pull Secrets of the ServiceAccount or of the workflow', async () => {
  const expected = { entrypoint: ['/tool'], cmd: ['--help'] };
  assert.deepEqual(await new ImageRegistry(cluster()).look(`${host}/team/tool:1`, pull, signal), expected);
  const named = { ...pull, serviceAccount: 'other', secrets: ['pull'] };
  assert.deepEqual(await new ImageRegistry(cluster('/team')).look(`${host}/team/tool:1`, named, signal), expected);
});

test('credentials of another path or ServiceAccount are not used, and who has none is told so', async () => {
  await assert.rejects(
    new ImageRegistry(cluster('/tea')).look(`${host}/team/tool:1`, pull, signal),
    /wants credentials and none were given/,
  );
  const other = { ...pull, serviceAccount: 'other' };
  await assert.rejects(
    new ImageRegistry(cluster()).look(`${host}/team/tool:1`, other, signal),
    /wants credentials and none were given/,
  );
});

test('of an index the image of this architecture is read; none is named', async () => {
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const right = registry.push('team/many', 'right', { config: config({ config: { Cmd: ['sh'] } }), layers: [] });
  const index = (entries: object[]) => ({
    headers: { 'content-type': 'application/vnd.oci.image.index.v1+json' },
    body: JSON.stringify({ schemaVersion: 2, manifests: entries }),
  });
  const entry = (os: string, arch: string) => ({
    mediaType,
    digest: right,
    size: 1,
    platform: { os, architecture: arch },
  });
  registry.behaviour.answers = {
    '/v2/team/many/manifests/latest': index([entry('windows', architecture), entry('linux', architecture)]),
    '/v2/team/many/manifests/none': index([entry('linux', 'other')]),
  };
  assert.deepEqual(await new ImageRegistry(cluster()).look(`${host}/team/many`, pull, signal), { cmd: ['sh'] });
  await assert.rejects(
    new ImageRegistry(cluster()).look(`${host}/team/many:none`, pull, signal),
    new RegExp(`no image for linux/${architecture}`),
  );
});

test('an image is looked up once; after a failure the node says it, and half a minute later it is looked up again', async () => {
  let now = 0;
  const asked: string[] = [];
  const clock = { now: () => now, sleep: async () => undefined };
  const commands = new ImageCommands(clock, async (image) => {
    asked.push(image);
    if (image === 'gone' && now < 30_000) throw new Error('the registry does not have it');
    return { entrypoint: ['run'] };
  });
  assert.throws(() => commands.get('tool', pull), MissingFact);
  await commands.read('tool', pull, signal);
  assert.deepEqual(commands.get('tool', { ...pull, namespace: 'other' }), { entrypoint: ['run'] });
  await commands.read('gone', pull, signal);
  assert.throws(() => commands.get('gone', pull), /explicitly specify the command.*the registry does not have it/);
  assert.throws(() => commands.get('gone', { ...pull, namespace: 'other' }), MissingFact);
  now = 30_000;
  assert.throws(() => commands.get('gone', pull), MissingFact);
  await commands.read('gone', pull, signal);
  assert.deepEqual(commands.get('gone', pull), { entrypoint: ['run'] });
  assert.deepEqual(asked, ['tool', 'gone', 'gone']);
});
