import { deepEqual } from '@tiphys/controller';
import type { Client, KubeObject } from '@tiphys/kubernetes';
import type { EventSource } from '../spec/event-source.ts';

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

/** Makes the Service NAME-eventsource-svc that `spec.service` asks for, and removes it where it asks for none. */
export async function reconcileService(client: Client, source: EventSource): Promise<void> {
  const { namespace = '', name = '' } = source.metadata;
  const ref = { apiVersion: 'v1', kind: 'Service', namespace, name: `${name}-eventsource-svc` };
  const live = await client.find(ref);
  const isOurs = live?.metadata.ownerReferences?.some(({ uid }) => uid === source.metadata.uid) ?? false;
  if (!source.spec.service) {
    if (live && isOurs) await client.delete(ref);
    return;
  }
  const { ports = [], clusterIP, metadata } = source.spec.service;
  const labels = sourceLabels(source);
  const spec = { ports, type: 'ClusterIP', selector: labels, ...(clusterIP ? { clusterIP } : {}) };
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
  if (!live) await client.create(service);
  else if (!deepEqual(live.metadata.annotations?.[digestAnnotation], digest)) {
    await client.delete(ref);
    await client.create(service);
  }
}
