import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ControlledCluster, startControlledCluster } from '../testing/controlled-cluster.ts';
import { eventually } from '../testing/eventually.ts';
import { eventuallyAll } from '../testing/eventually-all.ts';
import { playPod } from '../testing/play-pod.ts';
import type { EndpointSlice } from './endpoint-slices.ts';
import type { Endpoints } from './legacy-endpoints.ts';

describe('endpoints controller', () => {
  let cluster: ControlledCluster;
  before(async () => {
    cluster = await startControlledCluster();
  });
  after(() => cluster.close());

  // The API server's own is there too.
  const ofServices = (all: EndpointSlice[]) => all.filter(({ metadata }) => metadata.name !== 'kubernetes');
  const slices = async (wanted: (slices: EndpointSlice[]) => boolean) =>
    ofServices(
      await eventuallyAll<EndpointSlice>(cluster.client, 'discovery.k8s.io/v1', 'EndpointSlice', (all) =>
        wanted(ofServices(all)),
      ),
    );

  it('follows the pods of a service, their readiness, and the end of the service', async () => {
    await cluster.create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', labels: { team: 'shop' } },
      spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }] },
    });
    const [empty] = await slices((all) => all.length === 1);
    assert.deepEqual([empty?.endpoints, empty?.ports], [null, null]);
    assert.equal(empty?.metadata.labels?.team, 'shop');
    const container = { name: 'main', image: 'nginx', ports: [{ name: 'http', containerPort: 8080 }] };
    const pod = await cluster.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web-1', labels: { app: 'web' } },
      spec: { containers: [container] },
    });
    await playPod(cluster.client, pod, 'Running');
    const ref = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web-1' };
    const status = { podIP: '10.1.0.1', podIPs: [{ ip: '10.1.0.1' }] };
    await cluster.client.patch(ref, 'merge', { status }, { subresource: 'status' });
    const [full] = await slices(([slice]) => slice?.endpoints?.length === 1);
    assert.deepEqual(full?.ports, [{ name: '', port: 8080, protocol: 'TCP' }]);
    assert.deepEqual(full?.endpoints?.[0]?.conditions, { ready: true, serving: true, terminating: false });
    const endpoints = await eventually<Endpoints>(
      cluster.client,
      'v1',
      'Endpoints',
      'web',
      (object) => object?.subsets?.[0]?.addresses?.[0]?.ip === '10.1.0.1',
    );
    assert.deepEqual(endpoints.subsets?.[0]?.ports, [{ port: 8080, protocol: 'TCP' }]);
    await cluster.client.delete({ apiVersion: 'v1', kind: 'Service', namespace: 'default', name: 'web' });
    await slices((all) => all.length === 0);
    await eventually(cluster.client, 'v1', 'Endpoints', 'web', (object) => object === undefined);
  });

  it('mirrors Endpoints that somebody else keeps for a service without selector', async () => {
    await cluster.create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'outside' },
      spec: { ports: [{ name: 'http', port: 80 }] },
    });
    const subset = {
      addresses: [{ ip: '192.0.2.1' }, { ip: '192.0.2.2', hostname: 'two' }],
      notReadyAddresses: [{ ip: '2001:db8::1' }],
      ports: [{ name: 'http', port: 8080 }],
    };
    await cluster.create({
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { name: 'outside', labels: { team: 'shop' }, annotations: { note: 'kept' } },
      subsets: [subset],
    });
    const mirrors = (all: EndpointSlice[]) =>
      all.filter(({ metadata }) => metadata.ownerReferences?.[0]?.name === 'outside');
    const both = mirrors(await slices((all) => mirrors(all).length === 2));
    const [v4, v6] = both.sort((a, b) => (a.addressType < b.addressType ? -1 : 1));
    assert.deepEqual(v4?.metadata.labels, {
      team: 'shop',
      'kubernetes.io/service-name': 'outside',
      'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
    });
    assert.deepEqual(v4.metadata.annotations, { note: 'kept' });
    assert.deepEqual(v4.endpoints, [
      { addresses: ['192.0.2.1'], conditions: { ready: true } },
      { addresses: ['192.0.2.2'], conditions: { ready: true }, hostname: 'two' },
    ]);
    assert.deepEqual(v6?.endpoints, [{ addresses: ['2001:db8::1'], conditions: { ready: false } }]);
    assert.deepEqual(v6.ports, [{ name: 'http', port: 8080, protocol: 'TCP' }]);
    const ref = { apiVersion: 'v1', kind: 'Endpoints', namespace: 'default', name: 'outside' };
    await cluster.client.patch(ref, 'merge', { subsets: [{ ...subset, ports: [{ name: 'http', port: 8081 }] }] });
    const moved = mirrors(
      await slices((all) => mirrors(all).length > 0 && mirrors(all).every(({ ports }) => ports?.[0]?.port === 8081)),
    );
    assert.deepEqual(moved.map(({ metadata }) => metadata.uid).sort(), both.map(({ metadata }) => metadata.uid).sort());
    await cluster.client.delete(ref);
    await slices((all) => mirrors(all).length === 0);
  });
});
