import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildKustomization, KustomizeError, memoryTree } from '../index.ts';

const web = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 1
  template:
    spec:
      containers:
      - name: main
        image: main:1
      - name: side
        image: side:1
`;

async function build(files: Readonly<Record<string, string>>) {
  return buildKustomization({ tree: memoryTree(files), path: '/app' });
}

async function failure(files: Readonly<Record<string, string>>): Promise<KustomizeError> {
  const error = await build(files).then(
    () => undefined,
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof KustomizeError);
  return error;
}

test('every field knows whether a file or a patch wrote it', async () => {
  const { resources } = await build({
    '/app/kustomization.yaml': 'resources: [web.yaml]\npatches:\n- path: patch.yaml\n',
    '/app/web.yaml': web,
    '/app/patch.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers:
      - name: side
        image: side:2
`,
  });
  const containers = resources[0]?.node.get('spec')?.get('template')?.get('spec')?.get('containers');
  const side = containers?.content.find((item) => item.get('name')?.value === 'side')?.get('image');
  assert.equal(side?.value, 'side:2');
  assert.deepEqual(side?.origin, {
    file: 'app/patch.yaml',
    entry: 'patches[0]',
    kustomization: 'app/kustomization.yaml',
  });
  assert.equal(side?.line, 9);
  const main = containers?.content.find((item) => item.get('name')?.value === 'main')?.get('image');
  assert.deepEqual([main?.origin, main?.line], [{ file: 'app/web.yaml' }, 11]);
});

test('what a JSON patch writes has its entry; what it leaves keeps its file', async () => {
  const { resources } = await build({
    '/app/kustomization.yaml': `resources: [web.yaml]
patches:
- target: {kind: Deployment}
  patch: |
    - {op: replace, path: /spec/replicas, value: 3}
`,
    '/app/web.yaml': web,
  });
  const replicas = resources[0]?.node.get('spec')?.get('replicas');
  assert.deepEqual([replicas?.value, replicas?.origin?.entry], ['3', 'patches[0]']);
  assert.deepEqual(resources[0]?.node.get('kind')?.origin, { file: 'app/web.yaml' });
});

test('a patch without a target names what resembles it', async () => {
  const { diagnosis, goMessage } = await failure({
    '/app/kustomization.yaml': 'resources: [web.yaml]\npatches:\n- path: patch.yaml\n',
    '/app/web.yaml': web,
    '/app/patch.yaml': 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: wep}\n',
  });
  assert.equal(
    goMessage,
    'no resource matches strategic merge patch "Deployment.v1.apps/wep.[noNs]": no matches for Id Deployment.v1.apps/wep.[noNs]; failed to find unique target for patch Deployment.v1.apps/wep.[noNs]',
  );
  assert.deepEqual([diagnosis.place?.file, diagnosis.place?.line], ['app/patch.yaml', 1]);
  const evidence = Object.fromEntries(diagnosis.evidence.map(({ name, value }) => [name, value]));
  assert.equal(evidence['same kind'], 'Deployment.v1.apps/web.[noNs]');
  assert.equal(evidence['entry'], 'app/kustomization.yaml:3 patches[0]');
});

test('an operation that finds no path says how far the path leads', async () => {
  const { diagnosis } = await failure({
    '/app/kustomization.yaml': 'resources: [web.yaml]\npatches:\n- path: ops.yaml\n  target: {name: web}\n',
    '/app/web.yaml': web,
    '/app/ops.yaml':
      '- {op: test, path: /kind, value: Deployment}\n- {op: add, path: /spec/template/meta/labels/a, value: b}\n',
  });
  assert.deepEqual([diagnosis.place?.file, diagnosis.place?.line], ['app/ops.yaml', 2]);
  const evidence = Object.fromEntries(diagnosis.evidence.map(({ name, value }) => [name, value]));
  assert.equal(evidence['leads as far as'], '/spec/template');
  assert.equal(evidence['there is'], 'spec');
  assert.equal(evidence['resource'], 'Deployment.v1.apps/web.[noNs]');
});

test('a replacement that finds no field says what is there', async () => {
  const { diagnosis } = await failure({
    '/app/kustomization.yaml': `resources: [web.yaml]
replacements:
- sourceValue: x
  targets:
  - select: {kind: Deployment}
    fieldPaths: ['spec.template.spec.containers.[name=mian].image']
`,
    '/app/web.yaml': web,
  });
  assert.equal(diagnosis.place?.field, 'replacements[0]');
  const evidence = Object.fromEntries(diagnosis.evidence.map(({ name, value }) => [name, value]));
  assert.equal(evidence['leads as far as'], 'spec.template.spec.containers');
  assert.equal(evidence['there is'], 'a list of 2: main, side');
});

const listener = (conf: string) => ({
  '/app/kustomization.yaml': `resources: [cm.yaml]
replacements:
- sourceValue: example.com
  targets:
  - select: {kind: ConfigMap}
    fieldPaths: ['data.conf.host']
`,
  '/app/cm.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: cm}
data:
  conf: |
${conf}`,
});

test('a text inside of a field keeps its comments', async () => {
  const { yaml } = await build(listener('    # Where it listens.\n    host: localhost # for now\n    port: 80\n'));
  assert.match(yaml, / conf: \|-\n {4}# Where it listens\.\n {4}host: example\.com # for now\n {4}port: 80\n/);
});

test('a text inside of a field is not written if it would lose its anchors', async () => {
  const { message } = await failure(listener('    host: &host localhost\n    name: *host\n'));
  assert.match(message, /has anchors/);
});
