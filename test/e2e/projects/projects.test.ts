import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AppProject } from '@tiphys/api';
import { configMap } from '../support/manifests.ts';
import { World } from '../support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

const everything = { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] };

const makeProject = (name: string, spec: object, labels: Record<string, string> = {}) =>
  world.client.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name, namespace: world.namespace, labels },
    spec,
  });

const changeProject = (name: string, spec: object) =>
  world.client.patch(
    { apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', namespace: world.namespace, name },
    'merge',
    { spec },
  );

const configure = (data: Record<string, string | null>) =>
  world.client.patch({ apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'argocd-cm' }, 'merge', {
    data,
  });

test('the rules of a global project hold for the projects that it selects, and follow its changes', async () => {
  const namespace = await world.targetNamespace();
  await makeProject('rules', { namespaceResourceBlacklist: [{ group: '', kind: 'ConfigMap' }] });
  await makeProject('tenant', everything, { tenant: 'yes' });
  await makeProject('free', everything);
  await configure({
    globalProjects: JSON.stringify([{ projectName: 'rules', labelSelector: { matchLabels: { tenant: 'yes' } } }]),
  });
  const repository = world.repository({ 'a.yaml': configMap('governed', 'one') });
  for (const project of ['tenant', 'free'])
    await world.createApplication(project, repository, { project, targetNamespace: namespace });
  await world.client.patch(world.applicationRef('tenant'), 'merge', { operation: { sync: {} } });
  const { status } = await world.waitForApplication('tenant', 'a refused sync', (app) =>
    Boolean(app.status?.operationState?.finishedAt),
  );
  assert.match(
    status?.operationState?.message ?? '',
    /resource :ConfigMap is not permitted in project tenant|one or more/,
  );
  assert.equal(
    await world.client.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'governed' }),
    undefined,
  );

  const shown = await world.rest<{ items: AppProject[] }>('GET', '/api/v1/projects/tenant/globalprojects');
  assert.deepEqual(
    shown.body.items.map(({ metadata }) => metadata.name),
    ['rules'],
  );
  const detailed = await world.rest<{ project: AppProject; globalProjects: AppProject[] }>(
    'GET',
    '/api/v1/projects/tenant/detailed',
  );
  assert.deepEqual(detailed.body.project.spec.namespaceResourceBlacklist, [{ group: '', kind: 'ConfigMap' }]);
  const others = await world.rest<{ items?: AppProject[] }>('GET', '/api/v1/projects/free/globalprojects');
  assert.deepEqual(others.body.items ?? [], []);

  await changeProject('rules', { namespaceResourceBlacklist: null });
  await world.client.patch(world.applicationRef('tenant'), 'merge', { operation: { sync: {} } });
  await world.healthy('tenant');
  const resource = `/api/v1/applications/tenant/resource?namespace=${namespace}&resourceName=governed&version=v1&kind=ConfigMap`;
  assert.equal((await world.rest('GET', resource)).status, 200);

  // what it holds already is out of reach too
  await changeProject('rules', { namespaceResourceBlacklist: [{ group: '*', kind: 'Config*' }] });
  await world.waitForApplication('tenant', 'the rule to be known', (app) =>
    Boolean(app.status?.conditions?.some(({ message }) => message?.includes('is not permitted in project'))),
  );
  await world.client.patch(world.applicationRef('tenant'), 'merge', { operation: { sync: {} } });
  await world.waitForApplication('tenant', 'a refused sync', (app) =>
    Boolean(app.status?.operationState?.message?.includes('is not permitted in project')),
  );
  const tree = await world.rest<{ nodes?: object[] }>('GET', '/api/v1/applications/tenant/resource-tree');
  assert.deepEqual(tree.body.nodes ?? [], []);
  const unseen = await world.rest<{ message: string }>('GET', resource);
  assert.deepEqual(
    [unseen.status, unseen.body.message],
    [400, 'ConfigMap  governed not found as part of application tenant'],
  );
});

test('global projects that cannot be read leave the last good ones in force, and every application says so', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': configMap('kept', 'one') });
  await configure({ globalProjects: '- labelSelector: {}' });
  await world.createApplication('kept', repository, {
    targetNamespace: namespace,
    syncPolicy: { automated: {} },
  });
  const { status } = await world.waitForApplication('kept', 'a notice', (app) =>
    Boolean(app.status?.conditions?.some(({ message }) => message?.startsWith('globalProjects cannot be used'))),
  );
  assert.match(status?.conditions?.[0]?.message ?? '', /\[0\]\.projectName is missing/);
  await configure({ globalProjects: null });
  await world.waitForApplication('kept', 'no condition', (app) => !app.status?.conditions?.length);
});

test('a repository and a cluster that belong to a project are permitted by it, and can be all that is', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': configMap('scoped', 'one') });
  await makeProject('scoped', { destinations: [{ server: '*', namespace: '*' }] });
  await world.createApplication('scoped', repository, {
    project: 'scoped',
    targetNamespace: namespace,
    syncPolicy: { automated: {} },
  });
  const refused = (what: string, message: RegExp) =>
    world.waitForApplication('scoped', what, (app) =>
      Boolean(app.status?.conditions?.some((condition) => message.test(condition.message ?? ''))),
    );
  await refused('a refused source', /^application repo .* is not permitted in project 'scoped'/);
  await world.client.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'scoped-repository',
      namespace: world.namespace,
      labels: { 'argocd.argoproj.io/secret-type': 'repository' },
    },
    stringData: { type: 'git', url: repository.url, project: 'scoped' },
  });
  await world.healthy('scoped');
  await changeProject('scoped', { permitOnlyProjectScopedClusters: true });
  const { status } = await refused('a refused destination', /do not match any of the allowed destinations/);
  assert.equal(status?.sync?.status, 'Unknown');
  const tree = await world.rest<{ nodes?: object[] }>('GET', '/api/v1/applications/scoped/resource-tree');
  assert.deepEqual(tree.body.nodes ?? [], []);
  const asked = await world.rest<{ metadata: { annotations?: object } }>(
    'GET',
    '/api/v1/applications/scoped?refresh=normal',
  );
  assert.equal(asked.status, 200);
});

test('a sync of an application that its project no longer permits fails at once', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': configMap('late', 'one') });
  await makeProject('narrow', { destinations: [{ server: '*', namespace: 'elsewhere' }], sourceRepos: ['*'] });
  await world.createApplication('late', repository, { project: 'narrow', targetNamespace: namespace });
  await world.client.patch(world.applicationRef('late'), 'merge', { operation: { sync: {} } });
  const { status } = await world.waitForApplication('late', 'a failed sync', (app) =>
    Boolean(app.status?.operationState?.finishedAt),
  );
  assert.equal(status?.operationState?.phase, 'Error');
  assert.match(status?.operationState?.message ?? '', /do not match any of the allowed destinations/);
});

test('what lies about its owner or its application outside the project is neither shown nor touched', async () => {
  const namespace = await world.targetNamespace();
  const forbidden = await world.targetNamespace();
  const role = `forged-${namespace}`;
  await makeProject('fenced', {
    sourceRepos: ['*'],
    destinations: [{ server: '*', namespace }],
    clusterResourceWhitelist: [{ group: 'rbac.authorization.k8s.io', kind: 'ClusterRole' }],
  });
  const repository = world.repository({
    'a.yaml': configMap('own', 'one'),
    'b.yaml': `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: ${role}\nrules: []\n`,
  });
  await world.createApplication('fenced', repository, {
    project: 'fenced',
    targetNamespace: namespace,
    syncPolicy: { automated: { prune: true } },
  });
  await world.healthy('fenced');
  const owner = await world.client.get({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: role });
  const { apiVersion, kind } = owner;
  await world.client.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'child',
      namespace: forbidden,
      ownerReferences: [{ apiVersion, kind, name: role, uid: owner.metadata.uid ?? '' }],
    },
  });
  await world.client.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'tracked',
      namespace: forbidden,
      annotations: { 'argocd.argoproj.io/tracking-id': `fenced:/ConfigMap:${forbidden}/tracked` },
    },
  });
  // an object that claims to be another one
  await world.client.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'copied',
      namespace,
      annotations: { 'argocd.argoproj.io/tracking-id': `fenced:/ConfigMap:${namespace}/own` },
    },
  });
  repository.commit({ 'a.yaml': configMap('own', 'two') });
  await world.rest('GET', '/api/v1/applications/fenced?refresh=normal');
  await world.waitForApplication('fenced', 'the second commit', ({ status }) => (status?.history?.length ?? 0) > 1);
  await world.healthy('fenced');
  const tree = await world.rest<{ nodes: { name: string }[] }>('GET', '/api/v1/applications/fenced/resource-tree');
  assert.deepEqual(tree.body.nodes.map(({ name }) => name).sort(), [role, 'own'].sort());
  for (const name of ['child', 'tracked', 'copied']) {
    const where = name === 'copied' ? namespace : forbidden;
    const query = `namespace=${where}&resourceName=${name}&version=v1&kind=ConfigMap`;
    for (const method of ['GET', 'DELETE', 'POST']) {
      const answer = await world.rest<{ message: string }>(
        method,
        `/api/v1/applications/fenced/resource?${query}`,
        method === 'POST' ? '{}' : undefined,
      );
      assert.equal(answer.status, 400, `${method} ${name}: ${JSON.stringify(answer.body)}`);
    }
    assert.ok(await world.client.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace: where, name }), name);
  }
});
