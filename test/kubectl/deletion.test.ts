import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { type KubectlSession, skip, startSession } from './kubectl.ts';
import { shop } from './manifests.ts';

describe('kubectl deletes', { skip }, () => {
  let session: KubectlSession;
  const kubectl: KubectlSession['kubectl'] = (command, options) => session.kubectl(command, options);
  before(async () => {
    session = await startSession('deletion');
  });
  after(() => session.close());
  beforeEach(async () => {
    await kubectl('apply -f -', { input: shop });
    await kubectl('rollout status deployment/shop --timeout=180s');
  });

  test('in the background: the Deployment goes, its ReplicaSets and pods follow', async () => {
    await kubectl('delete deployment shop --cascade=background');
    await kubectl('wait replicaset,pod -l app=shop --for=delete --timeout=180s');
    assert.equal(await kubectl('get replicasets,pods -o name'), '');
  });

  test('in the foreground: the Deployment goes last', async () => {
    await kubectl('delete deployment shop --cascade=foreground --timeout=180s');
    assert.equal(await kubectl('get deployments,replicasets,pods -o name'), '');
  });

  test('orphaned: the ReplicaSet and its pods stay, without an owner, and a new Deployment adopts them', async () => {
    const before = await kubectl('get replicasets,pods -o name');
    await kubectl('delete deployment shop --cascade=orphan --timeout=180s');
    assert.equal(await kubectl('get replicasets,pods -o name'), before);
    assert.equal(await kubectl('get replicasets -o jsonpath={.items[*].metadata.ownerReferences}'), '');
    await kubectl('apply -f -', { input: shop });
    await kubectl('rollout status deployment/shop --timeout=180s');
    await kubectl('wait replicaset -l app=shop --for=jsonpath={.metadata.ownerReferences[0].name}=shop --timeout=180s');
    assert.equal(await kubectl('get replicasets,pods -o name'), before);
  });

  test('a finalizer holds an object until it is taken off', async () => {
    await kubectl('create configmap held');
    await session.attempt([
      'patch',
      'configmap',
      'held',
      '--type=merge',
      '-p',
      '{"metadata":{"finalizers":["example.com/hold"]}}',
    ]);
    await kubectl('delete configmap held --wait=false');
    assert.notEqual(await kubectl('get configmap held -o jsonpath={.metadata.deletionTimestamp}'), '');
    await session.attempt(['patch', 'configmap', 'held', '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
    await kubectl('wait configmap/held --for=delete --timeout=180s');
  });

  test('a namespace goes with everything in it', async () => {
    const other = `${session.namespace}-other`;
    await kubectl(`create namespace ${other}`);
    const within = (command: string, input?: string) =>
      kubectl(`${command} --namespace=${other}`, input === undefined ? undefined : { input });
    await within('apply -f -', shop);
    await within('rollout status deployment/shop --timeout=180s');
    await kubectl(`delete namespace ${other} --timeout=90s`);
    const { stderr } = await session.attempt(['get', 'namespace', other]);
    assert.equal(stderr, `Error from server (NotFound): namespaces "${other}" not found\n`);
    assert.equal(await within('get all,configmaps,serviceaccounts -o name'), '');
  });
});
