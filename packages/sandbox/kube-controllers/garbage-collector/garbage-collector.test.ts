import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Client, connect, type KubeObject } from '@tiphys/kubernetes';
import { type Sandbox, startSandbox } from '../../sandbox/index.ts';
import { startControllers } from '../start-controllers.ts';
import { eventually } from '../testing/eventually.ts';

describe('garbage collector', () => {
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

  const configMap = (name: string, owners: KubeObject[] = [], extra: object = {}) =>
    client.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'default', ownerReferences: owners.map((owner) => reference(owner)), ...extra },
    });
  const find = (name: string) => client.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name });
  const remove = (name: string, propagationPolicy: 'Foreground' | 'Background' | 'Orphan') =>
    client.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name }, { propagationPolicy });
  const gone = (name: string) => eventually(client, 'v1', 'ConfigMap', name, (object) => object === undefined);

  it('deletes dependents of an owner that is gone, to the last generation', async () => {
    const grandparent = await configMap('grandparent');
    const parent = await configMap('parent', [grandparent]);
    await configMap('child', [parent]);
    await remove('grandparent', 'Background');
    await gone('child');
    await gone('parent');
  });

  it('deletes what is created with an owner that never existed, and one of another UID', async () => {
    const owner = await configMap('renewed');
    const stale = { ...owner, metadata: { ...owner.metadata, uid: '00000000-0000-0000-0000-000000000001' } };
    await configMap('of-the-former', [stale]);
    await gone('of-the-former');
    assert.ok(await find('renewed'));
  });

  it('deletes what names an owner of another namespace, and tells so', async () => {
    const owner = await client.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'elsewhere', namespace: 'kube-public' },
    });
    await configMap('stray', [owner]);
    await gone('stray');
  });

  it('keeps an object while one of its owners lives, and drops the reference to the other', async () => {
    const [one, two] = [await configMap('one'), await configMap('two')];
    await configMap('shared', [one, two]);
    await remove('one', 'Background');
    const shared = await eventually(
      client,
      'v1',
      'ConfigMap',
      'shared',
      (object) => object?.metadata.ownerReferences?.length === 1,
    );
    assert.equal(shared?.metadata.ownerReferences?.[0]?.name, 'two');
    await remove('two', 'Background');
    await gone('shared');
  });

  it('removes the finalizer of foreground deletion at once where there are no dependents', async () => {
    await configMap('alone');
    await remove('alone', 'Foreground');
    await gone('alone');
  });

  it('lets an owner under foreground deletion go after the dependents that block it', async () => {
    const owner = await configMap('patient');
    await configMap('slow', [owner], { finalizers: ['example.com/hold'] });
    const loose = { ...reference(owner), blockOwnerDeletion: false };
    await configMap('quick', [], { ownerReferences: [loose] });
    await remove('patient', 'Foreground');
    await eventually(client, 'v1', 'ConfigMap', 'slow', (object) => Boolean(object?.metadata.deletionTimestamp));
    // one that does not hold the owner up goes with the others
    await gone('quick');
    assert.deepEqual((await find('patient'))?.metadata.finalizers, ['foregroundDeletion']);
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'slow' };
    await client.patch(ref, 'merge', { metadata: { finalizers: null } });
    await gone('patient');
  });

  it('leaves dependents without owner when the owner is deleted with the policy Orphan', async () => {
    const owner = await configMap('leaving');
    await configMap('staying', [owner]);
    await remove('leaving', 'Orphan');
    await gone('leaving');
    assert.equal((await find('staying'))?.metadata.ownerReferences, undefined);
  });

  it('follows kinds that are defined while it runs', async () => {
    await client.create(widgets);
    await eventually(client, 'apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'widgets.example.com', (object) =>
      Boolean((object?.status as { conditions?: unknown[] } | undefined)?.conditions?.length),
    );
    client.discovery.invalidate();
    const owner = await client.create({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'owner', namespace: 'default' },
    });
    await configMap('of-widget', [owner]);
    const ref = { apiVersion: 'example.com/v1', kind: 'Widget', namespace: 'default', name: 'owner' };
    await client.delete(ref, { propagationPolicy: 'Foreground' });
    await gone('of-widget');
    await eventually(client, 'example.com/v1', 'Widget', 'owner', (object) => object === undefined);
  });
});

function reference({ apiVersion, kind, metadata: { name = '', uid = '' } }: KubeObject) {
  return { apiVersion, kind, name, uid, blockOwnerDeletion: true };
}

const widgets: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
