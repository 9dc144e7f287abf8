import { isNotFound, type KubeObject } from '@tiphys/kubernetes';
import type { Controller } from '../machinery/controller.ts';
import type { ObjectStore } from '../machinery/object-store.ts';
import { isNamespaceTerminating } from '../machinery/pods.ts';
import { semanticallyEqual } from '../machinery/semantically-equal.ts';
import type { Pod } from '../machinery/workload-model.ts';
import {
  addressOf,
  hasAddress,
  headlessLabel,
  hostnameIn,
  isHeadless,
  isServing,
  portAt,
  type Service,
  triggerTime,
  triggerTimeAnnotation,
} from './service-model.ts';

interface Address {
  ip: string;
  hostname?: string;
  nodeName?: string;
  targetRef: { kind: string; namespace: string; name: string; uid: string };
}

interface Port {
  name?: string;
  port: number;
  protocol: string;
  appProtocol?: string;
}

interface Subset {
  addresses?: Address[];
  notReadyAddresses?: Address[];
  ports?: Port[];
}

export interface Endpoints extends KubeObject {
  subsets?: Subset[];
}

const managedByLabel = 'endpoints.kubernetes.io/managed-by';

/** Brings the Endpoints of a service in line with its pods (pkg/controller/endpoint). */
export async function syncEndpoints(
  controller: Controller,
  store: ObjectStore<Endpoints>,
  service: Service,
  pods: readonly Pod[],
): Promise<void> {
  const { name = '', namespace = '' } = service.metadata;
  const before = store.get(namespace, name);
  const subsets = subsetsOf(service, pods);
  const labels = {
    ...service.metadata.labels,
    ...(isHeadless(service) ? { [headlessLabel]: '' } : {}),
    [managedByLabel]: 'endpoint-controller',
  };
  if (before && semanticallyEqual(before.subsets, subsets) && semanticallyEqual(before.metadata.labels, labels)) return;
  const annotations = { ...before?.metadata.annotations, [triggerTimeAnnotation]: triggerTime(service, pods) };
  const next: Endpoints = {
    apiVersion: 'v1',
    kind: 'Endpoints',
    ...before,
    metadata: { ...(before?.metadata ?? { name, namespace }), labels, annotations },
    subsets,
  };
  try {
    if (before) await controller.update(store, next);
    else await controller.create(store, next);
  } catch (error) {
    if (!isNamespaceTerminating(error)) throw error;
  }
}

/** Endpoints have no owner: they go when their service does. */
export async function removeEndpoints(controller: Controller, store: ObjectStore<Endpoints>, key: [string, string]) {
  const endpoints = store.get(...key);
  if (endpoints?.metadata.labels?.[managedByLabel] === undefined) return;
  try {
    await controller.delete(store, endpoints);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function subsetsOf(service: Service, pods: readonly Pod[]): Subset[] {
  const family = service.spec.ipFamilies?.[0] === 'IPv6' ? 'IPv6' : 'IPv4';
  const subsets = new Map<string, Required<Subset>>();
  const publishes = Boolean(service.spec.publishNotReadyAddresses);
  for (const pod of pods) {
    const ip = hasAddress(pod) && (publishes || !pod.metadata.deletionTimestamp) ? addressOf(pod, family) : undefined;
    const ports = portsOf(service, pod);
    if (!ip || (ports.length === 0 && ((service.spec.ports ?? []).length > 0 || !isHeadless(service)))) continue;
    const key = JSON.stringify(ports);
    const subset = subsets.get(key) ?? { addresses: [], notReadyAddresses: [], ports };
    (publishes || isServing(pod) ? subset.addresses : subset.notReadyAddresses).push(addressFor(service, pod, ip));
    subsets.set(key, subset);
  }
  return [...subsets.values()].map(({ addresses, notReadyAddresses, ports }) => ({
    ...(addresses.length > 0 ? { addresses: addresses.sort(byIp) } : {}),
    ...(notReadyAddresses.length > 0 ? { notReadyAddresses: notReadyAddresses.sort(byIp) } : {}),
    ...(ports.length > 0 ? { ports } : {}),
  }));
}

function addressFor(service: Service, pod: Pod, ip: string): Address {
  const { namespace = '', name = '', uid = '' } = pod.metadata;
  const hostname = hostnameIn(service, pod);
  return {
    ip,
    ...(hostname ? { hostname } : {}),
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: { kind: 'Pod', namespace, name, uid },
  };
}

function portsOf(service: Service, pod: Pod): Port[] {
  return (service.spec.ports ?? []).flatMap((each) => {
    const port = portAt(pod, each);
    if (port === undefined) return [];
    const { name, protocol = 'TCP', appProtocol } = each;
    return [{ ...(name ? { name } : {}), port, protocol, ...(appProtocol ? { appProtocol } : {}) }];
  });
}

function byIp(a: Address, b: Address): number {
  return a.ip < b.ip ? -1 : a.ip > b.ip ? 1 : 0;
}
