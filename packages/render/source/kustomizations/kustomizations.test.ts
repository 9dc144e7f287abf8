import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { ApplicationSource } from '@tiphys/api';
import type { FileContent, TestRepository } from '@tiphys/git/testing';
import { packageChart, startHelmRepository } from '@tiphys/registry/testing';
import type { Rendered, RenderRequest } from '../request/rendered.ts';
import { diagnosisOf, SourceWorld } from '../testing/source-world.ts';

const world = new SourceWorld();
const render = (
  repository: TestRepository,
  kustomize?: ApplicationSource['kustomize'],
  more?: Partial<RenderRequest>,
): Promise<Rendered> => world.render(repository, { path: 'overlay', ...(kustomize ? { kustomize } : {}) }, more);

const replicasOf = ({ objects }: Rendered) => (objects[0]?.object.spec as { replicas: number } | undefined)?.replicas;
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
const files = {
  'base/kustomization.yaml': 'resources: [web.yaml]\n',
  'base/web.yaml': deployment,
  'overlay/kustomization.yaml': 'resources: [../base]\nnamespace: shop\n',
};

test('an overlay is built with all options of the application, and every object knows its file', async () => {
  const repository = world.repositoryOf({
    ...files,
    'extra/kustomization.yaml': 'kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\nnameSuffix: -extra\n',
  });
  const rendered = await render(repository, {
    namePrefix: 'p-',
    nameSuffix: '-s',
    namespace: 'other',
    images: ['nginx=mirror/nginx:${ARGOCD_APP_REVISION_SHORT}'],
    replicas: [{ name: 'web', count: '3' }],
    commonLabels: { team: '$ARGOCD_APP_NAME' },
    labelWithoutSelector: true,
    commonAnnotations: { note: '$ARGOCD_APP_NAME' },
    patches: [{ target: { kind: 'Deployment' }, patch: '- {op: add, path: /spec/paused, value: true}' }],
    components: ['../extra', '../missing'],
    ignoreMissingComponents: true,
  });
  assert.equal(rendered.sourceType, 'Kustomize');
  const [web] = rendered.objects;
  const { written, ...origin } = web?.origin ?? {};
  assert.deepEqual(origin, { file: 'base/web.yaml', line: 1 });
  assert.deepEqual(
    written?.map(({ path, entry, file = '' }) => [
      path,
      entry.replace('spec.source.kustomize.', 'the application: '),
      file,
    ]),
    [
      ['metadata.name', 'nameSuffix', 'extra/kustomization.yaml'],
      ['metadata.name', 'the application: namePrefix', ''],
      ['metadata.name', 'the application: nameSuffix', ''],
      ['metadata.namespace', 'the application: namespace', ''],
      ['metadata.labels.team', 'the application: commonLabels', ''],
      ['metadata.annotations.note', 'the application: commonAnnotations', ''],
      ['spec.replicas', 'the application: replicas[0]', ''],
      ['spec.template.spec.containers[0].image', 'the application: images[0]', ''],
      ['spec.template.metadata.annotations.note', 'the application: commonAnnotations', ''],
      ['spec.paused', 'the application: patches[0]', ''],
    ],
  );
  assert.deepEqual(web?.object, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'p-web-extra-s',
      namespace: 'other',
      labels: { team: 'shop' },
      annotations: { note: '$ARGOCD_APP_NAME' },
    },
    spec: {
      paused: true,
      replicas: 3,
      template: {
        metadata: { annotations: { note: '$ARGOCD_APP_NAME' } },
        spec: { containers: [{ name: 'web', image: `mirror/nginx:${rendered.revision.slice(0, 7)}` }] },
      },
    },
  });
  assert.equal(rendered.readSet.facts.ARGOCD_APP_NAME, 'shop');
});

test('a commit that touches nothing of what was read costs no build; one that does is seen', async () => {
  const repository = world.repositoryOf(files);
  const first = await render(repository);
  repository.commit({ 'docs/readme.md': 'hello\n', 'base/unused.yaml': deployment });
  const second = await render(repository);
  assert.equal(second.objects, first.objects);
  assert.equal(second.digest, first.digest);
  assert.notEqual(second.revision, first.revision);
  const paths = first.readSet.paths.map(({ path }) => path);
  for (const path of ['base/web.yaml', 'base/kustomization.yaml', 'overlay/kustomization.yaml'])
    assert.ok(paths.includes(path), path);
  repository.commit({ 'base/web.yaml': deployment.replace('replicas: 1', 'replicas: 2') });
  const third = await render(repository);
  assert.notEqual(third.digest, first.digest);
  assert.equal(replicasOf(third), 2);
  repository.commit({ 'base/kustomization.yml': 'resources: []\n' });
  assert.match((await diagnosisOf(render(repository))).message, /Found multiple kustomization files/);
});

test('a missing file is told with the entry that names it and the way that led there', async () => {
  const repository = world.repositoryOf({
    ...files,
    'base/kustomization.yaml': 'resources:\n- web.yaml\n- nope.yaml\n',
  });
  const diagnosis = await diagnosisOf(render(repository));
  assert.equal(diagnosis.code, 'KustomizationPathMissing');
  assert.equal(diagnosis.cause, 'M4');
  assert.deepEqual([diagnosis.place?.file, diagnosis.place?.line], ['base/kustomization.yaml', 3]);
  const trail = diagnosis.evidence.find(({ name }) => name === 'built through');
  assert.equal(trail?.value, 'overlay/kustomization.yaml:1 resources[0] → base/kustomization.yaml:3 resources[1]');
});

test('remote bases are read by git at their ref, and asked again for a branch', async () => {
  const base = world.repositoryOf({
    'deploy/kustomization.yaml': 'resources: [web.yaml]\n',
    'deploy/web.yaml': deployment,
  });
  const repository = world.repositoryOf({
    'overlay/kustomization.yaml': `resources: ["file://${base.path}//deploy?ref=main"]\nnamePrefix: far-\n`,
  });
  const first = await render(repository);
  assert.equal(first.objects[0]?.object.metadata.name, 'far-web');
  assert.equal((await render(repository)).objects, first.objects);
  base.commit({ 'deploy/web.yaml': deployment.replace('replicas: 1', 'replicas: 7') });
  const second = await render(repository);
  assert.equal(replicasOf(second), 7);
  const inside = world.repositoryOf({
    'overlay/kustomization.yaml': 'resources: ["https://169.254.169.254/org/repo?ref=main"]\n',
  });
  assert.equal((await diagnosisOf(render(inside))).code, 'RemoteBaseRefused');
});

test('charts need the build option; options that make no sense are refused', async () => {
  const repository = world.repositoryOf({
    'overlay/kustomization.yaml': 'helmCharts: [{name: web, releaseName: r}]\n',
    'overlay/charts/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
    'overlay/charts/web/values.yaml': 'a: 1\n',
    'overlay/charts/web/templates/cm.yaml':
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Release.Name }}"}\ndata: {r: "{{ randAlpha 8 }}"}\n',
  });
  assert.match((await diagnosisOf(render(repository))).message, /must specify --enable-helm/);
  const options = { kustomizeBuildOptions: '--enable-helm --load-restrictor LoadRestrictionsNone' };
  const first = await render(repository, undefined, options);
  assert.deepEqual(first.objects[0]?.origin, { file: 'overlay/charts/web/templates/cm.yaml', line: 1 });
  assert.equal(first.generated?.used.length, 1);
  const again = await render(repository, undefined, { ...options, recorded: first.generated?.used ?? [] });
  assert.deepEqual(again.objects[0]?.object, first.objects[0]?.object);
  for (const flag of ['--output=x', '--no-such-flag', '--load-restrictor=all', '--help', 'other'])
    assert.equal(
      (await diagnosisOf(render(repository, undefined, { kustomizeBuildOptions: flag }))).code,
      'KustomizeOptionInvalid',
    );
});

test('the name of a release may be made by a template, if it makes the same one each time', async () => {
  const named = (template: string) => ({
    'overlay/kustomization.yaml': `helmCharts: [{name: web, nameTemplate: '${template}'}]\n`,
    'overlay/charts/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
    'overlay/charts/web/values.yaml': 'a: 1\n',
    'overlay/charts/web/templates/cm.yaml':
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Release.Name }}"}\n',
  });
  const options = { kustomizeBuildOptions: '--enable-helm' };
  const { objects } = await render(world.repositoryOf(named('web-{{ "Blue" | lower }}')), undefined, options);
  assert.equal(objects[0]?.object.metadata.name, 'web-blue');
  const refused = await diagnosisOf(
    render(world.repositoryOf(named('web-{{ randAlpha 4 | lower }}')), undefined, options),
  );
  assert.match(refused.message, /the nameTemplate calls randAlpha, which gives another name at each build/);
});

test('a chart that is there twice has values of its own each time, and keeps them', async () => {
  const repository = world.repositoryOf({
    'overlay/kustomization.yaml': 'helmCharts: [{name: web, releaseName: a}, {name: web, releaseName: b}]\n',
    'overlay/charts/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
    'overlay/charts/web/values.yaml': 'a: 1\n',
    'overlay/charts/web/templates/cm.yaml':
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Release.Name }}"}\ndata: {r: "{{ randAlpha 8 }}"}\n',
  });
  const options = { kustomizeBuildOptions: '--enable-helm' };
  const values = ({ objects }: Awaited<ReturnType<typeof render>>) =>
    objects.map(({ object }) => (object.data as { r: string }).r);
  const first = await render(repository, undefined, options);
  assert.equal(new Set(values(first)).size, 2);
  const recorded = first.generated?.used ?? [];
  repository.commit({ 'overlay/kustomization.yaml': 'helmCharts: [{name: web, releaseName: b}]\n' });
  const second = await render(repository, undefined, { ...options, recorded });
  assert.deepEqual(values(second), values(first).slice(1));
  assert.equal(second.generated?.fresh.size, 0);
});

const functionFiles = {
  'overlay/kustomization.yaml': 'resources: [web.yaml]\ntransformers: [fn.yaml]\n',
  'overlay/web.yaml': deployment,
  'overlay/fn.yaml': `apiVersion: x/v1
kind: Fn
metadata:
  name: fn
  annotations:
    config.kubernetes.io/function: "{exec: {path: ./fn.sh}}"
`,
  'overlay/fn.sh':
    '#!/bin/sh\nread -r wanted < ../wanted\nsed "s/replicas: 1/replicas: $wanted/; s/nginx:1.27/$ARGOCD_APP_NAME/"\n',
  wanted: '5\n',
} satisfies Record<string, FileContent>;

test('functions run only where the operator lets them, on a copy of the repository, again for every commit', async () => {
  const repository = world.repositoryOf(functionFiles);
  const refused = await diagnosisOf(render(repository));
  assert.match(refused.message, /^external plugins disabled; unable to load external plugin 'Fn'/);
  assert.equal(refused.place?.file, 'overlay/fn.yaml');
  const options = { kustomizeBuildOptions: '--enable-alpha-plugins --enable-exec' };
  const first = await render(repository, undefined, options);
  assert.equal(replicasOf(first), 5);
  assert.match(JSON.stringify(first.objects[0]?.object.spec), /"image":"shop"/);
  const fn = { entry: 'Fn fn', file: 'overlay/fn.yaml', line: 1 };
  assert.deepEqual(first.objects[0]?.origin, {
    file: 'overlay/web.yaml',
    line: 1,
    written: [
      { path: 'spec.replicas', ...fn },
      { path: 'spec.template.spec.containers[0].image', ...fn },
    ],
  });
  repository.commit({ wanted: '6\n' });
  assert.equal(replicasOf(await render(repository, undefined, options)), 6);
});

test('a program of another version is run if the operator registered it', async () => {
  const repository = world.repositoryOf({
    ...files,
    'bin/kustomize': `#!/bin/sh
case "$1" in
  edit) echo "$@" >> log;;
  build) cat "$2/log" | sed 's/^/# /'; echo "---"; cat "$2/../base/web.yaml"; echo "# $3 $4";;
esac
`,
  });
  const options = { version: 'v4.5.7', namePrefix: 'p-', images: ['a=b:1'], namespace: 'n' };
  const unknown = await diagnosisOf(render(repository, options));
  assert.equal(unknown.message, 'kustomize version v4.5.7 is not registered');
  const kustomizeVersions = {
    'v4.5.7': { path: join(repository.path, 'bin/kustomize'), buildOptions: '--enable-helm' },
  };
  const rendered = await render(repository, options, { kustomizeVersions, cluster: { kubeVersion: 'v1.34.4' } });
  assert.equal(rendered.sourceType, 'Kustomize');
  assert.equal(replicasOf(rendered), 1);
  const failing = { 'v4.5.7': { path: '/bin/false' } };
  const failed = await diagnosisOf(render(repository, options, { kustomizeVersions: failing }));
  assert.equal(failed.code, 'KustomizeBinaryFailed');
  assert.match(failed.message, /^`kustomize edit set nameprefix -- p-` failed exit status 1/);
  const missing = { 'v4.5.7': { path: '/no/such/kustomize' } };
  assert.match(
    (await diagnosisOf(render(repository, options, { kustomizeVersions: missing }))).message,
    /can not be run: fork\/exec \/no\/such\/kustomize: no such file or directory/,
  );
});

test('charts of repositories are pulled with the registered credentials, where the project permits them', async () => {
  const user = { username: 'robot', password: 'MARKER-secret' };
  const charts = await startHelmRepository({ auth: user });
  const chartFiles = {
    'values.yaml': '',
    'templates/cm.yaml':
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {version: {{ .Chart.Version | quote }}}\n',
  };
  after(() => charts.close());
  charts.add('web', '1.0.0', packageChart('web', '1.0.0', chartFiles));
  charts.add('web', '1.1.0', packageChart('web', '1.1.0', chartFiles));
  const repository = world.repositoryOf({
    'overlay/kustomization.yaml': `helmCharts: [{name: web, repo: ${charts.url}, version: 1.x, releaseName: r}]\n`,
  });
  const options = {
    kustomizeBuildOptions: '--enable-helm',
    dependencyRepository: (url: string) => (url === charts.url ? { url, credentials: user } : undefined),
  };
  const data = ({ objects }: Rendered): unknown => objects[0]?.object.data;
  const first = await render(repository, undefined, options);
  assert.deepEqual(data(first), { version: '1.1.0' });
  charts.add('web', '1.2.0', packageChart('web', '1.2.0', chartFiles));
  assert.deepEqual(data(await render(repository, undefined, options)), { version: '1.2.0' });
  const denied = await diagnosisOf(render(repository, undefined, { ...options, permitsRepository: () => false }));
  assert.equal(denied.code, 'RemoteBaseRefused');
  const unregistered = { kustomizeBuildOptions: '--enable-helm' };
  assert.match((await diagnosisOf(render(repository, undefined, unregistered))).message, /inside of this network/);
});

test('charts of kustomizations look objects up, and are built again when these change', async () => {
  const repository = world.repositoryOf({
    'overlay/kustomization.yaml': 'helmCharts: [{name: web, releaseName: r, namespace: ns}]\n',
    'overlay/charts/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
    'overlay/charts/web/values.yaml': '',
    'overlay/charts/web/templates/cm.yaml':
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {found: {{ dig "data" "a" "none" (lookup "v1" "ConfigMap" "ns" "y") }}}\n',
  });
  let found = 'one';
  const cluster = { lookup: async () => ({ data: { a: found } }) };
  const options = { kustomizeBuildOptions: '--enable-helm' };
  const data = ({ objects }: Rendered): unknown => objects[0]?.object.data;
  assert.deepEqual(data(await render(repository, undefined, options)), { found: 'none' });
  assert.deepEqual(data(await render(repository, undefined, { ...options, cluster })), { found: 'one' });
  found = 'two';
  assert.deepEqual(data(await render(repository, undefined, { ...options, cluster })), { found: 'two' });
});

test('files at http addresses are read where the network allows it, and seen when they change', async () => {
  let replicas = 1;
  const server = createServer((_, response) => {
    response.end(deployment.replace('replicas: 1', `replicas: ${replicas}`));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/web.yaml`;
  const repository = world.repositoryOf({ 'overlay/kustomization.yaml': `resources: ["${url}"]\n` });
  assert.match((await diagnosisOf(render(repository))).message, /is at an address inside of this network/);
  const options = { dependencyRepository: () => ({ url }) };
  assert.equal(replicasOf(await render(repository, undefined, options)), 1);
  replicas = 4;
  assert.equal(replicasOf(await render(repository, undefined, options)), 4);
});
