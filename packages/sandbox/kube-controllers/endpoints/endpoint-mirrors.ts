import { isIPv4, isIPv6 } from 'node:net';
import { Controller, type ControllerContext, controllerRef, splitKey } from '../machinery/controller.ts';
import type { ObjectStore } from '../machinery/object-store.ts';
import { isNamespaceTerminating } from '../machinery/pods.ts';
import { semanticallyEqual } from '../machinery/semantically-equal.ts';
import { type Endpoint, type EndpointSlice, managedByLabel, serviceNameLabel } from './endpoint-slices.ts';
import type { Endpoints } from './legacy-endpoints.ts';
import { type EndpointAddress, repackSubsets } from './repack-subsets.ts';
import type { Service } from './service-model.ts';
import { withTriggerTime } from './trigger-times.ts';

const managedBy = 'endpointslicemirroring-controller.k8s.io';
/** So many addresses of a subset are mirrored. */
const most = 1000;
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** Mirrors the Endpoints of Services without selector, which somebody else writes (pkg/controller/endpointslicemirroring). */
export function startEndpointMirrors(context: ControllerContext): void {
  const controller = new Controller(context, 'endpoint-slice-mirroring-controller');
  const services = context.stores.of<Service>('v1', 'Service');
  const endpoints = context.stores.of<Endpoints>('v1', 'Endpoints');
  const slices = context.stores.of<EndpointSlice>('discovery.k8s.io/v1', 'EndpointSlice');
  controller.watch(endpoints).watch(services);
  slices.subscribe(({ type, object: { metadata } }) => {
    const service = metadata.labels?.[managedByLabel] === managedBy ? metadata.labels[serviceNameLabel] : undefined;
    if (type === 'deleted' && service) controller.queue.add(`${metadata.namespace}/${service}`);
  });
  controller.run(async (key) => {
    const [namespace, name] = splitKey(key);
    const mirrored = endpoints.get(namespace, name);
    const service = services.get(namespace, name);
    const own = [...slices.inNamespace(namespace)].filter(
      ({ metadata: { labels, deletionTimestamp } }) =>
        labels?.[serviceNameLabel] === name && labels[managedByLabel] === managedBy && !deletionTimestamp,
    );
    const wanted =
      mirrored && service && !service.spec.selector && isMirrored(mirrored) ? mirrorsOf(controller, mirrored) : [];
    await settle(controller, slices, own, wanted);
    return undefined;
  });
}

function isMirrored({ metadata: { labels, annotations } }: Endpoints): boolean {
  return (
    labels?.['endpointslice.kubernetes.io/skip-mirror'] !== 'true' &&
    annotations?.['control-plane.alpha.kubernetes.io/leader'] === undefined
  );
}

/** One slice for each subset and family of addresses; what cannot be mirrored is reported. */
function mirrorsOf(controller: Controller, endpoints: Endpoints): EndpointSlice[] {
  let invalid = 0;
  let skipped = 0;
  const mirrors = repackSubsets(endpoints.subsets ?? []).flatMap(
    ({ addresses = [], notReadyAddresses = [], ports }) => {
      const all = [
        ...addresses.map((address) => endpointOf(address, true)),
        ...notReadyAddresses.map((address) => endpointOf(address, false)),
      ];
      const valid = all.filter((endpoint) => endpoint !== undefined);
      invalid += all.length - valid.length;
      skipped += Math.max(0, valid.length - most);
      const kept = valid.slice(0, most);
      return (['IPv4', 'IPv6'] as const).flatMap((family) => {
        const some = kept.filter((endpoint) => isIPv4(endpoint.addresses[0] ?? '') === (family === 'IPv4'));
        const named = (ports ?? []).map(({ name = '', port, protocol = 'TCP', appProtocol }) => ({
          name,
          port,
          protocol,
          ...(appProtocol ? { appProtocol } : {}),
        }));
        return some.length > 0 ? [mirrorOf(endpoints, family, { ports: named, endpoints: some })] : [];
      });
    },
  );
  const warn = (reason: string, message: string) => controller.events.event(endpoints, 'Warning', reason, message);
  if (invalid > 0) warn('InvalidIPAddress', `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`);
  if (skipped > 0)
    warn(
      'TooManyAddressesToMirror',
      `A max of ${most} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped + invalid} addresses were skipped`,
    );
  return mirrors;
}

function mirrorOf(
  endpoints: Endpoints,
  addressType: string,
  content: Pick<EndpointSlice, 'ports' | 'endpoints'>,
): EndpointSlice {
  const { name = '', namespace = '', labels, annotations } = endpoints.metadata;
  const { [lastApplied]: _, ...others } = withTriggerTime(annotations, undefined);
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: { ...labels, [serviceNameLabel]: name, [managedByLabel]: managedBy },
      annotations: others,
      ownerReferences: [controllerRef(endpoints)],
    },
    addressType,
    ...content,
  };
}

/** Undefined for what is no address. */
function endpointOf({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint | undefined {
  if (!isIPv4(ip) && !isIPv6(ip)) return undefined;
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...(targetRef ? { targetRef } : {}),
    ...(nodeName ? { nodeName } : {}),
  };
}

/** Keeps a slice where its ports stay, and uses one that would go for one that would be new. */
async function settle(
  controller: Controller,
  slices: ObjectStore<EndpointSlice>,
  own: readonly EndpointSlice[],
  wanted: readonly EndpointSlice[],
): Promise<void> {
  const left = new Set(own);
  const take = (fits: (slice: EndpointSlice) => boolean) => {
    const found = [...left].find(fits);
    if (found) left.delete(found);
    return found;
  };
  const kept = wanted.map((next) => ({
    next,
    before: take((slice) => slice.addressType === next.addressType && semanticallyEqual(slice.ports, next.ports)),
  }));
  for (const { next, before = take((slice) => slice.addressType === next.addressType) } of kept)
    await write(controller, slices, next, before);
  for (const slice of left) await controller.delete(slices, slice);
}

async function write(
  controller: Controller,
  slices: ObjectStore<EndpointSlice>,
  next: EndpointSlice,
  before: EndpointSlice | undefined,
): Promise<void> {
  const essence = ({ metadata: { labels, annotations }, endpoints, ports }: EndpointSlice) => [
    labels,
    annotations,
    [...(endpoints ?? [])].sort((a, b) => ((a.addresses[0] ?? '') < (b.addresses[0] ?? '') ? -1 : 1)),
    ports,
  ];
  if (before && semanticallyEqual(essence(before), essence(next))) return;
  const { generateName: _, ...metadata } = next.metadata;
  try {
    if (before) await controller.update(slices, { ...before, ...next, metadata: { ...before.metadata, ...metadata } });
    else await controller.create(slices, next);
  } catch (error) {
    if (!isNamespaceTerminating(error)) throw error;
  }
}
