import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuildRequest, buildKustomization } from './build/build.ts';
import { KustomizeError } from './failure/kustomize-error.ts';
import { memoryTree } from './load/file-tree.ts';
import type { Node } from './tree/node.ts';

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 1
  template:
    spec:
      containers:
      - name: web
        image: nginx:1.27
`;

type Files = Record<string, string>;
const build = (files: Files, more: Partial<BuildRequest> = {}) =>
  buildKustomization({ tree: memoryTree(files), path: '/top', ...more });

async function failureOf(files: Files, more: Partial<BuildRequest> = {}): Promise<KustomizeError> {
  const error = await build(files, more).then(
    () => assert.fail('it built'),
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof KustomizeError, String(error));
  return error;
}

const base = { 'base/kustomization.yaml': 'resources: [web.yaml]\n', 'base/web.yaml': deployment };

test('every field knows the file and line that wrote it, and the entry that changed it', async () => {
  const built = await build({
    ...base,
    'top/kustomization.yaml':
      'resources: [../base]\nnamespace: shop\nimages:\n- name: nginx\n  newTag: "2"\npatches:\n- path: more.yaml\n',
    'top/more.yaml':
      'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  template:\n    spec:\n      hostNetwork: true\n',
  });
  const leaf = (...path: (string | number)[]): string => {
    let node: Node | undefined = built.resources[0]?.node;
    for (const part of path) node = typeof part === 'number' ? node?.content[part] : node?.get(part);
    return `${node?.value} ${node?.origin?.file}:${node?.line} ${node?.origin?.entry ?? ''}`.trim();
  };
  const pod = ['spec', 'template', 'spec'];
  assert.equal(leaf('spec', 'replicas'), '1 base/web.yaml:6');
  assert.equal(leaf('metadata', 'namespace'), 'shop top/kustomization.yaml:2 namespace');
  assert.equal(leaf(...pod, 'containers', 0, 'image'), 'nginx:2 top/kustomization.yaml:4 images[0]');
  assert.equal(leaf(...pod, 'hostNetwork'), 'true top/more.yaml:8 patches[0]');
  assert.deepEqual(built.objects[0]?.origin, {
    file: 'base/web.yaml',
    line: 1,
    written: [
      { path: 'metadata.namespace', entry: 'namespace', file: 'top/kustomization.yaml', line: 2 },
      {
        path: 'spec.template.spec.containers[0].image',
        entry: 'images[0]',
        file: 'top/kustomization.yaml',
        line: 4,
      },
      { path: 'spec.template.spec.hostNetwork', entry: 'patches[0]', file: 'top/more.yaml', line: 8 },
    ],
  });
});

test('what was looked at is told, also what was not there', async () => {
  const { reads } = await build({ ...base, 'top/kustomization.yaml': 'resources: [../base]\n', 'other/x.yaml': '' });
  const found = new Map(reads.map(({ path, found: kind }) => [path, kind]));
  assert.equal(found.get('base/web.yaml'), 'file');
  assert.equal(found.get('base'), 'folder');
  assert.equal(found.get('top/kustomization.yml'), 'nothing');
  assert.equal(found.has('other/x.yaml'), false);
});

test('a target that does not match is told with the entry and with what was near', async () => {
  const { diagnosis, goMessage } = await failureOf({
    'top/kustomization.yaml': 'resources: [web.yaml]\nreplicas:\n- name: wbe\n  count: 3\n',
    'top/web.yaml': deployment,
  });
  assert.match(goMessage, /^resource with name wbe does not match a config with the following GVK \[/);
  assert.deepEqual(diagnosis.place, { file: 'top/kustomization.yaml', line: 3, field: 'replicas[0]' });
  assert.equal(
    diagnosis.evidence.find(({ name }) => name === 'resources that have replicas')?.value,
    'Deployment.v1.apps/web.[noNs]',
  );
});

test('a field that is not known is told with its line and the field that was meant', async () => {
  const { diagnosis, goMessage } = await failureOf({
    'top/kustomization.yaml': 'resources: [web.yaml]\nnamespce: shop\n',
    'top/web.yaml': deployment,
  });
  assert.equal(goMessage, 'invalid Kustomization: json: unknown field "namespce"');
  assert.deepEqual(diagnosis.place, { file: 'top/kustomization.yaml', line: 2 });
  assert.deepEqual(diagnosis.remedies, [{ text: 'Did you mean namespace?' }]);
});

test('two resources with one id are told with both places', async () => {
  const { diagnosis } = await failureOf({
    'top/kustomization.yaml': 'resources: [a.yaml, b.yaml]\n',
    'top/a.yaml': deployment,
    'top/b.yaml': deployment,
  });
  assert.deepEqual([diagnosis.place?.file, diagnosis.place?.line], ['top/b.yaml', 1]);
  assert.equal(diagnosis.evidence.find(({ name }) => name === 'is also at')?.value, 'top/a.yaml:1');
});

test('kustomizations that lead in a circle, or too deep, end', async () => {
  const circle = await failureOf({
    'top/kustomization.yaml': 'resources: [../b]\n',
    'b/kustomization.yaml': 'resources: [../top]\n',
  });
  assert.match(circle.goMessage, /cycle detected: candidate root '\/top' contains visited root '\/top'/);
  const self = await failureOf({ 'top/kustomization.yaml': 'resources: [.]\n' });
  assert.match(self.goMessage, /cycle detected/);
  const chain: Files = { 'top/kustomization.yaml': 'resources: [../k0]\n' };
  for (let i = 0; i < 5000; i++) chain[`k${i}/kustomization.yaml`] = `resources: [../k${i + 1}]\n`;
  assert.equal((await failureOf(chain)).diagnosis.code, 'KustomizationTooLarge');
});

test('no field reaches a file outside of its kustomization', async () => {
  const outside = ['../secret.txt', '/secret.txt', '../top/../secret.txt'];
  const files = { 'secret.txt': 'apiVersion: v1\nkind: Secret\nmetadata: {name: x}\n', 'top/web.yaml': deployment };
  const fields = (path: string): string[] => [
    `resources: ["${path}"]`,
    `resources: [web.yaml]\nconfigMapGenerator: [{name: a, files: ["${path}"]}]`,
    `resources: [web.yaml]\nconfigMapGenerator: [{name: a, envs: ["${path}"]}]`,
    `resources: [web.yaml]\nsecretGenerator: [{name: a, files: ["k=${path}"]}]`,
    `resources: [web.yaml]\npatches: [{path: "${path}", target: {kind: Deployment}}]`,
    `resources: [web.yaml]\npatchesStrategicMerge: ["${path}"]`,
    `resources: [web.yaml]\npatchesJson6902: [{path: "${path}", target: {kind: Deployment, name: web}}]`,
    `resources: [web.yaml]\nreplacements: [{path: "${path}"}]`,
    `resources: [web.yaml]\nconfigurations: ["${path}"]`,
    `resources: [web.yaml]\ncrds: ["${path}"]`,
    `resources: [web.yaml]\nopenapi: {path: "${path}"}`,
    `resources: [web.yaml]\ntransformers: ["${path}"]`,
    `resources: [web.yaml]\ngenerators: ["${path}"]`,
    `helmCharts: [{name: x, valuesFile: "${path}"}]`,
    `helmCharts: [{name: x, additionalValuesFiles: ["${path}"]}]`,
  ];
  const chart = { 'top/charts/x/Chart.yaml': 'apiVersion: v2\nname: x\nversion: 1.0.0\n' };
  for (const path of outside)
    for (const text of fields(path)) {
      const { goMessage, diagnosis } = await failureOf(
        { ...files, ...chart, 'top/kustomization.yaml': `${text}\n` },
        { enableHelm: true },
      );
      assert.match(goMessage, /security; file '\/secret.txt' is not in or below '\/top'/, text);
      assert.equal(diagnosis.code, 'KustomizationEscapes', text);
    }
});

test('functions and programs are refused, remote bases and files too unless the caller gives them', async () => {
  const plugin = (text: string) => ({
    'top/kustomization.yaml': 'resources: [web.yaml]\ntransformers: [t.yaml]\n',
    'top/web.yaml': deployment,
    'top/t.yaml': text,
  });
  const run = 'apiVersion: x.io/v1\nkind: Run\nmetadata:\n  name: x\n';
  for (const body of ['container: {image: busybox}', 'exec: {path: ./x.sh}']) {
    const text = `${run}  annotations:\n    config.kubernetes.io/function: |\n      ${body}\n`;
    assert.equal(
      (await failureOf(plugin(text))).goMessage,
      "external plugins disabled; unable to load external plugin 'Run'",
    );
  }
  for (const url of [
    'https://git.example.com/org/repo?ref=v1',
    'git@git.example.com:org/repo',
    'https://x.test/a.yaml',
  ])
    assert.match(
      (await failureOf({ 'top/kustomization.yaml': `resources: ["${url}"]\n` })).goMessage,
      /can not be read: remote (bases|files) are not enabled here/,
    );
});

test('the same input gives the same output, and building changes no input', async () => {
  const files = {
    ...base,
    'top/kustomization.yaml':
      'resources: [../base]\nnamePrefix: p-\nlabels: [{pairs: {a: b}, includeSelectors: true}]\nconfigMapGenerator: [{name: c, literals: [x=y]}]\n',
  };
  const tree = memoryTree(files);
  const [first, second] = await Promise.all([
    buildKustomization({ tree, path: '/top' }),
    buildKustomization({ tree, path: '/top' }),
  ]);
  assert.equal(first.yaml, second.yaml);
  assert.deepEqual(first.reads, second.reads);
});

test('resources at http addresses are read; pages of repositories are cloned, what is not there is told', async () => {
  const asked: string[] = [];
  const answers: Record<string, { status: number; text: string; contentType?: string }> = {
    'https://example.com/web.yaml': { status: 200, text: deployment },
    'https://example.com/gone.yaml': { status: 404, text: 'no' },
    'https://github.com/org/repo': { status: 200, text: '<html>', contentType: 'text/html; charset=utf-8' },
  };
  const remotes: BuildRequest['remotes'] = {
    async repository({ repoPath, ref }) {
      asked.push(`clone ${repoPath} ${ref}`);
      return {
        tree: memoryTree({ 'kustomization.yaml': `configMapGenerator: [{name: x${ref}, literals: [a=b]}]\n`, ...base }),
        root: '/',
      };
    },
    async file(url) {
      asked.push(url);
      const { status, text, contentType } = answers[url] ?? { status: 500, text: '' };
      const statusText = `${status} ${status === 404 ? 'Not Found' : 'OK'}`;
      return { status, statusText, body: Buffer.from(text), ...(contentType ? { contentType } : {}) };
    },
  };
  const resources = (...list: string[]) => ({ 'top/kustomization.yaml': `resources: ${JSON.stringify(list)}\n` });
  assert.match((await build(resources('https://example.com/web.yaml'), { remotes })).yaml, /image: nginx:1\.27/);
  const gone = await failureOf(resources('https://example.com/gone.yaml'), { remotes });
  assert.equal(
    gone.goMessage,
    "accumulating resources: accumulating resources from 'https://example.com/gone.yaml': HTTP Error: status code 404 (Not Found)",
  );
  assert.deepEqual(
    [gone.diagnosis.place?.file, gone.diagnosis.place?.field],
    ['top/kustomization.yaml', 'resources[0]'],
  );
  await build(resources('https://github.com/org/repo', 'https://github.com/org/other?ref=v1'), { remotes });
  assert.deepEqual(asked.slice(2), ['https://github.com/org/repo', 'clone org/repo ', 'clone org/other v1']);
});

test('what copies a part of a resource into itself again and again is stopped', async () => {
  const times = Array.from({ length: 60 }, (_, i) => i);
  const resource = { 'top/x.yaml': 'apiVersion: v1\nkind: X\nmetadata: {name: x}\nspec: {a: b}\n' };
  const operations = times.map((i) => ({ op: 'copy', from: '/spec', path: `/spec/x${i}` }));
  const replacements = (options: object, path: (i: number) => string, from: string) =>
    times.map((i) => ({
      source: { kind: 'X', fieldPath: from },
      targets: [{ select: { kind: 'X' }, fieldPaths: [path(i)], options }],
    }));
  for (const fields of [
    { patches: [{ target: { kind: 'X' }, patch: JSON.stringify(operations) }] },
    { replacements: replacements({ create: true }, (i) => `spec.x${i}`, 'spec') },
    { replacements: replacements({ delimiter: ',', index: 9e9 }, () => 'spec.a', 'spec.a') },
  ]) {
    const error = await failureOf({
      ...resource,
      'top/kustomization.yaml': JSON.stringify({ resources: ['x.yaml'], ...fields }),
    });
    assert.equal(error.diagnosis.code, 'KustomizationTooLarge');
    assert.equal(error.diagnosis.place?.file, 'top/kustomization.yaml');
  }
});
