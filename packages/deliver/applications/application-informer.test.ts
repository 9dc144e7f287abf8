import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { customResourceDefinitions } from '@tiphys/api';
import { type Client, connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { parseDocuments } from '@tiphys/yaml';
import { ApplicationInformer } from './application-informer.ts';

const kind = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application' };

async function start(t: TestContext) {
  const sandbox = await startSandbox();
  t.after(() => sandbox.close());
  const client = connect(sandbox.config, { caller: { component: 'test', purpose: 'test' } });
  t.after(() => client.close());
  for (const { file, text } of customResourceDefinitions()) {
    const [document] = parseDocuments(text, { file }).documents;
    await client.apply(document?.value as KubeObject, { fieldManager: 'test', force: true });
  }
  while (!(await client.discovery.find(kind.apiVersion, kind.kind)))
    await new Promise((resolve) => setImmediate(resolve));
  return client;
}

async function make(client: Client, namespace: string, name: string): Promise<void> {
  if (!(await client.find({ apiVersion: 'v1', kind: 'Namespace', name: namespace })))
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await client.create({
    ...kind,
    metadata: { name, namespace },
    spec: { project: 'default', destination: { server: 'https://kubernetes.default.svc', namespace: 'x' } },
  });
}

test('what is followed changes with what is permitted, and every change is told', async (t) => {
  const client = await start(t);
  for (const namespace of ['argocd', 'team-a', 'team-b', 'other']) await make(client, namespace, 'one');
  let permitted: string[] = [];
  const informer = new ApplicationInformer({
    client,
    namespace: 'argocd',
    clock: systemClock,
    permitted: () => permitted,
    onError: (problem) => assert.fail(problem.message),
  });
  const told: string[] = [];
  let heard = Promise.withResolvers<void>();
  informer.subscribe(({ type, object }) => {
    told.push(`${type} ${object.metadata.namespace}/${object.metadata.name}`);
    heard.resolve();
  });
  const seen = () => [...informer.list()].map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort();
  const abort = new AbortController();
  t.after(() => abort.abort(new Error('over')));

  await informer.update();
  await informer.start(abort.signal);
  assert.deepEqual(seen(), ['argocd/one']);
  permitted = ['team-*'];
  await informer.update();
  assert.deepEqual(seen(), ['argocd/one', 'team-a/one', 'team-b/one']);
  assert.ok(informer.permits('team-later') && !informer.permits('other'));
  assert.equal(informer.get('other', 'one'), undefined);

  told.length = 0;
  permitted = ['/^(team-b|other)$/'];
  await informer.update();
  assert.deepEqual(told.sort(), ['added other/one', 'deleted team-a/one']);
  assert.deepEqual(seen(), ['argocd/one', 'other/one', 'team-b/one']);

  told.length = 0;
  heard = Promise.withResolvers();
  await make(client, 'team-a', 'two');
  await make(client, 'team-b', 'two');
  await heard.promise;
  assert.deepEqual(told, ['added team-b/two']);

  told.length = 0;
  permitted = [];
  await informer.update();
  assert.deepEqual(told.sort(), ['deleted other/one', 'deleted team-b/one', 'deleted team-b/two']);
  assert.deepEqual(seen(), ['argocd/one']);
});

test('namespaces that may not be read hold nobody up, and are told', async (t) => {
  const client = await start(t);
  await make(client, 'argocd', 'one');
  const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'reader', namespace: 'argocd' } };
  await client.create({
    ...rbac,
    kind: 'Role',
    rules: [{ apiGroups: ['argoproj.io'], resources: ['applications'], verbs: ['*'] }],
  });
  await client.create({
    ...rbac,
    kind: 'RoleBinding',
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'narrow' }],
  });
  const told: string[] = [];
  const informer = new ApplicationInformer({
    client: client.impersonating({ name: 'narrow' }),
    namespace: 'argocd',
    clock: systemClock,
    permitted: () => ['team-a'],
    onError: ({ message }) => told.push(message),
  });
  const abort = new AbortController();
  t.after(() => abort.abort(new Error('over')));
  await informer.start(abort.signal);
  assert.equal([...informer.list()].length, 1);
  assert.match(told[0] ?? '', /narrow/);
  assert.equal(informer.state().synced, false);
});
