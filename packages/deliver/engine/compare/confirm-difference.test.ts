import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { type TestCluster, testCluster } from '../testing/cluster.ts';

let cluster: TestCluster;
let dryRuns = 0;
before(async () => {
  cluster = await testCluster();
  const { client } = cluster.cache;
  const patch = client.patch.bind(client);
  client.patch = ((...args: Parameters<typeof patch>) => {
    if (args[3]?.dryRun) dryRuns += 1;
    return patch(...args);
  }) as typeof client.patch;
});
after(() => cluster.close());

/** A kind whose server drops the fields that it does not know. */
const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: prunes.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: prunes, singular: prune, kind: Prune, listKind: PruneList}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: {type: object, properties: {a: {type: string}, cpu: {type: string}, wait: {type: string}}}
---
`;
const prune = (name: string, spec: string) =>
  `{apiVersion: example.com/v1, kind: Prune, metadata: {name: ${name}, annotations: {argocd.argoproj.io/sync-options: Validate=false}}, spec: ${spec}}\n---\n`;
const live = (name: string) => cluster.cache.node({ group: 'example.com', kind: 'Prune', namespace: 'shop', name });
const ref = (name: string) => ({ apiVersion: 'example.com/v1', kind: 'Prune', namespace: 'shop', name });

async function statusOf(name: string, desired: ReturnType<TestCluster['desired']>, request = {}): Promise<string> {
  const { resources } = await cluster.compare(desired, request);
  return resources.find(({ key }) => key.name === name)?.status ?? 'absent';
}

describe('a difference that is found without the server', () => {
  it('is no drift if a dry run of the apply changes nothing, and is tried once', async () => {
    await cluster.step(cluster.desired(definition + prune('one', '{a: x, unknown: dropped}')));
    const desired = cluster.desired(prune('one', '{a: x, unknown: dropped}'));
    await cluster.seen(() => live('one') !== undefined);
    dryRuns = 0;
    assert.equal(await statusOf('one', desired), 'Synced');
    assert.equal(dryRuns, 1);
    assert.equal(await statusOf('one', desired), 'Synced');
    assert.equal(await statusOf('one', structuredClone(desired)), 'Synced');
    assert.equal(dryRuns, 1, 'neither a new comparison nor a new render asks again');
    const { generation } = (await cluster.client.get(ref('one'))).metadata;
    assert.equal(generation, 1, 'nothing was written');
  });

  it('is drift if somebody changed the object, and is tried again only when it changes once more', async () => {
    const desired = cluster.desired(prune('two', '{a: x}'));
    await cluster.step(desired);
    await cluster.seen(() => live('two') !== undefined);
    dryRuns = 0;
    assert.equal(await statusOf('two', desired), 'Synced');
    assert.equal(dryRuns, 0, 'what is equal is decided without the server');
    const changed = await cluster.client.patch<KubeObject>(ref('two'), 'merge', { spec: { a: 'y' } });
    await cluster.seen(() => live('two')?.resourceVersion === changed.metadata.resourceVersion);
    assert.equal(await statusOf('two', desired), 'OutOfSync');
    assert.equal(dryRuns, 1);
    const labelled = await cluster.client.patch<KubeObject>(ref('two'), 'merge', { status: { seen: true } });
    await cluster.seen(() => live('two')?.resourceVersion === labelled.metadata.resourceVersion);
    assert.equal(await statusOf('two', desired), 'OutOfSync');
    assert.equal(dryRuns, 1, 'bookkeeping and status are no reason');
  });

  it('is drift at once if the manifest is not the one that was applied', async () => {
    await cluster.step(cluster.desired(prune('three', '{a: x}')));
    await cluster.seen(() => live('three') !== undefined);
    dryRuns = 0;
    assert.equal(await statusOf('three', cluster.desired(prune('three', '{a: z}'))), 'OutOfSync');
    assert.equal(dryRuns, 0);
  });

  it('is left to itself where the manifest says ServerSideDiff=false', async () => {
    const options = { options: { compareOptions: ['ServerSideDiff=false'] } };
    dryRuns = 0;
    const desired = cluster.desired(prune('one', '{a: x, unknown: dropped}'));
    assert.equal(await statusOf('one', desired, options), 'OutOfSync');
    assert.equal(dryRuns, 0);
  });
});

describe('known types', () => {
  it('are compared by what they mean, quantities and durations by their amount', async () => {
    const desired = cluster.desired(prune('typed', '{cpu: 2000m, wait: 1h30m}'));
    await cluster.step(desired);
    const changed = await cluster.client.patch<KubeObject>(ref('typed'), 'merge', { spec: { cpu: '2', wait: '90m' } });
    await cluster.seen(() => live('typed')?.resourceVersion === changed.metadata.resourceVersion);
    assert.equal(await statusOf('typed', desired), 'OutOfSync');
    const known = { group: 'example.com', kind: 'Prune' };
    const knownTypes = [
      { ...known, field: 'spec.cpu', type: 'core/Quantity' },
      { ...known, field: 'spec.wait', type: 'meta/v1/Duration' },
    ];
    assert.equal(await statusOf('typed', desired, { knownTypes }), 'Synced');
    assert.equal(await statusOf('typed', desired, { knownTypes: knownTypes.slice(1) }), 'OutOfSync');
  });
});
