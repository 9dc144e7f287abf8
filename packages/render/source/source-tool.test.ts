import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { ApplicationSource } from '@tiphys/api';
import { type PluginServer, readPluginConfig, startPluginServer } from '@tiphys/plugin';
import type { SourceType } from './request/rendered.ts';
import type { SourceLimits } from './request/source-limits.ts';
import { diagnosisOf, requestFor, SourceWorld } from './testing/source-world.ts';

/** A source of one tool: what it holds, and how it is spoiled. */
interface Example {
  readonly type: SourceType;
  readonly source?: Partial<ApplicationSource>;
  /** One ConfigMap of the name, with the word as its data, in folder `app`. */
  files(name: string, word: string): Record<string, string>;
  /** Files that make the source fail by what it holds. */
  readonly broken: Record<string, string>;
  /** The tool is given all of the repository: any change may matter to it. */
  readonly readsAll?: boolean;
}

const manifest = (name: string, word: string): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { word } });

const examples: Record<string, Example> = {
  'a directory': {
    type: 'Directory',
    files: (name, word) => ({ 'app/a.yaml': manifest(name, word) }),
    broken: { 'app/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: [' },
  },
  Jsonnet: {
    type: 'Directory',
    files: (name, word) => ({
      'app/a.jsonnet': `local word = import 'word.libsonnet'; ${manifest(name, 'x')} + { data: { word: word } }`,
      'app/word.libsonnet': JSON.stringify(word),
    }),
    broken: { 'app/word.libsonnet': 'error "spoiled"' },
  },
  Helm: {
    type: 'Helm',
    files: (name, word) => ({
      'app/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
      'app/values.yaml': JSON.stringify({ word }),
      'app/templates/a.yaml': manifest(name, '{{ .Values.word }}'),
    }),
    broken: { 'app/templates/a.yaml': '{{ fail "spoiled" }}' },
  },
  Kustomize: {
    type: 'Kustomize',
    files: (name, word) => ({
      'app/kustomization.yaml': 'resources: [../base]\n',
      'base/kustomization.yaml': 'resources: [a.yaml]\n',
      'base/a.yaml': manifest(name, word),
    }),
    broken: { 'base/kustomization.yaml': 'resources: [missing.yaml]\n' },
  },
  'a plugin': {
    type: 'Plugin',
    source: { plugin: { name: 'print' } },
    files: (name, word) => ({ 'app/a.json': manifest(name, word) }),
    broken: { 'app/a.json': 'kind: [' },
    readsAll: true,
  },
};

const sources = new SourceWorld();
const sockets = join(sources.folder, 'sockets');
let plugin: PluginServer;
before(async () => {
  plugin = await startPluginServer({
    config: readPluginConfig(
      JSON.stringify({
        kind: 'ConfigManagementPlugin',
        metadata: { name: 'print' },
        spec: { generate: { command: ['sh', '-c', 'cat *.json'] } },
      }),
      'plugin.yaml',
    ),
    socketFolder: sockets,
    workFolder: join(sockets, 'work'),
  });
});
after(() => plugin.close());

for (const [title, { type, source, files, broken, readsAll = false }] of Object.entries(examples))
  describe(`${title} as a tool for sources`, () => {
    const started = (limits: Partial<SourceLimits> = {}) => {
      const repository = sources.repositoryOf({ ...files('first', 'one'), 'elsewhere/note.txt': '1' });
      const manifests = sources.manifestsOf({
        limits,
        pluginFolders: [sockets],
        askPassSocket: join(repository.path, '..', 'askpass'),
      });
      const render = (more = {}) => manifests.render(requestFor(repository, source, more));
      return { repository, render };
    };
    const words = (objects: readonly { readonly object: object }[]) =>
      objects.map(({ object }) => (object as { data: { word: string } }).data.word);

    test('the same content is rendered once', async () => {
      const { render } = started();
      const first = await render();
      const second = await render();
      assert.equal(first.sourceType, type);
      assert.deepEqual(words(first.objects), ['one']);
      assert.equal(first.found, 'rendered');
      assert.equal(second.found, 'memory');
      assert.equal(second.digest, first.digest);
      assert.deepEqual(second.objects, first.objects);
    });

    test('noCache renders the same anew', async () => {
      const { render } = started();
      const first = await render();
      const anew = await render({ noCache: true });
      assert.equal(anew.found, 'rendered');
      assert.equal(anew.digest, first.digest);
    });

    test('what is read decides, and nothing else of a commit', async () => {
      const { repository, render } = started();
      const first = await render();
      repository.commit({ 'elsewhere/note.txt': '2' });
      const beside = await render();
      assert.equal(beside.found, readsAll ? 'rendered' : 'memory');
      if (!readsAll) assert.equal(beside.digest, first.digest);
      assert.notEqual(beside.revision, first.revision);
      repository.commit(files('first', 'two'));
      const changed = await render();
      assert.equal(changed.found, 'rendered');
      assert.notEqual(changed.digest, first.digest);
      assert.deepEqual(words(changed.objects), ['two']);
    });

    test('what was read is named, so that a commit can be compared with it', async () => {
      const { render } = started();
      const { readSet } = await render();
      const paths = readSet.paths.map(({ path }) => path);
      for (const path of Object.keys(files('', '')))
        assert.ok(
          paths.some((read) => path === read || read === '' || path.startsWith(`${read}/`)),
          `${path} is in ${paths.join(', ')}`,
        );
    });

    test('a failure of the content is kept with the time since when it fails, until a commit mends it', async () => {
      const { repository, render } = started();
      repository.commit(broken);
      const since = async () => {
        const { evidence } = await diagnosisOf(render());
        return evidence.find(({ name }) => name === 'failing since')?.value;
      };
      const first = await since();
      assert.ok(first);
      assert.equal(await since(), first);
      repository.commit(files('first', 'mended'));
      assert.deepEqual(words((await render()).objects), ['mended']);
    });

    test('objects cannot be changed by the one who gets them', async () => {
      const { render } = started();
      const [rendered] = (await render()).objects;
      assert.throws(() => Object.assign(rendered?.object.metadata as object, { name: 'other' }), TypeError);
    });

    test('more objects than allowed are refused', async () => {
      const { render } = started({ objects: 0 });
      assert.equal((await diagnosisOf(render())).code, 'TooManyObjects');
    });

    test('a cancelled request is let go and leaves nothing behind', async () => {
      const { render } = started();
      const reason = new Error('enough');
      await assert.rejects(render({ signal: AbortSignal.abort(reason) }), reason);
      assert.deepEqual(words((await render()).objects), ['one']);
    });
  });
