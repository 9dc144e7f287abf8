import { isNotFound, type KubeObject } from '@tiphys/kubernetes';
import type { Controller } from '../machinery/controller.ts';
import type { ObjectStore } from '../machinery/object-store.ts';
import { isNamespaceTerminating } from '../machinery/pods.ts';
import { semanticallyEqual } from '../machinery/semantically-equal.ts';
import type { Pod } from '../machinery/workload-model.ts';
import { type EndpointAddress, type EndpointPort, type EndpointSubset, repackSubsets } from './repack-subsets.ts';
import {
  addressOf,
  hasAddress,
  headlessLabel,
  hostnameIn,
  isHeadless,
  isServing,
  portAt,
  type Service,
} from './service-model.ts';
import { withTriggerTime } from './trigger-times.ts';

export interface Endpoints extends KubeObject {
  subsets?: EndpointSubset[];
}

const managedByLabel = 'endpoints.kubernetes.io/managed-by';

/** Brings the Endpoints of a service in line with its pods (pkg/controller/endpoint); `time`: since when they differ. */
export async function syncEndpoints(
  controller: Controller,
  store: ObjectStore<Endpoints>,
  service: Service,
  { pods, time }: { pods: readonly Pod[]; time: string | undefined },
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
  const annotations = withTriggerTime(before?.metadata.annotations, time);
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

function subsetsOf(service: Service, pods: readonly Pod[]): EndpointSubset[] {
  const family = service.spec.ipFamilies?.[0] === 'IPv6' ? 'IPv6' : 'IPv4';
  const publishes = Boolean(service.spec.publishNotReadyAddresses);
  const subsets = pods.flatMap((pod): EndpointSubset[] => {
    const ip = hasAddress(pod) && (publishes || !pod.metadata.deletionTimestamp) ? addressOf(pod, family) : undefined;
    const ports = portsOf(service, pod);
    if (!ip || (ports.length === 0 && ((service.spec.ports ?? []).length > 0 || !isHeadless(service)))) return [];
    const addresses = [addressFor(service, pod, ip)];
    return [{ ports, ...(publishes || isServing(pod) ? { addresses } : { notReadyAddresses: addresses }) }];
  });
  return repackSubsets(subsets);
}

function addressFor(service: Service, pod: Pod, ip: string): EndpointAddress {
  const { namespace = '', name = '', uid = '' } = pod.metadata;
  const hostname = hostnameIn(service, pod);
  return {
    ip,
    ...(hostname ? { hostname } : {}),
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: { kind: 'Pod', namespace, name, uid },
  };
}

function portsOf(service: Service, pod: Pod): EndpointPort[] {
  return (service.spec.ports ?? []).flatMap((each) => {
    const port = portAt(pod, each);
    if (port === undefined) return [];
    const { name, protocol = 'TCP', appProtocol } = each;
    return [{ ...(name ? { name } : {}), port, protocol, ...(appProtocol ? { appProtocol } : {}) }];
  });
}
