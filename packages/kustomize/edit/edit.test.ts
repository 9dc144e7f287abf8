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
