import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rendered } from './request/rendered.ts';
import { configMap, diagnosisOf, requestFor, SourceWorld } from './testing/source-world.ts';

const world = new SourceWorld();
const found = (rendered: Rendered) =>
  rendered.objects.map(({ object, origin }) => `${object.kind} ${object.metadata.name} ${origin.file}:${origin.line}`);

test('files are read in order of name; documents, lists and JSON are taken apart', async () => {
  const repository = world.repositoryOf({
    'app/b.yaml': `# first\n---\n${configMap('b1')}---\n\n---\n# note\n${configMap('b2')}`,
    'app/a.yml': `apiVersion: v1\nkind: List\nitems:\n- ${configMap('a1').replaceAll('\n', '\n  ').trimEnd()}\n- ${configMap('a2').replaceAll('\n', '\n  ').trimEnd()}\n`,
    'app/c.json': JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }),
    'app/notes.txt': 'nothing',
    'app/values.yaml': 'replicas: 1\n',
    'app/sub/d.yaml': configMap('d'),
  });
  const rendered = await world.render(repository);
  assert.deepEqual(found(rendered), [
    'ConfigMap a1 app/a.yml:4',
    'ConfigMap a2 app/a.yml:8',
    'ConfigMap b1 app/b.yaml:3',
    'ConfigMap b2 app/b.yaml:11',
    'ConfigMap c app/c.json:1',
  ]);
  assert.equal(rendered.sourceType, 'Directory');
  assert.deepEqual(found(await world.render(repository, { directory: { recurse: true, include: '{sub/*,c.json}' } })), [
    'ConfigMap c app/c.json:1',
    'ConfigMap d app/sub/d.yaml:1',
  ]);
  assert.deepEqual(found(await world.render(repository, { directory: { recurse: true, exclude: '*.y*ml' } })), [
    'ConfigMap c app/c.json:1',
  ]);
});

test('a values file beside the manifests is left out in silence, a broken or listed one with a warning', async () => {
  const repository = world.repositoryOf({
    'app/a.yaml': configMap('a'),
    'app/values.yaml': 'a: 1\n',
    'app/broken.yaml': 'a: [1\n',
    'app/list.yaml': '- 1\n- 2\n',
  });
  const rendered = await world.render(repository);
  assert.deepEqual(found(rendered), ['ConfigMap a app/a.yaml:1']);
  assert.deepEqual(
    rendered.warnings.map(({ cause, place }) => `${cause} ${place?.file}`),
    ['M9 app/broken.yaml', 'M9 app/list.yaml'],
  );
});

for (const { name, file, content, line, message, cause, kindless } of [
  {
    name: 'a tab',
    content: `apiVersion: v1\nkind: ConfigMap\nmetadata:\n\tname: a\n`,
    line: 4,
    message: /cannot start any token/,
  },
  {
    name: 'a missing colon',
    content: `${configMap('ok')}---\napiVersion: v1\nkind ConfigMap\nmetadata: {}\n`,
    line: 8,
    message: /could not find expected/,
  },
  {
    name: 'a list at top',
    kindless: true,
    content: `- ${configMap('a').replaceAll('\n', '\n  ')}`,
    line: 1,
    message: /The document is a list, not an object/,
  },
  {
    name: 'a scalar at top after an object',
    kindless: true,
    content: `${configMap('a')}---\njust text\n`,
    line: 6,
    message: /The document is a text, not an object/,
  },
  {
    name: 'no kind',
    kindless: true,
    content: 'apiVersion: v1\nmetadata:\n  name: a # kind:\n',
    line: 1,
    message: /has no kind \(its apiVersion is v1\)/,
  },
  {
    name: 'no apiVersion',
    content: '# x\nkind: ConfigMap\nmetadata:\n  name: a\n',
    line: 2,
    message: /has no apiVersion \(its kind is ConfigMap\)/,
  },
  {
    name: 'a text for metadata',
    content: 'apiVersion: v1\nkind: ConfigMap\nmetadata: web\n',
    line: 1,
    message: /The ConfigMap has no metadata/,
  },
  {
    name: 'a number for a name',
    content: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: 007\n',
    line: 1,
    message: /has no name/,
  },
  {
    name: 'a number for the name of an item of a list',
    content: 'apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Service\n  metadata: {name: 1}\n',
    line: 4,
    message: /The Service has no name/,
  },
  {
    name: 'bytes that are not UTF-8',
    content: Buffer.concat([
      Buffer.from('apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: "'),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"\n'),
    ]),
    line: 4,
    message: /not UTF-8: byte 0xc3/,
  },
  {
    name: 'aliases that explode',
    content: `${configMap('a')}data:\n  a: &a [x,x,x,x,x,x,x,x,x,x]\n${[...'bcdefgh'].map((key, index) => `  ${key}: &${key} [${Array(10).fill(`*${'abcdefgh'[index]}`).join(',')}]\n`).join('')}`,
    cause: 'M15',
    message: /aliasing|values/,
  },
  {
    name: 'nesting without end',
    content: `${configMap('a')}data: ${'['.repeat(100_000)}\n`,
    cause: 'M15',
    message: /depth|nest/i,
  },
  {
    name: 'a million documents',
    content: `${configMap('a')}${'---\n'.repeat(1_000_000)}`,
    cause: 'M15',
    message: /documents/,
  },
  {
    name: 'broken JSON',
    file: 'a.json',
    content: '{\n  "apiVersion": "v1",\n  "kind": "ConfigMap"\n  "metadata": {}\n}',
    line: 4,
    message: /not valid JSON/,
  },
  {
    name: 'two objects in JSON',
    file: 'a.json',
    content: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}\n{"kind":"b"}`,
    line: 2,
    message: /more than one object/,
  },
  {
    name: 'jsonnet',
    file: 'a.jsonnet',
    content: '{\n  a: ,\n}',
    line: 2,
    cause: 'M6',
    message: /Unexpected: "," while parsing terminal/,
  },
] as {
  name: string;
  file?: string;
  content: string | Uint8Array;
  line?: number;
  message: RegExp;
  cause?: string;
  kindless?: boolean;
}[]) {
  test(`${name} is a diagnosis with file and line`, async () => {
    const repository = world.repositoryOf({ [`app/${file ?? 'a.yaml'}`]: content });
    const diagnosis = await diagnosisOf(world.render(repository));
    assert.match(diagnosis.message, message);
    assert.equal(diagnosis.cause, cause ?? 'M9');
    assert.equal(diagnosis.place?.file, `app/${file ?? 'a.yaml'}`);
    if (line) {
      assert.equal(diagnosis.place?.line, line);
      const text = diagnosis.evidence.find((item) => item.name === 'text')?.value;
      // what has no kind could be a Secret
      if (kindless) assert.equal(text, undefined);
      else assert.match(text ?? '', new RegExp(`${line} \\| `));
    }
    assert.ok(diagnosis.remedies.length > 0);
  });
}

test('files that are too big together are refused before they are read, with the biggest', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`app/${index}.yaml`, `#${'x'.repeat(400_000 + index)}\n`]),
  );
  const diagnosis = await diagnosisOf(world.render(world.repositoryOf(files)));
  assert.equal(diagnosis.cause, 'M15');
  assert.match(diagnosis.message, /30 manifest files have 12\.0 MB together; the limit is 10\.0 MB/);
  assert.equal(diagnosis.evidence.length, 6);
  assert.equal(diagnosis.evidence[0]?.name, 'app/29.yaml');
});

test('links are followed inside the repository; one that leaves fails by name, read or not', async () => {
  const inside = world.repositoryOf({
    'shared/base.yaml': configMap('base'),
    'app/base.yaml': { link: '../shared/base.yaml' },
    'app/gone.yaml': { link: 'nothing' },
  });
  const rendered = await world.render(inside);
  assert.deepEqual(found(rendered), ['ConfigMap base app/base.yaml:1']);
  assert.deepEqual(
    rendered.warnings.map(({ code }) => code),
    ['LinkDangling'],
  );
  for (const [path, link] of [
    ['app/a.yaml', '../../other/secret.yaml'],
    ['app/b', '/'],
    ['app/c.txt', '../../../etc'],
  ] as const) {
    const diagnosis = await diagnosisOf(
      world.render(world.repositoryOf({ 'app/x.yaml': configMap('x'), [path]: { link } })),
    );
    assert.deepEqual([diagnosis.code, diagnosis.place?.file], ['LinkLeavesRepository', path]);
  }
});

test('a hook may come without a name', async () => {
  const hook = 'apiVersion: v1\nkind: Pod\nmetadata:\n  annotations: { argocd.argoproj.io/hook: PreSync }\n';
  const { objects } = await world.render(world.repositoryOf({ 'app/hook.yaml': hook }));
  assert.deepEqual(
    objects.map(({ object }) => object.kind),
    ['Pod'],
  );
});

test('a path that is gone is R10 with the commit, its author and the new place', async () => {
  const repository = world.repositoryOf({ 'app/a.yaml': configMap('a') });
  repository.git('mv', 'app', 'web');
  const commit = repository.commit({}, 'Rename the app');
  const diagnosis = await diagnosisOf(world.render(repository));
  assert.equal(diagnosis.cause, 'R10');
  assert.match(
    diagnosis.message,
    new RegExp(`^app: app path does not exist: it was removed by commit ${commit.slice(0, 7)} of Test Author`),
  );
  assert.equal(diagnosis.remedies[0]?.paste, 'path: web');
  assert.match(
    (await diagnosisOf(world.render(repository, { path: 'never' }))).message,
    /^never: app path does not exist/,
  );
  for (const path of ['/etc', '../x', 'web/../../x', 'web/a.yaml'])
    assert.equal((await diagnosisOf(world.render(repository, { path }))).code, 'PathInvalid', path);
});

test('options of two tools are refused; those of one decide which it is', async () => {
  const repository = world.repositoryOf({
    'app/kustomization.yaml': 'resources: []\n',
    'app/Chart.yaml': 'name: x\n',
    'plain/a.yaml': configMap('a'),
  });
  assert.equal(
    (await diagnosisOf(world.render(repository, { path: 'plain', directory: {}, helm: {} }))).code,
    'SeveralSourceTypes',
  );
  assert.deepEqual(found(await world.render(repository, { directory: { exclude: '{Chart,kustomization}.yaml' } })), []);
});

test('submodules are folders where they are permitted, else empty; LFS pointers are named', async () => {
  const repository = world.repositoryOf({
    'app/a.yaml': configMap('a'),
    'app/big.yaml': 'version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n',
  });
  assert.match(
    String((await world.render(repository)).warnings.map(({ message }) => message)),
    /^The file is left out: it is a pointer of Git LFS, and the repository is registered without enableLfs/,
  );
  const inner = world.repositoryOf({ 'b.yaml': configMap('b') });
  repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.path, 'app/sub');
  repository.commit({});
  const recursive = { directory: { recurse: true } };
  const submodules = { repository: { url: repository.path, submodules: (url: string) => ({ url }) } };
  assert.equal((await world.render(repository, recursive)).objects.length, 1);
  assert.match(
    (await diagnosisOf(world.render(repository, { path: 'app/sub' }))).message,
    /submodules are switched off/,
  );
  assert.deepEqual(found(await world.render(repository, recursive, submodules)), [
    'ConfigMap a app/a.yaml:1',
    'ConfigMap b app/sub/b.yaml:1',
  ]);
  const inside = await world.render(repository, { path: 'app/sub' }, submodules);
  assert.deepEqual(found(inside), ['ConfigMap b app/sub/b.yaml:1']);
  repository.git('rm', '--quiet', 'app/sub');
  repository.git('commit', '--quiet', '--message', 'Remove');
  assert.equal((await world.render(repository, recursive, submodules)).objects.length, 1);
});

test('what .gitattributes of a folder above says counts as a change of the files', async () => {
  const repository = world.repositoryOf({
    'app/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  from: "$Id$"\n',
  });
  const id = repository.git('rev-parse', 'HEAD:app/a.yaml');
  const from = async () =>
    (await world.render(repository)).objects.map(({ object }) => (object as { data?: { from?: string } }).data?.from);
  assert.deepEqual(await from(), ['$Id$']);
  repository.commit({ '.gitattributes': 'app/*.yaml ident\n' });
  assert.deepEqual(await from(), [`$Id: ${id} $`]);
  repository.commit({ '.gitattributes': 'app/*.yaml filter=crypt\n' });
  assert.equal((await diagnosisOf(world.render(repository))).code, 'FileNotConverted');
});

test('one caller that gives up does not take the result from the others', async () => {
  const repository = world.repositoryOf({ 'app/a.yaml': configMap('a') });
  const { maxAge: _, ...request } = requestFor(repository);
  const controller = new AbortController();
  const first = world.manifests.render({ ...request, signal: controller.signal });
  const second = world.manifests.render(request);
  controller.abort(new Error('enough'));
  await assert.rejects(first, /enough/);
  assert.equal((await second).objects.length, 1);
});

test('overrides in the repository change the options, the application’s own last, but never what is read from where', async () => {
  const repository = world.repositoryOf({
    'app/a.yaml': configMap('a'),
    'app/sub/b.yaml': configMap('b'),
    'app/.argocd-source.yaml': 'path: elsewhere\ntargetRevision: x\ndirectory:\n  recurse: true\n  exclude: .argocd*\n',
    'app/.argocd-source-other.yaml': 'directory:\n  recurse: null\n',
  });
  assert.deepEqual(found(await world.render(repository)), ['ConfigMap a app/a.yaml:1', 'ConfigMap b app/sub/b.yaml:1']);
  assert.deepEqual(
    found(
      await world.render(repository, {}, { application: { name: 'other', namespace: 'argocd', project: 'default' } }),
    ),
    ['ConfigMap a app/a.yaml:1'],
  );
});

test('a commit that touches nothing that was read gives the same objects; one that does gives new ones', async () => {
  const repository = world.repositoryOf({
    'app/a.yaml': configMap('a'),
    'app/README.md': '1',
    'other/b.yaml': configMap('b'),
  });
  const first = await world.render(repository);
  const unrelated = repository.commit({
    'app/README.md': '2',
    'other/b.yaml': configMap('bb'),
    'app/sub/new.yaml': configMap('n'),
  });
  const second = await world.render(repository);
  assert.equal(second.revision, unrelated);
  assert.equal(second.objects, first.objects);
  assert.deepEqual(second.readSet, first.readSet);
  assert.equal(second.digest, first.digest);
  repository.commit({ 'app/b.yaml': configMap('c') });
  const third = await world.render(repository);
  assert.deepEqual(found(third), ['ConfigMap a app/a.yaml:1', 'ConfigMap c app/b.yaml:1']);
  assert.notEqual(third.digest, first.digest);
  assert.throws(() => {
    (third.objects[0]!.object.metadata as { name?: string }).name = 'changed';
  }, TypeError);
});

test('a failure is kept with its age until a commit mends it', async () => {
  const repository = world.repositoryOf({ 'app/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n\tname: a\n' });
  let now = 1_000_000;
  const clocked = world.manifestsOf({ clock: { now: () => now, sleep: () => Promise.resolve() } });
  const since = async () =>
    (await diagnosisOf(clocked.render(requestFor(repository)))).evidence.find(({ name }) => name === 'failing since')
      ?.value;
  const first = await since();
  now += 60_000;
  repository.commit({ 'other.txt': 'x' });
  assert.equal(await since(), first);
  repository.commit({ 'app/a.yaml': configMap('a') });
  assert.deepEqual(found(await clocked.render(requestFor(repository))), ['ConfigMap a app/a.yaml:1']);
});

test('a marked file is skipped, and the last of two equal keys counts with a warning', async () => {
  const repository = world.repositoryOf({
    'app/a.yaml': `# +argocd:skip-file-rendering\n${configMap('a')}`,
    'app/b.yaml': configMap('b', 'data:\n  x: "1"\n  x: "2"\n'),
  });
  const rendered = await world.render(repository);
  assert.deepEqual(found(rendered), ['ConfigMap b app/b.yaml:1']);
  assert.deepEqual(rendered.objects[0]?.object.data, { x: '2' });
  assert.deepEqual(
    rendered.warnings.map(({ code, place }) => `${code} ${place?.line}`),
    ['DuplicateKeys 7'],
  );
});
