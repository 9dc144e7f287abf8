import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { kustomizeCommand } from '../command/kustomize-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-kustomize-edit-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'kustomization.yaml');

async function edit(text: string, ...args: string[]): Promise<{ text: string; code: number; error: string }> {
  writeFileSync(file, text);
  writeFileSync(join(folder, 'a.yaml'), '');
  writeFileSync(join(folder, 'b.yaml'), '');
  let error = '';
  const code = await kustomizeCommand(['edit', ...args], {
    workdir: folder,
    env: {},
    out: () => undefined,
    error: (printed) => {
      error += printed;
    },
  });
  return { text: readFileSync(file, 'utf8'), code, error };
}

const commented = `# what is deployed
resources:
# the shop
- a.yaml

# set by the updater
images:
- name: web
  newTag: "1"
# the end
namespace: shop
`;

test('an image updater changes its tag; comments and the order of fields stay', async () => {
  const { text } = await edit(commented, 'set', 'image', 'web=mirror/web:2.0', 'db@sha256:abc');
  assert.equal(
    text,
    `# what is deployed
# the shop
resources:
- a.yaml

# set by the updater
images:
- digest: sha256:abc
  name: db
- name: web
  newName: mirror/web
  newTag: "2.0"
# the end
namespace: shop
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
`,
  );
});

test('an asterisk keeps what is there', async () => {
  const kept = await edit(commented, 'set', 'image', 'web=mirror:*');
  assert.match(kept.text, /- name: web\n {2}newName: mirror\n {2}newTag: "1"\n/);
});

test('names, namespaces, replicas, labels and annotations are set in their fields', async () => {
  const has = async (wanted: RegExp, ...args: string[]) => assert.match((await edit(commented, ...args)).text, wanted);
  await has(/^namespace: prod$/m, 'set', 'namespace', 'prod');
  await has(/^namePrefix: -p$/m, 'set', 'nameprefix', '--', '-p');
  await has(/^nameSuffix: -s$/m, 'set', 'namesuffix', '--', '-s');
  await has(/^replicas:\n- count: 3\n {2}name: web$/m, 'set', 'replicas', 'web=3');
  await has(/^commonLabels:\n {2}a: b c$/m, 'set', 'label', 'a:"b c"');
  await has(/^commonAnnotations:\n {2}a: "1"$/m, 'set', 'annotation', 'a:1');
  await has(
    /^labels:\n- includeTemplates: true\n {2}pairs:\n {4}a: b$/m,
    ...['add', 'label', '--without-selector', '--include-templates', 'a:b'],
  );
});

test('files are added once, and only if they are there', async () => {
  assert.match((await edit(commented, 'add', 'resource', '*.yaml')).text, /^resources:\n- a.yaml\n- b.yaml$/m);
  const missing = await edit(commented, 'add', 'resource', 'nope.yaml');
  assert.equal(missing.code, 1);
  assert.equal(missing.text, commented);
  assert.match(missing.error, /^Error: nope.yaml has no match: /);
  assert.match((await edit(commented, 'add', 'resource', '--no-verify', 'nope.yaml')).text, /- nope.yaml/);
});

test('what can not be done leaves the file alone and says why', async () => {
  for (const [args, message] of [
    [['set', 'image', 'bad'], /^Error: invalid format of image/],
    [['set', 'replicas', 'web=many'], /^Error: invalid format of replica/],
    [['add', 'label', ':x'], /^Error: invalid label: ':x'/],
    [['set', 'colour', 'blue'], /^Error: unknown command "set colour" for "kustomize edit"/],
  ] as const) {
    const { text, code, error } = await edit(commented, ...args);
    assert.deepEqual([text, code], [commented, 1]);
    assert.match(error, message);
  }
});

test('fix moves deprecated fields to their successors', async () => {
  const old = 'bases: []\ncommonLabels: {a: b}\npatchesJson6902: [{path: b.yaml, target: {kind: X}}]\nresources: []\n';
  assert.equal(
    (await edit(old, 'fix')).text,
    `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
labels:
- includeSelectors: true
  pairs:
    a: b
patches:
- path: b.yaml
  target:
    kind: X
`,
  );
});

test('literals and namespaces of generators are set, generators are removed', async () => {
  const generators = `configMapGenerator:
- name: a
  literals: [x=1, y=2]
- name: a
  namespace: other
  literals: [x=1]
secretGenerator: [{name: s, literals: [p=1]}]
buildMetadata: [originAnnotations, managedByLabel]
`;
  const text = async (...args: string[]) => (await edit(generators, ...args)).text;
  assert.match(
    await text('set', 'configmap', 'a', '--from-literal=x=9'),
    /literals:\n {2}- x=9\n {2}- y=2\n {2}name: a\n/,
  );
  assert.match(
    await text('set', 'configmap', 'a', '--namespace=other', '--new-namespace=prod'),
    /name: a\n {2}namespace: prod\n/,
  );
  assert.doesNotMatch(await text('remove', 'configmap', 'a'), /y=2/);
  assert.match(await text('remove', 'configmap', 'a'), /namespace: other/);
  assert.doesNotMatch(await text('remove', 'secret', 's'), /secretGenerator/);
  assert.match(await text('remove', 'buildmetadata', 'originAnnotations'), /buildMetadata:\n- managedByLabel\n/);
  const missing = await edit(generators, 'set', 'secret', 's', '--from-literal=q=1');
  assert.match(
    missing.error,
    /^Error: failed to create secret: failed to update literal sources: key 'q' not found in resource\n/,
  );
  assert.match((await edit(generators, 'remove', 'secret', 'q')).error, /^Error: no specified secret\(s\) were found/);
  assert.match(
    (await edit(generators, 'add', 'configmap', 'a', '--from-literal=x=5')).error,
    /illegally repeats the key `x`/,
  );
});

test('fix --vars writes replacements, and placeholders into the files', async () => {
  writeFileSync(
    join(folder, 'web.yaml'),
    'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {a: $(HOST), "b.c": "x:$(HOST)"}\n',
  );
  const { text } = await edit(
    'resources: [web.yaml]\nvars: [{name: HOST, objref: {kind: Service, name: svc, apiVersion: v1}}]\n',
    'fix',
    '--vars',
  );
  assert.match(readFileSync(join(folder, 'web.yaml'), 'utf8'), /a: HOST_PLACEHOLDER, "b\.c": "x:HOST_PLACEHOLDER"/);
  assert.match(
    text,
    /replacements:\n- source:\n {4}kind: Service\n {4}name: svc\n {4}version: v1\n {2}targets:\n {2}- fieldPaths:\n {4}- spec\.a\n {4}select:\n {6}kind: Pod\n {6}name: web\n {6}version: v1\n {2}- fieldPaths:\n {4}- spec\.\["b\.c"\]\n {4}options:\n {6}delimiter: ':'\n {6}index: 1\n/,
  );
  assert.doesNotMatch(text, /vars:/);
});

test('create names what is there', async () => {
  const fresh = mkdtempSync(join(folder, 'create-'));
  writeFileSync(join(fresh, 'a.yaml'), 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n');
  writeFileSync(join(fresh, 'notes.txt'), 'no resource');
  const errors: string[] = [];
  const run = (...args: string[]) =>
    kustomizeCommand(['create', ...args], {
      workdir: fresh,
      env: {},
      out: () => undefined,
      error: (text) => errors.push(text),
    });
  assert.equal(await run('--autodetect', '--nameprefix', 'p-', '--labels', 'a:b,c:"d"'), 0);
  assert.equal(
    readFileSync(join(fresh, 'kustomization.yaml'), 'utf8'),
    'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- a.yaml\nnamePrefix: p-\ncommonLabels:\n  a: b\n  c: d\n',
  );
  assert.equal(await run(), 1);
  assert.match(errors.join(''), /^Error: kustomization file already exists/);
});
