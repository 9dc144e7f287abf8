import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ApplicationSourceDirectory } from '@tiphys/api';
import type { TestRepository } from '@tiphys/git/testing';
import type { Rendered, RenderRequest } from '../request/rendered.ts';
import { diagnosisOf, SourceWorld } from '../testing/source-world.ts';

const world = new SourceWorld();
const render = (
  repository: TestRepository,
  directory: ApplicationSourceDirectory = {},
  more?: Partial<RenderRequest>,
) => world.render(repository, { directory }, more);

const configMap = (name: string, data = '{}') =>
  `{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: ${name} }, data: ${data} }`;
const found = ({ objects }: Rendered) => objects.map(({ object }) => [object.metadata.name, object.data ?? {}]);

test('programs beside manifests: one object, lists of them, Lists; variables with the build environment; libraries', async () => {
  const repository = world.repositoryOf({
    'app/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: plain\n',
    'app/b.jsonnet': `function(name="x", n=0) [${configMap('name', '{ n: std.toString(n), env: std.extVar("env") }')}, ${configMap('"second"')}]`,
    'app/c.jsonnet': `local lib = import "lib.libsonnet"; lib.make("from-lib") + { data: { text: importstr "note.txt" } }`,
    'app/d.jsonnet': `{ apiVersion: "v1", kind: "List", items: [${configMap('"in-list"')}] }`,
    'app/deep/e.jsonnet': 'import "../../include/common.libsonnet"',
    'app/skipped.jsonnet': '// +argocd:skip-file-rendering\nerror "never"',
    'app/common.libsonnet': 'error "no manifest"',
    'include/common.libsonnet': configMap('"deep"'),
    'libs/one/lib.libsonnet': `{ make(name): ${configMap('"wrong"')} }`,
    'libs/two/lib.libsonnet': `{ make(name): ${configMap('name')} }`,
    'libs/one/note.txt': 'note',
  });
  const rendered = await render(repository, {
    recurse: true,
    jsonnet: {
      tlas: [
        { name: 'name', value: '$ARGOCD_APP_NAME' },
        { name: 'n', value: '1 + 1', code: true },
      ],
      extVars: [{ name: 'env', value: 'prod-${ARGOCD_APP_NAMESPACE}' }],
      libs: ['libs/one', '/libs/two'],
    },
  });
  assert.deepEqual(found(rendered), [
    ['plain', {}],
    ['shop', { n: '2', env: 'prod-prod' }],
    ['second', {}],
    ['from-lib', { text: 'note' }],
    ['in-list', {}],
    ['deep', {}],
  ]);
  assert.equal(rendered.objects[3]?.origin.file, 'app/c.jsonnet');
  const withoutPrograms = await render(repository, {}, { disabledTools: new Set(['jsonnet']) });
  assert.deepEqual(found(withoutPrograms), [['plain', {}]]);
});

test('a program renders again only if it, or what it imports, or where that is found changes', async () => {
  const repository = world.repositoryOf({
    'app/a.jsonnet': `local unused = import "unused.libsonnet"; import "x.libsonnet"`,
    'lib/x.libsonnet': configMap('"one"'),
    'lib/unused.libsonnet': '{}',
  });
  const directory = { jsonnet: { libs: ['lib'] } };
  const first = await render(repository, directory);
  repository.commit({ 'lib/unused.libsonnet': '{ changed: 1 }', 'other.txt': 'x' });
  const second = await render(repository, directory);
  assert.equal(second.objects, first.objects);
  assert.equal(second.digest, first.digest);
  repository.commit({ 'lib/x.libsonnet': configMap('"two"') });
  assert.deepEqual(found(await render(repository, directory)), [['two', {}]]);
  repository.commit({ 'app/x.libsonnet': configMap('"beside"') });
  assert.deepEqual(found(await render(repository, directory)), [['beside', {}]], 'a nearer file is found first');
  repository.commit({ 'app/x.libsonnet': 'error "broken"' });
  await diagnosisOf(render(repository, directory));
  repository.commit({ 'app/x.libsonnet': null });
  assert.deepEqual(found(await render(repository, directory)), [['two', {}]]);
});

test('a failure names file, line, the calls, and where an import was looked for', async () => {
  const repository = world.repositoryOf({
    'app/a.jsonnet': 'local lib = import "lib.libsonnet";\n\n{\n  apiVersion: "v1",\n  kind: lib.kind(1),\n}',
    'app/lib.libsonnet': '{\n  kind(x): error "no kind for " + x,\n}',
  });
  const failed = await diagnosisOf(render(repository));
  assert.equal(failed.message, 'Failed to evaluate jsonnet "a.jsonnet": RUNTIME ERROR: no kind for 1');
  assert.deepEqual(
    [failed.code, failed.cause, failed.place?.file, failed.place?.line],
    ['JsonnetFailed', 'M6', 'app/lib.libsonnet', 2],
  );
  assert.match(failed.evidence.find(({ name }) => name === 'called from')?.value ?? '', /^app\/a.jsonnet:5/);
  repository.commit({ 'app/a.jsonnet': 'import "none.libsonnet"' });
  const missing = await diagnosisOf(render(repository, { jsonnet: { libs: ['vendor'] } }));
  assert.match(missing.message, /couldn't open import "none.libsonnet"/);
  assert.equal(
    missing.evidence.find(({ name }) => name === 'looked for')?.value,
    'app/none.libsonnet, vendor/none.libsonnet',
  );
  repository.commit({ 'app/a.jsonnet': '{ apiVersion: "v1" }' });
  assert.match((await diagnosisOf(render(repository))).message, /has no kind/);
  repository.commit({ 'app/a.jsonnet': '{\n  a: ,\n}' });
  const unreadable = await diagnosisOf(render(repository));
  assert.deepEqual([unreadable.place?.line, unreadable.place?.column], [2, 6]);
});

test('nothing outside of the repository is imported, by path, by link or by library', async () => {
  writeFileSync(join(world.folder, 'MARKER.txt'), 'marker-content');
  const marker = join(world.folder, 'MARKER.txt');
  const repository = world.repositoryOf({
    'app/link.txt': { link: '../../MARKER.txt' },
    'app/absolute.txt': { link: marker },
    'x/y': 'z',
  });
  for (const name of [
    marker,
    '../../MARKER.txt',
    '../../../../../../../../../../etc/passwd',
    'file:///etc/passwd',
    'link.txt',
    'absolute.txt',
  ]) {
    repository.commit({
      'app/a.jsonnet': `{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: importstr ${JSON.stringify(name)} } }`,
    });
    const refused = await diagnosisOf(render(repository));
    assert.match(refused.message, /couldn't open import|out of the repository/, name);
    assert.doesNotMatch(JSON.stringify(refused), /marker-content/);
  }
  repository.commit({ 'app/link.txt': null, 'app/absolute.txt': null, 'app/a.jsonnet': configMap('"a"') });
  for (const lib of ['..', '../lib', '/../lib'])
    assert.match(
      (await diagnosisOf(render(repository, { jsonnet: { libs: [lib] } }))).message,
      /outside repository root/,
    );
});

test('a program that does not end, or takes all memory, is ended, and the next one renders', async () => {
  const repository = world.repositoryOf({ 'app/a.jsonnet': 'local f(n) = f(n + 1) tailstrict; f(0)' });
  const hurried = new SourceWorld({ limits: { chartTime: 4_000 } });
  assert.match((await diagnosisOf(hurried.render(repository, { directory: {} }))).message, /takes longer than 4 s/);
  repository.commit({ 'app/a.jsonnet': 'local f(n) = 1 + f(n + 1); f(0)' });
  assert.match((await diagnosisOf(render(repository))).message, /max stack frames exceeded/);
  repository.commit({ 'app/a.jsonnet': configMap('"fine"') });
  assert.deepEqual(found(await render(repository)), [['fine', {}]]);
});
