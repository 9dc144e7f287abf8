import { deepEqual } from '@tiphys/controller';
import type { Client, KubeObject } from '@tiphys/kubernetes';
import type { EventSource, ServicePort } from '../spec/event-source.ts';

const digestAnnotation = 'resource-spec-hash';

/** Labels of what belongs to an EventSource. */
export function sourceLabels({ metadata }: EventSource): Record<string, string> {
  return {
    controller: 'eventsource-controller',
    'eventsource-name': metadata.name ?? '',
    'owner-name': metadata.name ?? '',
  };
}

/** Owner reference of a controller's object. */
export function ownedBy({ apiVersion, kind, metadata }: KubeObject) {
  const { name, uid } = metadata;
  return { apiVersion, kind, name: name ?? '', uid: uid ?? '', controller: true, blockOwnerDeletion: true };
}

/**
 * Makes the Service NAME-eventsource-svc that `spec.service` asks for, and removes it where it asks for none. `heardAt` is the address of this
 * process where sources run in it: no pod has the labels of a source then, so that the Service has no selector, and an EndpointSlice of ours.
 */
export async function reconcileService(
  client: Client,
  source: EventSource,
  heardAt: string | undefined,
): Promise<void> {
  const { namespace = '', name = '' } = source.metadata;
  const ref = { apiVersion: 'v1', kind: 'Service', namespace, name: `${name}-eventsource-svc` };
  const live = await client.find(ref);
  const isOurs = live?.metadata.ownerReferences?.some(({ uid }) => uid === source.metadata.uid) ?? false;
  if (!source.spec.service) {
    // its EndpointSlice goes with it
    if (live && isOurs) await client.delete(ref);
    return;
  }
  const { ports = [], clusterIP, metadata } = source.spec.service;
  const labels = sourceLabels(source);
  const selector = heardAt ? {} : { selector: labels };
  const spec = { ports, type: 'ClusterIP', ...selector, ...(clusterIP ? { clusterIP } : {}) };
  const digest = JSON.stringify(spec);
  const service: KubeObject = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: ref.name,
      namespace,
      labels: { ...metadata?.labels, ...labels },
      annotations: { ...metadata?.annotations, [digestAnnotation]: digest },
      ownerReferences: [ownedBy(source)],
    },
    spec,
  };
  let made = live;
  if (!made) made = await client.create(service);
  else if (made.metadata.annotations?.[digestAnnotation] !== digest) {
    await client.delete(ref);
    made = await client.create(service);
  }
  if (heardAt) await reconcileEndpoints(client, made, ports, heardAt);
}

async function reconcileEndpoints(
  client: Client,
  service: KubeObject,
  ports: readonly ServicePort[],
  heardAt: string,
): Promise<void> {
  const { namespace = '', name = '' } = service.metadata;
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${name}-tiphys`,
      namespace,
      labels: { 'kubernetes.io/service-name': name, 'endpointslice.kubernetes.io/managed-by': 'events.tiphys.dev' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name, uid: service.metadata.uid ?? '' }],
    },
    addressType: heardAt.includes(':') ? 'IPv6' : 'IPv4',
    endpoints: [{ addresses: [heardAt], conditions: { ready: true } }],
    ports: ports.map(({ name = '', port, targetPort, protocol = 'TCP' }) => ({
      name,
      // nothing here has ports with names
      port: Number(targetPort) || port,
      protocol,
    })),
  };
  const ref = { apiVersion: slice.apiVersion, kind: slice.kind, namespace, name: slice.metadata.name };
  const live = await client.find<typeof slice>(ref);
  const fits =
    live !== undefined &&
    live.metadata.ownerReferences?.[0]?.uid === service.metadata.uid &&
    deepEqual(live.endpoints, slice.endpoints) &&
    deepEqual(live.ports, slice.ports);
  if (fits) return;
  // the type of addresses of a slice never changes, and that of a Service that was made anew goes with the old one
  if (live) await client.delete(ref);
  await client.create(slice);
}
