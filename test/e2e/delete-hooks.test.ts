import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { configMap } from './support/manifests.ts';
import { World } from './support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

const automated = { automated: { prune: true, selfHeal: true } };
const ref = (namespace: string, kind: string, name: string) => ({
  apiVersion: kind === 'Job' ? 'batch/v1' : 'v1',
  kind,
  namespace,
  name,
});
const job = (name: string, hook: string, behaviour: object = {}) => `apiVersion: batch/v1
kind: Job
metadata: {name: ${name}, annotations: {argocd.argoproj.io/hook: ${hook}}}
spec:
  backoffLimit: 0
  template:
    metadata: {annotations: ${JSON.stringify(behaviour)}}
    spec: {restartPolicy: Never, containers: [{name: main, image: "registry.example/app:1"}]}
`;
const failing = { 'sandbox.tiphys.dev/behavior': 'exit:1' };
const ownFinalizers = (finalizers: readonly string[] = []) =>
  finalizers.map((name) => name.replace('-finalizer.argocd.argoproj.io', ''));

test('PreDelete hooks run before the objects go, PostDelete hooks after', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({
    'a.yaml': configMap('kept', 'one'),
    'hooks.yaml': `${job('before', 'PreDelete')}---\n${job('after', 'PostDelete')}`,
  });
  await world.createApplication(
    'hooked',
    repository,
    { targetNamespace: namespace, syncPolicy: automated },
    { finalizers: ['resources-finalizer.argocd.argoproj.io'] },
  );
  const { metadata } = await world.healthy('hooked');
  assert.deepEqual(ownFinalizers(metadata.finalizers), [
    'resources',
    'pre-delete',
    'pre-delete/cleanup',
    'post-delete',
    'post-delete/cleanup',
  ]);
  assert.equal(await world.client.find(ref(namespace, 'Job', 'before')), undefined, 'no part of a sync');
  await world.client.delete(world.applicationRef('hooked'));
  await world.waitFor(ref(namespace, 'Job', 'after'), 'the PostDelete hook', (object) => object !== undefined);
  assert.equal(await world.client.find(ref(namespace, 'ConfigMap', 'kept')), undefined, 'gone before');
  await world.waitFor(world.applicationRef('hooked'), 'the Application to go', (object) => object === undefined);
});

test('a PreDelete hook that fails keeps the objects, and the condition says why', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({
    'a.yaml': configMap('spared', 'one'),
    'hook.yaml': job('broken', 'PreDelete', failing),
  });
  await world.createApplication(
    'blocked',
    repository,
    { targetNamespace: namespace, syncPolicy: automated },
    { finalizers: ['resources-finalizer.argocd.argoproj.io'] },
  );
  await world.healthy('blocked');
  await world.client.delete(world.applicationRef('blocked'));
  const { status } = await world.waitForApplication('blocked', 'a DeletionError', (app) =>
    Boolean(app.status?.conditions?.some(({ type }) => type === 'DeletionError')),
  );
  assert.match(status?.conditions?.[0]?.message ?? '', /PreDelete hook Job\/broken failed/);
  assert.ok(await world.client.find(ref(namespace, 'ConfigMap', 'spared')));
  // The way out that the condition names.
  repository.commit({ 'hook.yaml': job('broken', 'PreDelete') });
  const refresh = { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } } };
  await world.client.patch(world.applicationRef('blocked'), 'merge', refresh);
  await world.waitFor(world.applicationRef('blocked'), 'the Application to go', (object) => object === undefined);
  assert.equal(await world.client.find(ref(namespace, 'ConfigMap', 'spared')), undefined);
});

test('the finalizers go when the hooks leave the manifests', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': configMap('a', 'one'), 'hook.yaml': job('hook', 'PostDelete') });
  await world.createApplication('unhooked', repository, { targetNamespace: namespace, syncPolicy: automated });
  assert.equal((await world.healthy('unhooked')).metadata.finalizers?.length, 2);
  repository.commit({ 'hook.yaml': undefined });
  await world.waitForApplication('unhooked', 'no finalizers', ({ metadata }) => !metadata.finalizers?.length);
});
