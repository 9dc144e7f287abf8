import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { DiagnosisError } from '@tiphys/diagnosis';
import { type ArchiveEntry, writeTar } from '@tiphys/registry';
import { type ArchiveLimits, packFiles } from './app-stream.ts';
import { PluginClient } from './plugin-client.ts';
import { readPluginConfig } from './plugin-config.ts';
import { startPluginServer } from './plugin-server.ts';
import { type PluginQuery, Plugins } from './plugins.ts';

const files: ArchiveEntry[] = [
  { name: 'shop/sub/one.yaml', data: Buffer.from('a: 1\n') },
  { name: 'shop/run.sh', data: Buffer.from('#!/bin/sh\necho kind: ConfigMap\n'), kind: 'executable' },
  { name: 'shop/link', data: Buffer.from('sub/one.yaml'), kind: 'link' },
];

function temporary(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'plugins-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function serve(
  t: TestContext,
  folder: string,
  name: string,
  spec: object,
  limits: Partial<ArchiveLimits> = {},
): Promise<void> {
  const text = JSON.stringify({ kind: 'ConfigManagementPlugin', metadata: { name }, spec });
  const server = await startPluginServer({
    config: readPluginConfig(text, 'plugin.yaml'),
    socketFolder: folder,
    workFolder: join(folder, 'work'),
    environment: { PATH: process.env.PATH, OWN: 'own' },
    limits,
  });
  t.after(() => server.close());
}

const sh = (script: string) => ({ command: ['sh', '-c', script] });
const echo = sh('echo kind: ConfigMap');

function query(key: string, name?: string): PluginQuery {
  return {
    ...(name === undefined ? {} : { name }),
    metadata: { appName: 'shop', appRelPath: 'shop', environment: { ARGOCD_APP_NAME: 'shop' } },
    files: () => packFiles(files),
    key,
  };
}

async function diagnosis(promise: Promise<unknown>) {
  const error = await promise.then(
    () => assert.fail('it went well'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof DiagnosisError, String(error));
  return error.diagnosis;
}

const once = { timeout: 120_000 };

test('a plugin prints manifests from the files in the application folder, with the environment that it is given', async (t) => {
  const folder = temporary(t);
  await serve(t, folder, 'shell', {
    init: sh('echo prepared > prepared'),
    generate: sh(
      'cat prepared sub/one.yaml link; echo "---"; echo "# nothing"; echo "---"; echo $ARGOCD_APP_NAME $OWN',
    ),
  });
  using client = new PluginClient('shell', join(folder, 'shell.sock'));
  const manifests = await client.generate(query('').metadata, await packFiles(files), once);
  assert.deepEqual(manifests, ['prepared\na: 1\na: 1\n', '\nshop own']);
  assert.deepEqual(readdirSync(join(folder, 'work')), [], 'nothing of the repository is left behind');
});

test('modes are kept only where the plugin asks for it', async (t) => {
  const folder = temporary(t);
  const generate = sh('test -x run.sh && ./run.sh || echo no');
  await serve(t, folder, 'plain', { generate });
  await serve(t, folder, 'modes', { generate, preserveFileMode: true });
  const packed = await packFiles(files);
  using plain = new PluginClient('plain', join(folder, 'plain.sock'));
  using modes = new PluginClient('modes', join(folder, 'modes.sock'));
  assert.deepEqual(await plain.generate(query('').metadata, packed, once), ['no']);
  assert.deepEqual(await modes.generate(query('').metadata, packed, once), ['kind: ConfigMap']);
});

test('a plugin is found by its discovery, in the order of names', async (t) => {
  const folder = temporary(t);
  const plugins = new Plugins([folder]);
  assert.equal(await plugins.select(query('0'), once), undefined, 'nobody is there');
  await serve(t, folder, 'd-name', { generate: echo, discover: { fileName: 'sub/o*.yaml' } });
  assert.equal((await plugins.select(query('1'), once))?.name, 'd-name');
  await serve(t, folder, 'c-glob', { version: 'v1.0', generate: echo, discover: { find: { glob: '**/sub/*.yaml' } } });
  assert.equal((await plugins.select(query('2'), once))?.name, 'c-glob-v1.0');
  const findByName = { find: { command: ['sh', '-c'], args: ['test $ARGOCD_APP_NAME = shop && echo yes'] } };
  await serve(t, folder, 'b-command', { generate: echo, discover: findByName, provideGitCreds: true });
  const found = await plugins.select(query('3'), once);
  assert.deepEqual([found?.name, found?.provideGitCreds], ['b-command', true]);
  await serve(t, folder, 'a-none', { generate: echo });
  assert.equal((await plugins.select(query('4'), once))?.name, 'b-command', 'without discovery it has to be named');
  assert.equal((await plugins.select(query('5', 'a-none'), once))?.name, 'a-none');
});

test('what discovery said of the same files is not asked again, until the plugin is started anew', async (t) => {
  const folder = temporary(t);
  const plugins = new Plugins([folder]);
  const discover = { find: { command: ['sh', '-c', `echo x >> ${folder}/asked; echo yes`] } };
  const count = () => (existsSync(join(folder, 'asked')) ? readdirSync(folder).length : 0);
  await serve(t, folder, 'one', { generate: echo, discover });
  await plugins.select(query('same'), once);
  rmSync(join(folder, 'asked'));
  await plugins.select(query('same'), once);
  assert.equal(count(), 0);
  await plugins.select(query('other'), once);
  assert.notEqual(count(), 0);
});

test('M7: a plugin that is not there, and one whose discovery says no, are told apart', async (t) => {
  const folder = temporary(t);
  const plugins = new Plugins([folder]);
  await serve(t, folder, 'picky', { generate: echo, discover: { fileName: 'none.yaml' } });
  const absent = await diagnosis(plugins.select(query('1', 'helmfile'), once));
  assert.equal(absent.cause, 'M7');
  assert.equal(absent.message, 'could not find cmp-server plugin with name "helmfile" supporting the given repository');
  assert.equal(absent.evidence[0]?.value, 'picky');
  assert.match(absent.remedies[0]?.text ?? '', /metadata.name/);
  const picky = await diagnosis(plugins.select(query('2', 'picky'), once));
  assert.match(picky.remedies[0]?.text ?? '', /spec.discover/);
  const outside = await diagnosis(plugins.select(query('3', '../../etc/passwd'), once));
  assert.equal(outside.code, 'PluginNotFound');
});

test('a socket that a dead plugin left behind is no plugin, unless it is named', async (t) => {
  const folder = temporary(t);
  const config = readPluginConfig(
    JSON.stringify({ kind: 'ConfigManagementPlugin', metadata: { name: 'gone' }, spec: { generate: echo } }),
    'plugin.yaml',
  );
  const { createServer } = await import('node:net');
  const left = createServer();
  await new Promise<void>((resolve) => left.listen(join(folder, 'gone.sock'), resolve));
  // libuv unlinks the name that it bound, so the dead socket lives on under another one
  const { renameSync } = await import('node:fs');
  renameSync(join(folder, 'gone.sock'), join(folder, 'dead.sock'));
  await new Promise((resolve) => left.close(resolve));
  assert.equal(config.name, 'gone');
  const plugins = new Plugins([folder]);
  assert.equal(await plugins.select(query('1'), once), undefined);
  const named = await diagnosis(plugins.select(query('2', 'dead'), once));
  assert.equal(named.causes?.[0]?.code, 'PluginFailed');
  assert.match(named.causes?.[0]?.message ?? '', /ECONNREFUSED/);
});

test('a command that fails is shown with its error output', async (t) => {
  const folder = temporary(t);
  await serve(t, folder, 'bad', { generate: sh('echo no such chart >&2; exit 3') });
  await serve(t, folder, 'missing', { generate: { command: ['no-such-program'] } });
  using bad = new PluginClient('bad', join(folder, 'bad.sock'));
  using missing = new PluginClient('missing', join(folder, 'missing.sock'));
  const packed = await packFiles(files);
  const failed = await diagnosis(bad.generate(query('').metadata, packed, once));
  assert.match(failed.message, /`sh -c echo no such chart >&2; exit 3` failed exit status 3: no such chart/);
  const absent = await diagnosis(missing.generate(query('').metadata, packed, once));
  assert.match(absent.message, /exec: "no-such-program": executable file not found in \$PATH/);
});

test('M8: a command that hangs is ended with all that it started', async (t) => {
  const folder = temporary(t);
  await serve(t, folder, 'slow', { generate: sh('echo waiting >&2; sleep 600 & wait') });
  using client = new PluginClient('slow', join(folder, 'slow.sock'));
  const late = await diagnosis(client.generate(query('').metadata, await packFiles(files), { timeout: 700 }));
  assert.equal(late.cause, 'M8');
  assert.match(late.message, /slow did not answer within 0.7 s/);
});

test('parameters are those that a command prints, then the static ones', async (t) => {
  const folder = temporary(t);
  await serve(t, folder, 'announcing', {
    generate: echo,
    parameters: {
      static: [{ name: 'size', title: 'Size', required: true, itemType: 'number', string: '3' }],
      dynamic: sh('echo \'[{"name":"values","collectionType":"map","map":{"a":"b"}},{"name":"l","array":["x"]}]\''),
    },
  });
  using client = new PluginClient('announcing', join(folder, 'announcing.sock'));
  const announced = await client.announce(query('').metadata, await packFiles(files), once);
  assert.deepEqual(
    announced.map(({ name, string, array, map, required }) => ({ name, string, array, map, required })),
    [
      { name: 'values', string: '', array: [], map: { a: 'b' }, required: false },
      { name: 'l', string: '', array: ['x'], map: {}, required: false },
      { name: 'size', string: '3', array: [], map: {}, required: true },
    ],
  );
});

test('an archive that leads outside, lies about itself or is a bomb is refused (CVE-2023-40584)', async (t) => {
  const folder = temporary(t);
  await serve(t, folder, 'safe', { generate: echo }, { bytes: 1_000_000, files: 100 });
  using client = new PluginClient('safe', join(folder, 'safe.sock'));
  const { metadata } = query('');
  const send = async (entries: ArchiveEntry[], change: { appRelPath?: string; checksum?: string } = {}) => {
    const data = gzipSync(writeTar(entries));
    const checksum = change.checksum ?? createHash('sha256').update(data).digest('hex');
    const appRelPath = change.appRelPath ?? '.';
    return (await diagnosis(client.generate({ ...metadata, appRelPath }, { data, checksum }, once))).message;
  };
  const file = (name: string, data = 'x'): ArchiveEntry => ({ name, data: Buffer.from(data) });
  assert.match(await send([file('../out')]), /leads out of it/);
  assert.match(await send([file('/etc/x')]), /leads out of it/);
  assert.match(await send([{ ...file('a/link', '../../x'), kind: 'link' }]), /illegal filepath in symlink/);
  assert.match(await send([{ ...file('link', '/etc'), kind: 'link' }]), /illegal filepath in symlink/);
  assert.match(await send([file('a')], { appRelPath: '../..' }), /illegal appPath: out of workDir bound/);
  assert.match(await send([file('a')], { checksum: 'beef' }), /file checksum validation error/);
  assert.match(await send([file('bomb', ' '.repeat(5_000_000))]), /more than 1000000 bytes/);
  assert.deepEqual(
    readdirSync(folder)
      .sort()
      .filter((name) => name !== 'work'),
    ['safe.sock'],
  );
});
