import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Client, connect, type KubeObject } from '@tiphys/kubernetes';
import { type Sandbox, startSandbox } from '../../sandbox/index.ts';
import type { Condition } from '../machinery/workload-model.ts';
import { startControllers } from '../start-controllers.ts';
import { eventually } from '../testing/eventually.ts';

describe('namespace controller', () => {
  const stop = new AbortController();
  let sandbox: Sandbox;
  let client: Client;

  before(async () => {
    sandbox = await startSandbox({ controllers: false, nodes: 0 });
    client = connect(sandbox.config, { caller: { component: 'test', purpose: 'test' } });
    await startControllers(client, { signal: stop.signal });
  });
  after(async () => {
    stop.abort();
    await client.close();
    await sandbox.close();
  });

  const conditionsOf = (object: KubeObject | undefined) =>
    (object?.status as { conditions?: Condition[] } | undefined)?.conditions ?? [];

  it('deletes what is in a namespace and then the namespace', async () => {
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'full' } });
    const metadata = { name: 'content', namespace: 'full' };
    await client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
    await client.create({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata,
      spec: { podSelector: {} },
    });
    await client.delete({ apiVersion: 'v1', kind: 'Namespace', name: 'full' });
    await eventually(client, 'v1', 'Namespace', 'full', (object) => object === undefined);
    assert.equal((await client.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'full' })).items.length, 0);
  });

  it('tells which objects and finalizers hold a namespace', async () => {
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'held' } });
    const metadata = { name: 'content', namespace: 'held', finalizers: ['example.com/hold'] };
    await client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
    await client.delete({ apiVersion: 'v1', kind: 'Namespace', name: 'held' });
    const held = await eventually(client, 'v1', 'Namespace', 'held', (object) => conditionsOf(object).length > 0);
    const told = conditionsOf(held).map(({ type, status, reason, message }) => [type, status, reason, message]);
    assert.deepEqual(told, [
      ['NamespaceDeletionDiscoveryFailure', 'False', 'ResourcesDiscovered', 'All resources successfully discovered'],
      [
        'NamespaceDeletionGroupVersionParsingFailure',
        'False',
        'ParsedGroupVersions',
        'All legacy kube types successfully parsed',
      ],
      [
        'NamespaceDeletionContentFailure',
        'False',
        'ContentDeleted',
        'All content successfully deleted, may be waiting on finalization',
      ],
      [
        'NamespaceContentRemaining',
        'True',
        'SomeResourcesRemain',
        'Some resources are remaining: configmaps. has 1 resource instances',
      ],
      [
        'NamespaceFinalizersRemaining',
        'True',
        'SomeFinalizersRemain',
        'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
      ],
    ]);
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'held', name: 'content' };
    await client.patch(ref, 'merge', { metadata: { finalizers: null } });
    await eventually(client, 'v1', 'Namespace', 'held', (object) => object === undefined);
  });
});
