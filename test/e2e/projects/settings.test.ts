import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { configMap, deployment } from '../support/manifests.ts';
import { World } from '../support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

const automated = { automated: { prune: true, selfHeal: true } };
/** Sets keys of argocd-cm; null removes one. */
const configure = (data: Readonly<Record<string, string | null>>) =>
  world.client.patch({ apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'argocd-cm' }, 'merge', {
    data,
  });

test('differences that argocd-cm ignores are none, and are again once it does not', async () => {
  const namespace = await world.targetNamespace();
  const key = 'resource.customizations.ignoreDifferences.ConfigMap';
  await configure({ [key]: 'jsonPointers: [/data/value]' });
  const repository = world.repository({ 'a.yaml': configMap('tolerated', 'desired') });
  await world.createApplication('tolerant', repository, {
    targetNamespace: namespace,
    syncPolicy: { automated: {} },
  });
  await world.healthy('tolerant');
  await world.client.patch({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'tolerated' }, 'merge', {
    data: { value: 'by hand', other: 'x' },
  });
  await world.client.patch({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'tolerated' }, 'merge', {
    data: { other: null },
  });
  await world.waitForApplication('tolerant', 'Synced', (app) => app.status?.sync?.status === 'Synced');
  await configure({ [key]: null });
  await world.waitForApplication('tolerant', 'OutOfSync', (app) => app.status?.sync?.status === 'OutOfSync');
});

test('a customization that is not acted on is refused by its key where an application has the kind', async () => {
  const namespace = await world.targetNamespace();
  const key = 'resource.customizations.knownTypeFields.apps_Deployment';
  await configure({ [key]: '[{field: spec.other, type: core/NoSuchType}]' });
  const repository = world.repository({ 'a.yaml': deployment('lua') });
  await world.createApplication('lua', repository, { targetNamespace: namespace, syncPolicy: automated });
  const { status } = await world.waitForApplication('lua', 'the refusal', (app) =>
    JSON.stringify(app.status?.conditions ?? []).includes(key),
  );
  assert.equal(status?.conditions?.length, 1);
  await configure({ [key]: null });
  await world.waitForApplication('lua', 'no condition', (app) => app.status?.conditions === undefined);
});

test('an application that asks to be skipped is left alone until it does not', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': configMap('skipped', 'one') });
  await world.createApplication(
    'skip',
    repository,
    { targetNamespace: namespace, syncPolicy: automated },
    { annotations: { 'argocd.argoproj.io/skip-reconcile': 'true' } },
  );
  // One that came later is through: the one before would have been, too.
  await world.createApplication('not-skipped', repository, {
    targetNamespace: await world.targetNamespace(),
    syncPolicy: automated,
  });
  await world.healthy('not-skipped');
  assert.equal((await world.application('skip')).status, undefined);
  await world.client.patch(world.applicationRef('skip'), 'merge', {
    metadata: { annotations: { 'argocd.argoproj.io/skip-reconcile': null } },
  });
  await world.healthy('skip');
});

test('the cluster of the control plane can be disabled as a destination', async () => {
  const repository = world.repository({ 'a.yaml': configMap('a', 'one') });
  await configure({ 'cluster.inClusterEnabled': 'false' });
  await world.createApplication('nowhere', repository, { targetNamespace: 'default' });
  const { status } = await world.waitForApplication('nowhere', 'a condition', (app) =>
    Boolean(app.status?.conditions?.length),
  );
  assert.equal(status?.conditions?.[0]?.type, 'InvalidSpecError');
  assert.match(status?.conditions?.[0]?.message ?? '', /cluster "https:\/\/kubernetes\.default\.svc" is disabled/);
  const { body } = await world.rest<{ message: string }>('POST', '/api/v1/applications', {
    metadata: { name: 'refused' },
    spec: {
      project: 'default',
      source: { repoURL: repository.url, path: '.' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
    },
  });
  assert.match(body.message, /cluster "https:\/\/kubernetes\.default\.svc" is disabled/);
  await configure({ 'cluster.inClusterEnabled': null });
  await world.waitForApplication('nowhere', 'no condition', (app) => !app.status?.conditions);
});

test('a kind that argocd-cm excludes is told at once, and no restart is needed to manage it again', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': configMap('kept', 'one') });
  await world.createApplication('excluded', repository, { targetNamespace: namespace, syncPolicy: automated });
  await world.healthy('excluded');
  await configure({ 'resource.exclusions': '- apiGroups: [""]\n  kinds: [ConfigMap]\n' });
  await world.waitForApplication(
    'excluded',
    'the warning',
    (app) => app.status?.conditions?.some(({ type }) => type === 'ExcludedResourceWarning') ?? false,
  );
  await configure({ 'resource.exclusions': null });
  await world.waitForApplication('excluded', 'no warning', (app) => !app.status?.conditions);
});

test('a cluster whose Secret asks for it gets its version as a label', async () => {
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace: world.namespace, name: 'labelled-cluster' };
  await world.client.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      namespace: world.namespace,
      name: 'labelled-cluster',
      labels: {
        'argocd.argoproj.io/secret-type': 'cluster',
        'argocd.argoproj.io/auto-label-cluster-info': 'true',
      },
    },
    stringData: { server: 'https://kubernetes.default.svc', name: 'labelled', config: '{}' },
  });
  const repository = world.repository({ 'a.yaml': configMap('a', 'one') });
  await world.createApplication('labelling', repository, { targetNamespace: await world.targetNamespace() });
  const { gitVersion } = await world.client.discovery.version();
  await world.waitFor(ref, 'the label', (secret) => {
    const label = secret?.metadata.labels?.['argocd.argoproj.io/kubernetes-version'];
    return label !== undefined && /^v\d+\.\d+\.\d+$/.test(label) && gitVersion.startsWith(label);
  });
  await world.client.delete(ref);
});
