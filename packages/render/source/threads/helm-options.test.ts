import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { ApplicationSourceHelm } from '@tiphys/api';
import { DiagnosisError } from '@tiphys/diagnosis';
import { GitRepositories } from '@tiphys/git';
import { TestRepository } from '@tiphys/git/testing';
import { substitute } from '../request/build-environment.ts';
import { ReferencedSources } from '../request/referenced-sources.ts';
import { helmInvocation } from './helm-options.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-helm-options-'));
const git = new GitRepositories({ cacheDir: join(folder, 'cache'), localRepositories: 'any' });
const repository = new TestRepository(join(folder, 'repo'));
writeFileSync(join(folder, 'MARKER.yaml'), 'marker: 1\n');
const commit = repository.commit({
  'chart/Chart.yaml': 'name: x\n',
  'chart/values.yaml': '',
  'chart/a.yaml': 'a: 1\n',
  'chart/b.yaml': 'b: 1\n',
  'chart/envs/dev/x.yaml': 'x: 1\n',
  'chart/envs/x.yaml': 'x: 0\n',
  'chart/link.yaml': { link: '../../MARKER.yaml' },
  'chart/inner.yaml': { link: '../shared/common.yaml' },
  'shared/common.yaml': 'common: 1\n',
});

after(async () => {
  await git.close();
  rmSync(folder, { recursive: true, force: true });
});

async function invoke(helm: ApplicationSourceHelm, name = 'shop') {
  const environment = { ARGOCD_APP_NAME: 'shop', ENV: 'dev' };
  const request = {
    application: { name, namespace: 'argocd', project: 'default' },
    source: { repoURL: repository.path, path: 'chart', helm },
    repository: { url: repository.path },
    destinationNamespace: 'web',
    cluster: { kubeVersion: 'v1.34.4+k3s1', apiVersions: ['v1'] },
  };
  return helmInvocation(request, await git.open({ url: repository.path }, commit), {
    folder: 'chart',
    ignoreMissing: false,
    maxBytes: 1e6,
    references: new ReferencedSources(
      request,
      () => assert.fail('no source is referred to'),
      () => undefined,
    ),
    schemes: [],
    substitute: (text) => substitute(text, environment),
    isVariable: (name) => name in environment,
    fetch: () => assert.fail('nothing is fetched'),
  });
}

const pathsOf = async (...valueFiles: string[]) => (await invoke({ valueFiles })).values.map(({ path }) => path);

test('values files are found beside the chart, from the root, by variables and by globs, each once at its place', async () => {
  assert.deepEqual(await pathsOf('b.yaml', './a.yaml', '/shared/common.yaml', 'b.yaml'), [
    'chart/b.yaml',
    'chart/a.yaml',
    'shared/common.yaml',
  ]);
  assert.deepEqual(await pathsOf('envs/$ENV/x.yaml', '../shared/common.yaml', 'inner.yaml'), [
    'chart/envs/dev/x.yaml',
    'shared/common.yaml',
    'chart/inner.yaml',
  ]);
  assert.deepEqual(await pathsOf('[ab].yaml'), ['chart/a.yaml', 'chart/b.yaml']);
  assert.deepEqual(await pathsOf('[ab].yaml', 'a.yaml'), ['chart/b.yaml', 'chart/a.yaml']);
  assert.deepEqual(await pathsOf('envs/**/x.yaml'), ['chart/envs/dev/x.yaml', 'chart/envs/x.yaml']);
  assert.deepEqual(await pathsOf('envs/*/x.yaml'), ['chart/envs/dev/x.yaml']);
  assert.deepEqual(await pathsOf('/shared/*'), ['shared/common.yaml']);
});

// CVE-2022-24348, CVE-2022-24731, CVE-2022-31036.
for (const path of [
  '../../MARKER.yaml',
  '/../MARKER.yaml',
  'file:///etc/passwd',
  'http:/../MARKER.yaml',
  'ftp://x/y',
  'link.yaml',
  'l*.yaml',
  '../..',
  '/',
  'x\n/../../../y',
  '..\\..\\MARKER.yaml',
]) {
  test(`the file ${JSON.stringify(path)} is refused as a values file and as a file parameter`, async () => {
    for (const helm of [{ valueFiles: [path] }, { fileParameters: [{ name: 'x', path }] }]) {
      if (path.includes('*') && 'fileParameters' in helm) continue;
      await assert.rejects(invoke(helm), (error: unknown) => {
        assert.ok(error instanceof DiagnosisError, String(error));
        assert.match(error.diagnosis.code, /^(ValueFileOutside|LinkLeavesRepository)$/);
        assert.ok(!JSON.stringify(error.diagnosis).includes('marker: 1'));
        return true;
      });
    }
  });
}

test('a missing file names its neighbours, or is left out when asked', async () => {
  await assert.rejects(invoke({ valueFiles: ['aa.yaml'] }), (error: unknown) => {
    assert.ok(error instanceof DiagnosisError);
    assert.equal(error.diagnosis.place?.field, 'spec.source.helm.valueFiles[0]');
    return error.diagnosis.evidence.some(({ name, value }) => name === 'nearest names' && value.startsWith('a.yaml'));
  });
  await assert.rejects(invoke({ valueFiles: ['z*.yaml'] }), /values file glob "z\*\.yaml" matched no files/);
  const { values } = await invoke({ valueFiles: ['aa.yaml', 'z*.yaml', 'a.yaml'], ignoreMissingValueFiles: true });
  assert.deepEqual(
    values.map(({ path }) => path),
    ['chart/a.yaml'],
  );
});

test('parameters, inline values and the rest come out as helm takes them', async () => {
  const invocation = await invoke({
    valueFiles: ['a.yaml'],
    values: 'ignored: true',
    valuesObject: { given: [1] },
    parameters: [
      { name: 'image', value: 'old' },
      { name: 'image', value: 'a,b\\,c' },
      { name: 'list', value: '{a,b}' },
      { name: 'name', value: '$ARGOCD_APP_NAME-$$x', forceString: true },
    ],
    fileParameters: [{ name: 'file', path: 'b.yaml' }],
    skipCrds: true,
  });
  assert.deepEqual(
    invocation.values.map(({ path, text }) => [path, text]),
    [
      ['chart/a.yaml', 'a: 1\n'],
      ['spec.source.helm.valuesObject', '{\n "given": [\n  1\n ]\n}'],
    ],
  );
  assert.deepEqual(invocation.set, ['image=a\\,b\\,c', 'list={a,b}']);
  assert.deepEqual(invocation.setString, ['name=shop-$x']);
  assert.deepEqual(invocation.setFile, [{ name: 'file', path: 'chart/b.yaml', content: 'b: 1\n' }]);
  assert.deepEqual(
    [
      invocation.releaseName,
      invocation.namespace,
      invocation.kubeVersion,
      invocation.apiVersions,
      invocation.includeCrds,
    ],
    ['shop', 'web', '1.34.4', ['v1'], false],
  );
  assert.equal((await invoke({}, 'team-a_shop')).releaseName, 'shop');
});

test('what lies elsewhere is refused unless its scheme or its source is allowed', async () => {
  for (const [path, message] of [
    ['https://example.com/v.yaml', /the URL scheme 'https' is not allowed \(field spec.source.helm.valueFiles\[0\]\)/],
    ['$values/v.yaml', /no source has a 'ref' field defined/],
  ] as const)
    await assert.rejects(invoke({ valueFiles: [path] }), message);
});
