import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { configMap } from '../support/manifests.ts';
import { World } from '../support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

const automated = { automated: { prune: true, selfHeal: true } };
const value = (object: KubeObject | undefined) => (object?.data as Record<string, string> | undefined)?.value;
const ref = (namespace: string, name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name });

/** An application of both repositories; the world's own form has one source. */
async function createWithSources(
  name: string,
  namespace: string,
  sources: { repoURL: string; ref?: string; helm?: object }[],
) {
  await world.client.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: world.namespace },
    spec: {
      project: 'default',
      sources: sources.map((source) => ({ path: '.', targetRevision: 'main', ...source })),
      destination: { server: 'https://kubernetes.default.svc', namespace },
      syncPolicy: automated,
    },
  });
}

test('what is wrong with one of several sources is said of its field', async () => {
  const namespace = await world.targetNamespace();
  const first = world.repository({ 'a.yaml': configMap('whole', 'one') });
  const chart = world.repository({ 'Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n' });
  const missing = { repoURL: chart.url, helm: { valueFiles: ['gone.yaml'] } };
  await createWithSources('of-field', namespace, [{ repoURL: first.url }, missing]);
  const { status } = await world.waitForApplication('of-field', 'the cause', (app) =>
    (app.status?.conditions ?? []).some(({ type }) => type === 'ComparisonError'),
  );
  const told = status?.conditions?.find(({ type }) => type === 'ComparisonError')?.message ?? '';
  assert.match(told, /field spec\.sources\[1\]\.helm\.valueFiles\[0\]/);
  assert.match(told, /set spec\.sources\[1\]\.helm\.ignoreMissingValueFiles/);
});

test('several sources make one application, whose revisions are told in their order', async () => {
  const namespace = await world.targetNamespace();
  const base = world.repository({ 'a.yaml': configMap('base', 'one'), 'b.yaml': configMap('both', 'of base') });
  const overlay = world.repository({
    'a.yaml': configMap('overlay', 'one'),
    'b.yaml': configMap('both', 'of overlay'),
  });
  await createWithSources('several', namespace, [{ repoURL: base.url }, { repoURL: overlay.url }]);
  const { status } = await world.healthy('several');
  const revisions = [base, overlay].map((repository) => repository.git('rev-parse', 'HEAD'));
  assert.deepEqual(status?.sync?.revisions, revisions);
  assert.equal(status?.sync?.revision, undefined);
  assert.deepEqual(status?.sourceTypes, ['Directory', 'Directory']);
  assert.deepEqual(status?.operationState?.syncResult?.revisions, revisions);
  assert.deepEqual(status?.history?.at(-1)?.revisions, revisions);
  assert.equal(status?.history?.at(-1)?.sources?.length, 2);
  assert.deepEqual(
    status?.conditions?.map(({ type }) => type),
    ['RepeatedResourceWarning'],
  );
  assert.equal(value(await world.client.get(ref(namespace, 'both'))), 'of overlay');
  // A commit to the second source is followed, and the first stays as it is.
  const next = overlay.commit({ 'a.yaml': configMap('overlay', 'two') });
  await world.waitFor(ref(namespace, 'overlay'), 'the committed value', (object) => value(object) === 'two');
  await world.waitForApplication(
    'several',
    'the new revisions',
    (app) => app.status?.history?.at(-1)?.revisions?.join() === [revisions[0], next].join(),
  );
});

test('the API creates, syncs and rolls back applications of several sources', async () => {
  const namespace = await world.targetNamespace();
  const [first, second] = [
    world.repository({ 'a.yaml': configMap('first', 'one') }),
    world.repository({ 'a.yaml': configMap('second', 'one') }),
  ];
  const created = await world.rest('POST', '/api/v1/applications', {
    metadata: { name: 'by-api', namespace: world.namespace },
    spec: {
      project: 'default',
      sources: [first, second].map(({ url }) => ({ repoURL: url, path: '.', targetRevision: 'main' })),
      destination: { server: 'https://kubernetes.default.svc', namespace },
    },
  });
  assert.equal(created.status, 200, JSON.stringify(created.body));
  const sync = () => world.rest('POST', '/api/v1/applications/by-api/sync', { name: 'by-api' });
  const synced = await sync();
  assert.equal(synced.status, 200, JSON.stringify(synced.body));
  await world.healthy('by-api');
  second.commit({ 'a.yaml': configMap('second', 'two') });
  await world.rest('GET', '/api/v1/applications/by-api?refresh=normal');
  assert.equal((await sync()).status, 200);
  await world.waitFor(ref(namespace, 'second'), 'the new value', (object) => value(object) === 'two');
  await world.waitForApplication(
    'by-api',
    'two deployments',
    (app) => app.status?.history?.length === 2 && !app.operation,
  );
  const rolled = await world.rest('POST', '/api/v1/applications/by-api/rollback', { name: 'by-api', id: 0 });
  assert.equal(rolled.status, 200, JSON.stringify(rolled.body));
  await world.waitFor(ref(namespace, 'second'), 'the old value', (object) => value(object) === 'one');
});

test('a source that cannot be rendered is named', async () => {
  const namespace = await world.targetNamespace();
  const good = world.repository({ 'a.yaml': configMap('a', 'one') });
  const bad = world.repository({ 'a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: [' });
  await createWithSources('one-bad', namespace, [{ repoURL: good.url }, { repoURL: bad.url }]);
  const { status } = await world.waitForApplication('one-bad', 'a condition', (app) =>
    Boolean(app.status?.conditions?.length),
  );
  assert.match(status?.conditions?.[0]?.message ?? '', /spec\.sources\[1\]/);
});

const chartFiles = (name: string) => ({
  'chart/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'chart/templates/cm.yaml': configMap(name, '{{ .Values.value }}'),
});

test('values of another source: followed, told with its revision, shown per source, rolled back', async () => {
  const namespace = await world.targetNamespace();
  const chart = world.repository(chartFiles('referring'));
  const values = world.repository({ 'envs/prod.yaml': 'value: one\n' });
  await world.client.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'referring', namespace: world.namespace },
    spec: {
      project: 'default',
      sources: [
        { repoURL: values.url, targetRevision: 'main', ref: 'values' },
        {
          repoURL: chart.url,
          targetRevision: 'main',
          path: 'chart',
          helm: { valueFiles: ['$values/envs/*.yaml'] },
        },
      ],
      destination: { server: 'https://kubernetes.default.svc', namespace },
      syncPolicy: automated,
    },
  });
  const { status } = await world.healthy('referring');
  const first = [values, chart].map((repository) => repository.git('rev-parse', 'HEAD'));
  assert.deepEqual(status?.sync?.revisions, first);
  assert.deepEqual(status?.sourceTypes, ['', 'Helm']);
  const second = values.commit({ 'envs/prod.yaml': 'value: two\n' });
  await world.waitFor(ref(namespace, 'referring'), 'the new value', (object) => value(object) === 'two');
  await world.waitForApplication(
    'referring',
    'two deployments',
    (app) => app.status?.history?.at(-1)?.revisions?.[0] === second,
  );
  const before = await world.rest(
    'GET',
    `/api/v1/applications/referring/manifests?revisions=${first[0]}&sourcePositions=1`,
  );
  assert.equal(before.status, 200, JSON.stringify(before.body));
  assert.match(String((before.body as { manifests: string[] }).manifests), /"value":"one"/);
  const metadata = await world.rest('GET', `/api/v1/applications/referring/revisions/${second}/metadata?sourceIndex=0`);
  assert.equal((metadata.body as { message: string }).message.trim(), 'Change');
  await world.client.patch(
    { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', name: 'referring', namespace: world.namespace },
    'merge',
    { spec: { syncPolicy: null } },
  );
  const rolled = await world.rest('POST', '/api/v1/applications/referring/rollback', { name: 'referring', id: 0 });
  assert.equal(rolled.status, 200, JSON.stringify(rolled.body));
  await world.waitFor(ref(namespace, 'referring'), 'the old value', (object) => value(object) === 'one');
});

test('what a reference may not be is a condition with the field', async () => {
  const repository = world.repository({ ...chartFiles('x'), 'v.yaml': '' });
  const twice = { repoURL: repository.url, ref: 'values' };
  await createWithSources('twice', await world.targetNamespace(), [twice, twice]);
  const { status } = await world.waitForApplication('twice', 'a condition', (app) =>
    Boolean(app.status?.conditions?.length),
  );
  assert.match(status?.conditions?.[0]?.message ?? '', /multiple sources had the same `ref` key/);
});

test('Jsonnet and submodules are delivered, and taken away with what they came from', async () => {
  const namespace = await world.targetNamespace();
  const inner = world.repository({ 'cm.yaml': configMap('in-submodule', 'one') });
  const outer = world.repository({
    'keep.yaml': configMap('kept', 'one'),
    'a.jsonnet': 'function(v) (import "lib/cm.libsonnet") + { data: { value: v } }',
    'lib/cm.libsonnet': '{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "from-jsonnet" } }',
  });
  outer.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.url, 'vendor');
  outer.commit({});
  await world.client.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'tools', namespace: world.namespace },
    spec: {
      project: 'default',
      source: {
        repoURL: outer.url,
        targetRevision: 'main',
        path: '.',
        directory: { recurse: true, jsonnet: { tlas: [{ name: 'v', value: '$ARGOCD_APP_NAME' }] } },
      },
      destination: { server: 'https://kubernetes.default.svc', namespace },
      syncPolicy: automated,
    },
  });
  await world.healthy('tools');
  assert.equal(value(await world.client.get(ref(namespace, 'from-jsonnet'))), 'tools');
  assert.equal(value(await world.client.get(ref(namespace, 'in-submodule'))), 'one');
  outer.git('rm', '--quiet', 'vendor');
  outer.commit({ 'a.jsonnet': undefined });
  for (const name of ['from-jsonnet', 'in-submodule'])
    await world.waitFor(ref(namespace, name), `${name} gone`, (object) => object === undefined);
});
