import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApplicationSource, ApplicationSourceHelm } from '@tiphys/api';
import { DiagnosisError } from '@tiphys/diagnosis';
import type { FileContent, TestRepository } from '@tiphys/git/testing';
import type { ClusterFacts, Rendered } from './request/rendered.ts';
import { SourceWorld } from './testing/source-world.ts';

const world = new SourceWorld();
const chart = (files: Record<string, FileContent>) =>
  world.repositoryOf({ 'chart/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n', ...files });
const render = (
  repository: TestRepository,
  helm?: ApplicationSourceHelm,
  cluster?: ClusterFacts,
  source?: Partial<ApplicationSource>,
): Promise<Rendered> =>
  world.render(repository, { path: 'chart', ...(helm ? { helm } : {}), ...source }, cluster ? { cluster } : {});

const configMap = (name: string, data: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  value: ${data}\n`;
const dataOf = (rendered: Rendered) =>
  rendered.objects.map(({ object }) => (object.data as { value: string } | undefined)?.value);

test('a folder with Chart.yaml is a chart: release, values in order of precedence, and where objects came from', async () => {
  const repository = chart({
    'chart/values.yaml': 'a: chart\nb: chart\nc: chart\nd: chart\ne: chart\n',
    'chart/env.yaml': 'b: file\nc: file\nd: file\ne: file\n',
    'chart/templates/cm.yaml': configMap(
      '{{ .Release.Name }}',
      '"{{ .Release.Namespace }} {{ .Values.a }} {{ .Values.b }} {{ .Values.c }} {{ .Values.d }} {{ .Values.e }}"',
    ),
    'chart/charts/db/Chart.yaml': 'apiVersion: v2\nname: db\nversion: 1.0.0\n',
    'chart/charts/db/templates/cm.yaml': configMap('db', '"{{ .Values.global }}"'),
  });
  const rendered = await render(repository, {
    valueFiles: ['env.yaml'],
    values: 'c: ignored\n',
    valuesObject: { c: 'inline', d: 'inline', e: 'inline' },
    parameters: [
      { name: 'd', value: 'set' },
      { name: 'e', value: '1', forceString: true },
    ],
  });
  assert.equal(rendered.sourceType, 'Helm');
  assert.deepEqual(dataOf(rendered).includes('prod chart file inline set 1'), true, JSON.stringify(dataOf(rendered)));
  assert.deepEqual(rendered.objects.map(({ object, origin }) => `${object.metadata.name} ${origin.file}`).sort(), [
    'db chart/charts/db/templates/cm.yaml',
    'shop chart/templates/cm.yaml',
  ]);
});

test('custom resource definitions, hooks and tests come along as the options say', async () => {
  const repository = chart({
    'chart/crds/crd.yaml':
      'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: x.example.com\n',
    'chart/templates/a.yaml': configMap('a', 'x'),
    'chart/templates/hook.yaml': configMap('hook', 'x').replace(
      'name: hook',
      'name: hook\n  annotations:\n    helm.sh/hook: pre-install',
    ),
    'chart/templates/test.yaml': configMap('test', 'x').replace(
      'name: test',
      'name: test\n  annotations:\n    helm.sh/hook: test',
    ),
  });
  const names = async (helm?: ApplicationSourceHelm) =>
    (await render(repository, helm)).objects.map(({ object }) => object.metadata.name);
  assert.deepEqual(await names(), ['x.example.com', 'a', 'hook', 'test']);
  assert.deepEqual(await names({ skipCrds: true, skipTests: true }), ['a', 'hook']);
});

test('a commit beside the chart renders nothing again, one to a values file does, and so does another cluster version', async () => {
  const repository = chart({
    'chart/templates/a.yaml': configMap('a', '"{{ .Values.x }} {{ .Capabilities.KubeVersion.Version }}"'),
    'values.yaml': 'x: 1\n',
  });
  const helm = { valueFiles: ['/values.yaml'] };
  const first = await render(repository, helm, { kubeVersion: 'v1.33.0' });
  repository.commit({ other: 'x' });
  const second = await render(repository, helm, { kubeVersion: 'v1.33.0' });
  assert.equal(second.objects, first.objects);
  assert.notEqual(second.revision, first.revision);
  assert.deepEqual(dataOf(await render(repository, helm, { kubeVersion: 'v1.34.1' })), ['1 v1.34.1']);
  repository.commit({ 'values.yaml': 'x: 2\n' });
  assert.deepEqual(dataOf(await render(repository, helm, { kubeVersion: 'v1.33.0' })), ['2 v1.33.0']);
  assert.ok(first.readSet.paths.some(({ path }) => path === 'values.yaml'));
});

test('lookup reads the live cluster, also by what another lookup gave, and a changed answer renders anew', async () => {
  const repository = chart({
    'chart/templates/a.yaml': `{{- $first := lookup "v1" "Secret" "prod" "first" }}\n{{- $second := lookup "v1" "Secret" "prod" ($first.data.next | default "none") }}\n${configMap('a', '"{{ $second.data.value }}"')}`,
  });
  let value = 'one';
  const cluster: ClusterFacts = {
    lookup: async ({ name }) =>
      name === 'first' ? { data: { next: 'second' } } : name === 'second' ? { data: { value } } : undefined,
  };
  const first = await render(repository, undefined, cluster);
  assert.deepEqual(dataOf(first), ['one']);
  assert.equal((await render(repository, undefined, cluster)).objects, first.objects);
  value = 'two';
  assert.deepEqual(dataOf(await render(repository, undefined, cluster)), ['two']);
  assert.ok(Object.keys(first.readSet.facts).some((fact) => fact.includes('first')));
  await assert.rejects(render(repository), /next/, 'without a cluster nothing is found');
});

test('what is wrong in a chart is a diagnosis with its file, kept until it changes', async () => {
  const broken = chart({ 'chart/templates/a.yaml': configMap('a', '{{ .Values.a.b }}') });
  for (const _ of [1, 2]) {
    await assert.rejects(render(broken), (error: unknown) => {
      assert.ok(error instanceof DiagnosisError, String(error));
      assert.equal(error.diagnosis.place?.file, 'chart/templates/a.yaml');
      assert.equal(error.diagnosis.cause, 'M1');
      return error.diagnosis.evidence.some(({ name }) => name === 'failing since');
    });
  }
  const nameless = chart({ 'chart/templates/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: web\n' });
  await assert.rejects(
    render(nameless),
    (error: unknown) =>
      error instanceof DiagnosisError &&
      error.diagnosis.cause === 'M9' &&
      error.diagnosis.place?.file === 'chart/templates/a.yaml',
  );
});

test('links inside a chart are followed in the repository only', async () => {
  const repository = chart({
    'shared/cm.yaml': configMap('shared', 'x'),
    'chart/templates/cm.yaml': { link: '../../shared/cm.yaml' },
    'lib/_x.tpl': '{{ define "x" }}y{{ end }}',
    'chart/templates/lib': { link: '../../lib' },
  });
  assert.deepEqual(
    (await render(repository)).objects.map(({ object }) => object.metadata.name),
    ['shared'],
  );
  const escaping = chart({ 'chart/templates/secret.yaml': { link: '../../../outside.yaml' } });
  await assert.rejects(
    render(escaping),
    (error: unknown) =>
      error instanceof DiagnosisError &&
      error.diagnosis.code === 'LinkLeavesRepository' &&
      error.diagnosis.place?.file === 'chart/templates/secret.yaml',
  );
});

for (const [name, template] of [
  ['recursion', '{{ define "x" }}{{ include "x" . }}{{ end }}{{ include "x" . }}'],
  ['a huge range', '{{ range until 100000000 }}x{{ end }}'],
  ['a huge string', '{{ repeat 2000000000 "x" }}'],
  ['growing strings', '{{ $s := "x" }}{{ range until 60 }}{{ $s = printf "%s%s" $s $s }}{{ end }}{{ $s }}'],
] as const) {
  test(`${name} in a chart ends in a diagnosis`, async () => {
    const repository = chart({ 'chart/templates/a.yaml': template });
    await assert.rejects(
      render(repository),
      (error: unknown) => error instanceof DiagnosisError && error.diagnosis.code !== 'InternalError',
    );
  });
}

test('a dependency that is not in charts/ is named, not left out', async () => {
  const repository = chart({
    'chart/Chart.yaml':
      'apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n- name: db\n  version: 1.x.x\n  repository: https://charts.example.com\n',
  });
  await assert.rejects(render(repository), (error: unknown) => {
    assert.ok(error instanceof DiagnosisError);
    assert.equal(error.diagnosis.cause, 'M3');
    return /db/.test(error.diagnosis.message);
  });
});
