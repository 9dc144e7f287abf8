import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, type KubeObject } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { parseDocuments } from '@tiphys/yaml';
import { staleManifests, tiphys } from './deploy-manifests.ts';

const objectsOf = (text: string) =>
  parseDocuments(text, { file: 'manifests' }).documents.map(({ value }) => value as unknown as KubeObject);

test('the manifests of deploy/ are what the chart renders', () => assert.deepEqual(staleManifests(), []));

test('an API server takes every object, without a field that it does not know', async (t) => {
  const sandbox = await startSandbox({ controllers: false, nodes: 0 });
  t.after(() => sandbox.close());
  const client = connect(sandbox.config, { asker: { component: 'test', purpose: 'manifests' } });
  t.after(() => client.close());
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } });
  for (const folder of ['ha', 'rollouts', 'workflows', 'events']) {
    const objects = objectsOf(tiphys('kustomize', 'build', `deploy/${folder}`));
    assert.ok(objects.length > 5, folder);
    for (const object of objects)
      await client.apply(object, { fieldManager: 'test', force: true, fieldValidation: 'Strict' });
  }
});

test('pods satisfy the restricted Pod Security Standard', async (t) => {
  const sandbox = await startSandbox({ controllers: false, nodes: 0 });
  t.after(() => sandbox.close());
  const client = connect(sandbox.config, { asker: { component: 'test', purpose: 'manifests' } });
  t.after(() => client.close());
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd', labels } });
  const workloads = objectsOf(
    tiphys(
      'helm',
      'template',
      'tiphys',
      'deploy/chart/tiphys',
      '-n',
      'argocd',
      '--set',
      'rollouts.enabled=true,workflows.enabled=true,events.enabled=true',
    ),
  ).filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');
  assert.equal(workloads.length, 6);
  for (const { metadata, spec } of workloads) {
    const template = (spec as { template: { metadata: object; spec: object } }).template;
    await client.create({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: metadata.name ?? '', namespace: 'argocd' },
    });
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...template.metadata, name: metadata.name ?? '', namespace: 'argocd' },
      spec: template.spec,
    };
    await client.create(pod, { dryRun: true });
  }
});

test('values of the wrong type are refused with their place', () => {
  assert.throws(
    () => tiphys('helm', 'template', 'tiphys', 'deploy/chart/tiphys', '--set', 'server.replicas=two'),
    /server.replicas|\/server\/replicas/,
  );
});
