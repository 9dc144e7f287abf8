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

  const slices = (wanted: (slices: EndpointSlice[]) => boolean) =>
    eventuallyAll<EndpointSlice>(cluster.client, 'discovery.k8s.io/v1', 'EndpointSlice', wanted);

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
});
