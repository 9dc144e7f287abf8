import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Client, connect } from '@tiphys/kubernetes';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';
import type { EventSource } from '../spec/event-source.ts';
import { reconcileService } from './source-service.ts';

const namespace = 'hooks';
const service = { apiVersion: 'v1', kind: 'Service', namespace, name: 'push-eventsource-svc' };
const slice = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  namespace,
  name: 'push-eventsource-svc-tiphys',
};

describe('the Service of an EventSource', () => {
  let sandbox: Sandbox;
  let client: Client;
  let source: EventSource;
  before(async () => {
    sandbox = await startSandbox({ controllers: false, nodes: 0 });
    client = connect(sandbox.config, { caller: { component: 'test', purpose: 'events' } });
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    // any object will do as the owner
    const owner = await client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'push', namespace } });
    source = {
      ...(owner as unknown as EventSource),
      spec: {
        service: {
          ports: [
            { name: 'web', port: 80, targetPort: 12000 },
            { name: 'other', port: 13000 },
          ],
        },
      },
    };
  });
  after(async () => {
    await client?.close();
    await sandbox?.close();
  });

  const endpoints = async () => {
    const { addressType, endpoints, ports } = (await client.get(slice)) as unknown as Record<string, unknown>;
    return { addressType, endpoints, ports };
  };
  const selector = async () => (await client.get(service)).spec as { selector?: object };

  it('leads to the process where the sources run, though no pod has its labels', async () => {
    await reconcileService(client, source, '10.1.2.3');
    assert.equal((await selector()).selector, undefined);
    assert.deepEqual(await endpoints(), {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.2.3'], conditions: { ready: true } }],
      ports: [
        { name: 'web', port: 12000, protocol: 'TCP' },
        { name: 'other', port: 13000, protocol: 'TCP' },
      ],
    });
    const { metadata } = await client.get(slice);
    assert.equal(metadata.labels?.['kubernetes.io/service-name'], service.name);
    assert.equal(metadata.ownerReferences?.[0]?.uid, (await client.get(service)).metadata.uid);
  });

  it('follows the process to another address, and is written no more than that', async () => {
    await reconcileService(client, source, 'fd00::7');
    assert.equal((await endpoints()).addressType, 'IPv6');
    const before = (await client.get(slice)).metadata.resourceVersion;
    await reconcileService(client, source, 'fd00::7');
    assert.equal((await client.get(slice)).metadata.resourceVersion, before);
  });

  it('selects the pods of the source where it has pods', async () => {
    await reconcileService(client, source, undefined);
    assert.deepEqual((await selector()).selector, {
      controller: 'eventsource-controller',
      'eventsource-name': 'push',
      'owner-name': 'push',
    });
  });

  it('goes where nobody asks for it, and one of somebody else stays', async () => {
    const { service: _, ...spec } = source.spec;
    await reconcileService(client, { ...source, spec }, '10.1.2.3');
    assert.equal(await client.find(service), undefined);
    await client.create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: service.name, namespace },
      spec: { ports: [{ port: 80 }] },
    });
    await reconcileService(client, { ...source, spec }, '10.1.2.3');
    assert.ok(await client.find(service));
  });
});
