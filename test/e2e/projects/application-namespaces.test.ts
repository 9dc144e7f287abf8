import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Application } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import { configMap } from '../support/manifests.ts';
import { World } from '../support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

const kind = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application' };

const makeNamespace = async (name: string) => {
  await world.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  return name;
};

const permit = (patterns: string) =>
  world.client.patch(
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'argocd-cmd-params-cm' },
    'merge',
    { data: { 'application.namespaces': patterns } },
  );

const makeProject = (name: string, spec: object) =>
  world.client.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name, namespace: world.namespace },
    spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }], ...spec },
  });

const waitForApplication = (namespace: string, name: string, what: string, holds: (app: Application) => boolean) =>
  world.waitFor<Application>({ ...kind, namespace, name }, what, (app) => app !== undefined && holds(app));

test('an application in a permitted namespace is delivered, served and deleted like any other', async () => {
  const team = await makeNamespace(`${world.namespace}-team`);
  const target = await world.targetNamespace();
  await makeProject('teams', { sourceNamespaces: [`${world.namespace}-t*`] });
  const repository = world.repository({ 'a.yaml': configMap('of-team', 'one') });
  await world.createApplication(
    'shop',
    repository,
    { project: 'teams', targetNamespace: target, syncPolicy: { automated: {} } },
    { namespace: team, finalizers: ['resources-finalizer.argocd.argoproj.io'] },
  );
  // the setting takes hold while everything runs, and of a namespace that was there before
  await permit(`/^${world.namespace}-team$/`);
  await waitForApplication(team, 'shop', 'Synced', ({ status }) => status?.sync?.status === 'Synced');

  const live = await world.client.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: target, name: 'of-team' });
  assert.equal(
    live.metadata.annotations?.['argocd.argoproj.io/tracking-id'],
    `${team}_shop:/ConfigMap:${target}/of-team`,
  );
  const listed = await world.rest<{ items: Application[] }>('GET', '/api/v1/applications');
  assert.deepEqual(
    listed.body.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
    [`${team}/shop`],
  );
  const tree = await world.rest<{ nodes: { name: string }[] }>(
    'GET',
    `/api/v1/applications/shop/resource-tree?appNamespace=${team}`,
  );
  assert.deepEqual(
    tree.body.nodes.map(({ name }) => name),
    ['of-team'],
  );
  const without = await world.rest('GET', '/api/v1/applications/shop');
  assert.equal(without.status, 403);
  const synced = await world.rest('POST', '/api/v1/applications/shop/sync', { name: 'shop', appNamespace: team });
  assert.equal(synced.status, 200, JSON.stringify(synced.body));
  const events = await world.client.list<KubeObject & { reason: string }>({
    apiVersion: 'v1',
    kind: 'Event',
    namespace: team,
  });
  assert.ok(events.items.some(({ reason }) => reason === 'OperationStarted'));

  const gone = await world.rest('DELETE', `/api/v1/applications/shop?appNamespace=${team}&cascade=true`);
  assert.equal(gone.status, 200, JSON.stringify(gone.body));
  await world.waitFor({ ...kind, namespace: team, name: 'shop' }, 'no application', (app) => app === undefined);
  const left = await world.client.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace: target, name: 'of-team' });
  assert.equal(left, undefined);
});

test('an application elsewhere is left alone, and the API does not serve it', async () => {
  const other = await makeNamespace(`${world.namespace}-other`);
  await permit(`${world.namespace}-team`);
  const repository = world.repository({ 'a.yaml': configMap('x', 'one') });
  const target = await world.targetNamespace();
  await world.createApplication('x', repository, { targetNamespace: target }, { namespace: other });
  await world.client.patch({ ...kind, namespace: other, name: 'x' }, 'merge', { metadata: { labels: { a: 'b' } } });
  const created = await world.rest<{ message: string }>('POST', '/api/v1/applications', {
    metadata: { name: 'y', namespace: other },
    spec: {
      project: 'teams',
      source: { repoURL: repository.url, path: '.' },
      destination: { server: 'https://kubernetes.default.svc', namespace: target },
    },
  });
  assert.ok(created.status >= 400);
  for (const path of ['x', 'missing']) {
    const read = await world.rest<{ message: string }>('GET', `/api/v1/applications/${path}?appNamespace=${other}`);
    assert.deepEqual([read.status, read.body.message], [403, 'permission denied']);
  }
  // an application of the control plane that is made later is through: the other one was not looked at
  await world.createApplication('witness', repository, { targetNamespace: target });
  await world.waitForApplication('witness', 'compared', ({ status }) => Boolean(status?.sync?.status));
  const { status } = await world.client.get<Application>({ ...kind, namespace: other, name: 'x' });
  assert.equal(status, undefined);
});

test('a project is for applications of its source namespaces only: nothing is delivered, and every call is refused', async () => {
  const team = await makeNamespace(`${world.namespace}-narrow`);
  await makeProject('closed', { sourceNamespaces: [`${world.namespace}-somebody`] });
  const repository = world.repository({ 'a.yaml': configMap('closed', 'one') });
  const target = await world.targetNamespace();
  await permit(`${world.namespace}-team,${world.namespace}-narrow`);
  await world.createApplication(
    'closed',
    repository,
    { project: 'closed', targetNamespace: target, syncPolicy: { automated: {} } },
    { namespace: team },
  );
  const refused = await waitForApplication(team, 'closed', 'InvalidSpecError', ({ status }) =>
    Boolean(status?.conditions?.some(({ type }) => type === 'InvalidSpecError')),
  );
  assert.match(
    refused?.status?.conditions?.[0]?.message ?? '',
    new RegExp(`^application 'closed' in namespace '${team}' is not permitted to use project 'closed'`),
  );
  const app = `/api/v1/applications/closed`;
  const calls: [string, string, unknown?][] = [
    ['POST', `${app}/sync`, { name: 'closed', appNamespace: team }],
    ['PATCH', app, { name: 'closed', appNamespace: team, patch: '{}', patchType: 'merge' }],
    ['DELETE', `${app}?appNamespace=${team}`],
    ['GET', `${app}/managed-resources?appNamespace=${team}`],
    ['GET', `${app}/resource?appNamespace=${team}&resourceName=closed&kind=ConfigMap&version=v1&namespace=${target}`],
  ];
  for (const [method, path, body] of calls) {
    const answer = await world.rest<{ message: string }>(method, path, body);
    assert.match(answer.body.message, /^app is not allowed in project "closed", or the project does not exist$/);
  }
  assert.equal(
    await world.client.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace: target, name: 'closed' }),
    undefined,
  );
});
