import type { KubeObject } from '@tiphys/kubernetes';
import { type Controller, controllerRef } from '../machinery/controller.ts';
import type { ObjectStore } from '../machinery/object-store.ts';
import { isNamespaceTerminating } from '../machinery/pods.ts';
import { semanticallyEqual } from '../machinery/semantically-equal.ts';
import type { Node, Pod } from '../machinery/workload-model.ts';
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

export interface Endpoint {
  addresses: string[];
  targetRef?: { kind?: string; namespace?: string; name?: string; uid?: string };
  [field: string]: unknown;
}

export interface EndpointSlice extends KubeObject {
  addressType: string;
  endpoints: Endpoint[] | null;
  ports: { name: string; port: number; protocol: string; appProtocol?: string }[] | null;
}

export const serviceNameLabel = 'kubernetes.io/service-name';
export const managedByLabel = 'endpointslice.kubernetes.io/managed-by';
const managedBy = 'endpointslice-controller.k8s.io';
const largest = 100;
const near: ReadonlySet<string> = new Set(['PreferClose', 'PreferSameZone', 'PreferSameNode']);

interface Io {
  controller: Controller;
  slices: ObjectStore<EndpointSlice>;
  nodes: ObjectStore<Node>;
  /** Since when what they tell differs. */
  time: string | undefined;
}

/** Endpoints that share their ports and so may share a slice. */
interface Group {
  ports: NonNullable<EndpointSlice['ports']>;
  endpoints: Map<string, Endpoint>;
}

/** Brings the slices of a service in line with its pods (`Reconciler.Reconcile`), leaving endpoints where they are. */
export async function syncEndpointSlices(io: Io, service: Service, pods: readonly Pod[]): Promise<void> {
  const own = [...io.slices.inNamespace(service.metadata.namespace ?? '')].filter(
    ({ metadata }) =>
      metadata.labels?.[serviceNameLabel] === service.metadata.name &&
      metadata.labels?.[managedByLabel] === managedBy &&
      !metadata.deletionTimestamp,
  );
  const families = service.spec.ipFamilies ?? ['IPv4'];
  for (const slice of own) if (!families.includes(slice.addressType)) await io.controller.delete(io.slices, slice);
  for (const family of families) {
    const existing = own.filter(({ addressType }) => addressType === family);
    await syncFamily(io, service, { pods, existing, family: family as 'IPv4' | 'IPv6' });
  }
}

async function syncFamily(
  io: Io,
  service: Service,
  { pods, existing, family }: { pods: readonly Pod[]; existing: EndpointSlice[]; family: 'IPv4' | 'IPv6' },
): Promise<void> {
  const groups = groupsOf(io, service, pods, family);
  const wanted: EndpointSlice[] = [];
  const unused = new Set(existing);
  for (const { ports, endpoints } of groups.size > 0 ? groups.values() : [{ ports: null, endpoints: new Map() }]) {
    const placed: EndpointSlice[] = [];
    const left = new Map<string, Endpoint>(endpoints);
    for (const slice of existing) {
      if (!unused.has(slice) || (ports && !semanticallyEqual(slice.ports, ports))) continue;
      const kept = (slice.endpoints ?? []).flatMap(({ targetRef }) => take(left, targetRef?.uid));
      if (kept.length === 0 && placed.length > 0) continue;
      unused.delete(slice);
      placed.push({ ...slice, ports, endpoints: kept });
    }
    for (const uid of [...left.keys()]) {
      let slice = placed.find(({ endpoints: there }) => (there?.length ?? 0) < largest);
      if (!slice) {
        slice = newSlice(service, family, ports);
        placed.push(slice);
      }
      slice.endpoints = [...(slice.endpoints ?? []), ...take(left, uid)];
    }
    // a service without endpoints has one empty slice
    if (placed.length === 0) placed.push(newSlice(service, family, ports));
    wanted.push(...placed);
  }
  const spare = [...unused];
  for (const slice of wanted) {
    // one that would go takes the place of one that would be new
    const recycled = slice.metadata.uid ? undefined : spare.pop();
    await write(io, service, recycled ? { ...slice, metadata: recycled.metadata } : slice, existing);
  }
  for (const slice of spare) await io.controller.delete(io.slices, slice);
}

function take(left: Map<string, Endpoint>, uid: string | undefined): Endpoint[] {
  const endpoint = left.get(uid ?? '');
  left.delete(uid ?? '');
  return endpoint ? [endpoint] : [];
}

async function write(
  { controller, slices, time }: Io,
  service: Service,
  slice: EndpointSlice,
  existing: readonly EndpointSlice[],
): Promise<void> {
  const labels = labelsOf(service);
  const before = existing.find(({ metadata }) => metadata.uid === slice.metadata.uid);
  const same =
    before &&
    semanticallyEqual(before.endpoints, slice.endpoints) &&
    semanticallyEqual(before.ports, slice.ports) &&
    semanticallyEqual(before.metadata.labels, labels);
  if (same) return;
  const annotations = withTriggerTime(slice.metadata.annotations, time);
  const next = {
    ...slice,
    metadata: { ...slice.metadata, labels, annotations },
    // the real controller writes protobuf, which has no empty lists
    endpoints: slice.endpoints?.length ? slice.endpoints : null,
    ports: slice.ports?.length ? slice.ports : null,
  };
  try {
    if (before) await controller.update(slices, next);
    else await controller.create(slices, next);
  } catch (error) {
    if (!isNamespaceTerminating(error)) throw error;
  }
}

function newSlice(service: Service, addressType: string, ports: EndpointSlice['ports']): EndpointSlice {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      generateName: `${service.metadata.name}-`,
      namespace: service.metadata.namespace ?? '',
      ownerReferences: [controllerRef(service)],
    },
    addressType,
    endpoints: [],
    ports,
  };
}

function labelsOf(service: Service): Record<string, string> {
  const { [serviceNameLabel]: _, [managedByLabel]: __, [headlessLabel]: ___, ...own } = service.metadata.labels ?? {};
  return {
    ...own,
    [managedByLabel]: managedBy,
    [serviceNameLabel]: service.metadata.name ?? '',
    ...(isHeadless(service) ? { [headlessLabel]: '' } : {}),
  };
}

function groupsOf(io: Io, service: Service, pods: readonly Pod[], family: 'IPv4' | 'IPv6'): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const pod of pods) {
    const address = hasAddress(pod) ? addressOf(pod, family) : undefined;
    // a node that is not known is waited for, as the real controller does
    const unknownNode = pod.spec.nodeName !== undefined && !io.nodes.get('', pod.spec.nodeName);
    if (!address || unknownNode) continue;
    const ports = portsOf(service, pod);
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { ports, endpoints: new Map<string, Endpoint>() };
    group.endpoints.set(pod.metadata.uid ?? '', endpointOf(io, service, pod, address));
    groups.set(key, group);
  }
  return groups;
}

function portsOf(service: Service, pod: Pod): NonNullable<EndpointSlice['ports']> {
  return (service.spec.ports ?? []).flatMap((each) => {
    const port = portAt(pod, each);
    if (port === undefined) return [];
    const { name = '', protocol = 'TCP', appProtocol } = each;
    return [{ name, port, protocol, ...(appProtocol ? { appProtocol } : {}) }];
  });
}

function endpointOf({ nodes }: Io, service: Service, pod: Pod, address: string): Endpoint {
  const serving = isServing(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const { namespace = '', name = '', uid = '' } = pod.metadata;
  const { nodeName } = pod.spec;
  const zone = nodes.get('', nodeName ?? '')?.metadata.labels?.['topology.kubernetes.io/zone'];
  const hostname = hostnameIn(service, pod);
  const ready = Boolean(service.spec.publishNotReadyAddresses) || (serving && !terminating);
  const hints = ready ? hintsOf(service, zone, nodeName) : undefined;
  return {
    addresses: [address],
    conditions: { ready, serving, terminating },
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(nodeName ? { nodeName } : {}),
    ...(zone ? { zone } : {}),
    ...(hostname ? { hostname } : {}),
    ...(hints ? { hints } : {}),
  };
}

/** Who should use the endpoint first, where the service wants its traffic to stay near (`trafficdist.ReconcileHints`). */
function hintsOf({ metadata, spec }: Service, zone: string | undefined, node: string | undefined): object | undefined {
  const { trafficDistribution = '' } = spec;
  const mode =
    metadata.annotations?.['service.kubernetes.io/topology-aware-hints'] ??
    metadata.annotations?.['service.kubernetes.io/topology-mode'];
  if (!near.has(trafficDistribution) || mode?.toLowerCase() === 'auto') return undefined;
  const toNode = trafficDistribution === 'PreferSameNode' && node;
  return zone || toNode
    ? { ...(zone ? { forZones: [{ name: zone }] } : {}), ...(toNode ? { forNodes: [{ name: node }] } : {}) }
    : undefined;
}
