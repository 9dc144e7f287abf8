import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { configMap } from '../support/manifests.ts';
import { World } from '../support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
  await configure({ 'application.sync.impersonation.enabled': 'true' });
});
after(() => world.close());

const configure = (data: Record<string, string>) =>
  world.client.patch({ apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'argocd-cm' }, 'merge', {
    data,
  });

const makeProject = (name: string, destinationServiceAccounts: object[]) =>
  world.client.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name, namespace: world.namespace },
    spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }], destinationServiceAccounts },
  });

/** A service account of the namespace that may do these things to ConfigMaps. */
const makeAccount = async (namespace: string, name: string, verbs: string[]) => {
  await world.client.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } });
  await world.client.create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name, namespace },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs }],
  });
  await world.client.create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name, namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  });
};

const deployed = (namespace: string, name: string) =>
  world.client.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name });

test('syncs, calls of users and deletions have the rights of the service account that the project names', async () => {
  const namespace = await world.targetNamespace();
  await makeAccount(namespace, 'deployer', ['get', 'create', 'patch', 'update']);
  await makeProject('bounded', [
    { server: '*', namespace: 'somewhere-else', defaultServiceAccount: 'admin' },
    { server: '*', namespace: 'target-*', defaultServiceAccount: 'deployer' },
  ]);
  const repository = world.repository({ 'a.yaml': configMap('bounded', 'one') });
  await world.createApplication(
    'bounded',
    repository,
    { project: 'bounded', targetNamespace: namespace, syncPolicy: { automated: {} } },
    { finalizers: ['resources-finalizer.argocd.argoproj.io'] },
  );
  await world.healthy('bounded');

  const account = `system:serviceaccount:${namespace}:deployer`;
  const refused = await world.rest<{ message: string }>(
    'DELETE',
    `/api/v1/applications/bounded/resource?namespace=${namespace}&resourceName=bounded&version=v1&kind=ConfigMap`,
  );
  assert.equal(refused.status, 403, JSON.stringify(refused.body));
  assert.match(refused.body.message, new RegExp(account));

  await world.client.delete(world.applicationRef('bounded'));
  const { status } = await world.waitForApplication('bounded', 'DeletionError', (app) =>
    Boolean(app.status?.conditions?.some(({ type }) => type === 'DeletionError')),
  );
  assert.match(status?.conditions?.[0]?.message ?? '', new RegExp(account));
  await world.client.patch(
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', namespace, name: 'deployer' },
    'merge',
    { rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['*'] }] },
  );
  // nobody hears of new rights: a refresh has the deletion tried again at once
  await world.client.patch(world.applicationRef('bounded'), 'merge', {
    metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } },
  });
  await world.waitFor(world.applicationRef('bounded'), 'no application', (app) => app === undefined);
  assert.equal(await deployed(namespace, 'bounded'), undefined);
});

test('a sync fails with the name of a service account that may not do it', async () => {
  const namespace = await world.targetNamespace();
  await makeProject('powerless', [
    { server: 'https://kubernetes.default.svc', namespace: '*', defaultServiceAccount: 'robots:nobody' },
  ]);
  const repository = world.repository({ 'a.yaml': configMap('powerless', 'one') });
  await world.createApplication('powerless', repository, { project: 'powerless', targetNamespace: namespace });
  await world.client.patch(world.applicationRef('powerless'), 'merge', { operation: { sync: {} } });
  const { status } = await world.waitForApplication('powerless', 'a failed sync', (app) =>
    Boolean(app.status?.operationState?.finishedAt),
  );
  assert.equal(status?.operationState?.phase, 'Failed');
  assert.match(status?.operationState?.message ?? '', /^one or more objects failed to apply/);
  assert.match(
    JSON.stringify(status?.operationState?.syncResult?.resources),
    /User \\?"system:serviceaccount:robots:nobody\\?"/,
  );
  assert.equal(await deployed(namespace, 'powerless'), undefined);
});

test('without a service account nothing is synced, unless that is not enforced', async () => {
  const namespace = await world.targetNamespace();
  await makeProject('unnamed', []);
  const repository = world.repository({ 'a.yaml': configMap('unnamed', 'one') });
  await world.createApplication('unnamed', repository, { project: 'unnamed', targetNamespace: namespace });
  await world.client.patch(world.applicationRef('unnamed'), 'merge', { operation: { sync: {} } });
  const { status } = await world.waitForApplication('unnamed', 'a failed sync', (app) =>
    Boolean(app.status?.operationState?.finishedAt),
  );
  assert.equal(status?.operationState?.phase, 'Error');
  assert.match(
    status?.operationState?.message ?? '',
    new RegExp(
      `^no matching service account found for destination server https://kubernetes.default.svc and namespace ${namespace}`,
    ),
  );
  await configure({ 'application.sync.impersonation.enforced': 'false' });
  await world.client.patch(world.applicationRef('unnamed'), 'merge', { operation: { sync: {} } });
  await world.healthy('unnamed');
});
