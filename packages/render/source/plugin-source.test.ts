import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ApplicationSource } from '@tiphys/api';
import type { Credentials } from '@tiphys/git';
import type { FileContent, TestRepository } from '@tiphys/git/testing';
import type { Clock } from '@tiphys/kubernetes';
import { type PluginServer, readPluginConfig, startPluginServer } from '@tiphys/plugin';
import type { Manifests } from './manifests.ts';
import { commonRoot } from './plugins/plugin-files.ts';
import type { PluginRequest } from './request/rendered.ts';
import { diagnosisOf, requestFor, SourceWorld } from './testing/source-world.ts';

const sources = new SourceWorld();
let count = 0;
let now = Date.parse('2026-01-02T03:04:05Z');
const clock: Clock = { now: () => now, sleep: async () => undefined };

interface World {
  readonly repository: TestRepository;
  readonly sockets: string;
  readonly manifests: Manifests;
  plugin(name: string, spec: object): Promise<PluginServer>;
  render(
    source?: Partial<ApplicationSource>,
    options?: PluginRequest & { credentials?: Credentials },
  ): Promise<string[]>;
}

function world(t: TestContext, files: Record<string, FileContent>): World {
  count += 1;
  const sockets = join(sources.folder, `s${count}`);
  const repository = sources.repositoryOf(files);
  const askPassSocket = join(sources.folder, `askpass${count}`);
  const manifests = sources.manifestsOf({ clock, pluginFolders: [sockets], askPassSocket });
  return {
    repository,
    sockets,
    manifests,
    async plugin(name, spec) {
      const config = { kind: 'ConfigManagementPlugin', metadata: { name }, spec };
      const server = await startPluginServer({
        config: readPluginConfig(JSON.stringify(config), 'plugin.yaml'),
        socketFolder: sockets,
        workFolder: join(sockets, 'work'),
      });
      t.after(() => server.close());
      return server;
    },
    async render(source = {}, { credentials, ...plugins } = {}) {
      const { objects } = await manifests.render(
        requestFor(repository, source, {
          repository: { url: repository.path, ...(credentials ? { credentials } : {}) },
          destinationNamespace: 'shop',
          cluster: { kubeVersion: 'v1.34.4+k3s1', apiVersions: ['v1', 'apps/v1'] },
          plugins,
        }),
      );
      return objects.map(({ object }) => JSON.stringify(object.data ?? object.metadata.name));
    },
  };
}

/** Prints one ConfigMap whose data are the words, expanded by the shell. */
const print = (data: string) => ({
  command: ['sh', '-c', `printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":%s}' "${data}"`],
});
const counted = (file: string) => ({
  command: ['sh', '-c', `echo x >> ${file}; echo '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"}}'`],
});
const timesOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8').length / 2 : 0);
const plain = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain}\n';

test('a plugin that is named renders with the build environment, its entries and parameters', async (t) => {
  const { plugin, render } = world(t, { 'app/a.yaml': plain });
  await plugin('echo', {
    version: 'v1.0',
    generate: print(
      '[\\"$ARGOCD_APP_NAME\\",\\"$ARGOCD_APP_NAMESPACE\\",\\"$ARGOCD_ENV_WHO\\",\\"$PARAM_SIZE\\",\\"$KUBE_VERSION\\",\\"$KUBE_API_VERSIONS\\"]',
    ),
  });
  const source = {
    plugin: {
      name: 'echo-v1.0',
      env: [{ name: 'WHO', value: 'the-$ARGOCD_APP_NAME' }],
      parameters: [{ name: 'size', string: 'XL' }],
    },
  };
  assert.deepEqual(await render(source), ['["shop","shop","the-shop","XL","1.34.4","v1,apps/v1"]']);
});

test('a plugin whose discovery matches comes before charts and plain manifests, unless the source names a tool', async (t) => {
  const { plugin, render } = world(t, { 'app/a.yaml': plain, 'app/Chart.yaml': 'name: c\nversion: 1.0.0\n' });
  assert.deepEqual(await render(), [], 'the chart has no templates');
  await plugin('marked', { generate: print('{}'), discover: { fileName: 'a.yaml' } });
  assert.deepEqual(await render(), ['{}']);
  assert.deepEqual(await render({ directory: { include: 'a.yaml' } }), ['"plain"']);
  await plugin('unmarked', { generate: print('{}'), discover: { fileName: 'none.yaml' } });
  const none = await diagnosisOf(render({ plugin: { name: 'unmarked' } }));
  assert.equal(none.cause, 'M7');
});

test('the same tree, environment and plugin are not rendered again; a started plugin, an option or a hard refresh does', async (t) => {
  const { plugin, render, repository, sockets } = world(t, { 'app/a.yaml': plain });
  const file = join(sockets, 'count');
  const server = await plugin('one', { generate: counted(file) });
  const source = { plugin: { name: 'one' } };
  await render(source);
  await render(source);
  assert.equal(timesOf(file), 1);
  await render({ plugin: { name: 'one', env: [{ name: 'A', value: 'b' }] } });
  assert.equal(timesOf(file), 2);
  repository.commit({ 'app/a.yaml': 'b' });
  await render(source);
  assert.equal(timesOf(file), 3);
  await server.close();
  await plugin('one', { generate: counted(file) });
  await render(source);
  assert.equal(timesOf(file), 4);
  now += 25 * 3_600_000;
  await render(source);
  assert.equal(timesOf(file), 5, 'after a day: it may read what no commit tells of');
});

test('a failure of a plugin is not kept: the next attempt asks it again', async (t) => {
  const { plugin, render, sockets } = world(t, { 'app/a.yaml': plain });
  const file = join(sockets, 'count');
  await plugin('one', {
    generate: {
      command: ['sh', '-c', `echo x >> ${file}; test $(wc -l < ${file}) -gt 1 || { echo no network >&2; exit 1; }`],
    },
  });
  const failed = await diagnosisOf(render({ plugin: { name: 'one' } }));
  assert.match(failed.message, /error generating manifests in cmp: plugin one: .* failed exit status 1: no network/);
  assert.deepEqual(await render({ plugin: { name: 'one' } }), []);
});

test('while a plugin that took a source is away, its files are not taken for plain manifests', async (t) => {
  const { plugin, render } = world(t, { 'app/a.yaml': plain });
  const server = await plugin('marked', { generate: print('{}'), discover: { fileName: 'a.yaml' } });
  assert.deepEqual(await render(), ['{}']);
  await server.close();
  const away = await diagnosisOf(render());
  assert.match(away.message, /could not find cmp-server plugin with name "marked"/);
  await plugin('marked', { generate: print('[1]'), discover: { fileName: 'a.yaml' } });
  assert.deepEqual(await render(), ['[1]']);
  await plugin('marked', { generate: print('[1]'), discover: { fileName: 'other.yaml' } });
  assert.deepEqual(await render(), ['"plain"'], 'it says itself that the source is not its own any more');
});

test('a plugin that was removed for good is forgotten after five minutes', async (t) => {
  const { plugin, render } = world(t, { 'app/a.yaml': plain });
  const server = await plugin('marked', { generate: print('{}'), discover: { fileName: 'a.yaml' } });
  await render();
  await server.close();
  await diagnosisOf(render());
  now += 6 * 60_000;
  assert.deepEqual(await render(), ['"plain"']);
});

test('what is sent can be limited by patterns and by manifest-generate-paths', async (t) => {
  const { plugin, render } = world(t, {
    'app/a.yaml': plain,
    'app/link': { link: '../lib/x' },
    'lib/x': 'x',
    'docs/big.png': 'png',
    '.hidden': 'h',
  });
  const list = {
    command: [
      'sh',
      '-c',
      `cd $UP; find . -type f -o -type l | sort | sed 's/.*/"&"/' | paste -sd, | sed 's/^/{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":[/;s/$/]}/'`,
    ],
  };
  await plugin('list', { generate: { command: list.command.map((word) => word.replace('$UP', '$ARGOCD_ENV_UP')) } });
  const source = (up: string) => ({ plugin: { name: 'list', env: [{ name: 'UP', value: up }] } });
  const all = ['./.hidden', './app/a.yaml', './app/link', './docs/big.png', './lib/x'];
  assert.deepEqual(await render(source('..')), [JSON.stringify(all)]);
  const some = all.filter((name) => !name.includes('docs'));
  assert.deepEqual(await render(source('..'), { tarExclusions: ['docs'] }), [JSON.stringify(some)]);
  assert.deepEqual(await render(source('.'), { generatePaths: '.' }), [JSON.stringify(['./a.yaml', './link'])]);
});

test('a discovery that fails leaves the source to other tools, and says so', async (t) => {
  const { plugin, manifests, repository } = world(t, { 'app/a.yaml': plain });
  await plugin('broken', {
    generate: print('{}'),
    discover: { find: { command: ['sh', '-c', 'echo oops >&2; exit 2'] } },
  });
  const { sourceType, warnings } = await manifests.render({
    application: { name: 'shop', namespace: 'argocd', project: 'default' },
    source: { repoURL: repository.path, path: 'app' },
    repository: { url: repository.path },
    destinationNamespace: 'shop',
  });
  assert.equal(sourceType, 'Directory');
  assert.equal(warnings[0]?.code, 'PluginSkipped');
  assert.match(warnings[0]?.message ?? '', /broken: .*exit status 2: oops/);
});

test('a link that leads out of the repository is refused before anything is sent', async (t) => {
  const { plugin, render } = world(t, { 'app/a.yaml': plain, 'other/link': { link: '../../../etc/passwd' } });
  await plugin('one', { generate: print('{}') });
  const refused = await diagnosisOf(render({ plugin: { name: 'one' } }));
  assert.equal(refused.code, 'LinkLeavesRepository');
});

test('credentials are lent only to plugins that ask for them, and taken back', async (t) => {
  const { plugin, render } = world(t, { 'app/a.yaml': plain });
  await plugin('with', { generate: print('[\\"$GIT_ASKPASS\\",\\"$GIT_PASSWORD\\"]'), provideGitCreds: true });
  await plugin('without', { generate: print('[\\"$GIT_ASKPASS\\"]') });
  const credentials = { username: 'u', password: 'secret' };
  assert.deepEqual(await render({ plugin: { name: 'with' } }, { credentials }), ['["argocd",""]']);
  assert.deepEqual(await render({ plugin: { name: 'without' } }, { credentials }), ['[""]']);
});

test('commonRoot() is the deepest folder that holds all paths', () => {
  assert.equal(commonRoot('a/b/c', ''), '');
  assert.equal(commonRoot('a/b/c', '.'), 'a/b/c');
  assert.equal(commonRoot('a/b/c', '.;../lib'), 'a/b');
  assert.equal(commonRoot('a/b/c', '/a/x;.'), 'a');
  assert.equal(commonRoot('a/b/c', '/z'), '');
  assert.equal(commonRoot('a/b/c', '../../../../..'), '');
});
