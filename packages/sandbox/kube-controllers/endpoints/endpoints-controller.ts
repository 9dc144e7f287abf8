import { Controller, type ControllerContext, keyFor, splitKey } from '../machinery/controller.ts';
import { labelsMatch } from '../machinery/label-selector.ts';
import { semanticallyEqual } from '../machinery/semantically-equal.ts';
import type { Node, Pod } from '../machinery/workload-model.ts';
import { type EndpointSlice, serviceNameLabel, syncEndpointSlices } from './endpoint-slices.ts';
import { type Endpoints, removeEndpoints, syncEndpoints } from './legacy-endpoints.ts';
import { hasAddress, hasOwnEndpoints, isServing, type Service } from './service-model.ts';
import { TriggerTimes } from './trigger-times.ts';

/** Keeps Endpoints and EndpointSlices of Services with a selector (pkg/controller/endpoint, endpointslice). */
export function startEndpointsController(context: ControllerContext): void {
  const controller = new Controller(context, 'endpoint-slice-controller');
  const services = context.stores.of<Service>('v1', 'Service');
  const pods = context.stores.of<Pod>('v1', 'Pod');
  const nodes = context.stores.of<Node>('v1', 'Node');
  const endpoints = context.stores.of<Endpoints>('v1', 'Endpoints');
  const slices = context.stores.of<EndpointSlice>('discovery.k8s.io/v1', 'EndpointSlice');
  const podsBy = pods.index(labelKeys);
  const servicesBy = services.index((service) => (hasOwnEndpoints(service) ? [selectorKey(service)] : []));
  const selecting = (pod: Pod) =>
    labelKeys(pod)
      .flatMap((key) => [...servicesBy(key)])
      .filter((service) => labelsMatch(service.spec.selector, pod.metadata.labels))
      .map(keyFor);
  controller.watch(services);
  controller.watch(pods, (pod, old) => {
    if (old && semanticallyEqual(relevant(pod), relevant(old))) return [];
    return new Set([...selecting(pod), ...(old ? selecting(old) : [])]);
  });
  nodes.subscribe(({ type, object }) => {
    if (type !== 'added') return;
    for (const pod of pods.list())
      if (pod.spec.nodeName === object.metadata.name) for (const key of selecting(pod)) controller.queue.add(key);
  });
  slices.subscribe(({ type, object: { metadata } }) => {
    const service = metadata.labels?.[serviceNameLabel];
    if (type === 'deleted' && service) controller.queue.add(`${metadata.namespace}/${service}`);
  });
  endpoints.subscribe(({ type, object }) => {
    if (type === 'deleted') controller.queue.add(keyFor(object));
  });
  const times = { endpoints: new TriggerTimes(), slices: new TriggerTimes() };
  controller.run(async (key) => {
    const service = services.get(...splitKey(key));
    if (!service) {
      times.endpoints.forget(key);
      times.slices.forget(key);
      await removeEndpoints(controller, endpoints, splitKey(key));
    }
    if (!service || service.metadata.deletionTimestamp || !hasOwnEndpoints(service)) return undefined;
    const selected = [...podsBy(selectorKey(service))].filter((pod) =>
      labelsMatch(service.spec.selector, pod.metadata.labels),
    );
    const time = times.endpoints.next(key, service, selected);
    await syncEndpoints(controller, endpoints, service, { pods: selected, time });
    await syncEndpointSlices(
      { controller, slices, nodes, time: times.slices.next(key, service, selected) },
      service,
      selected,
    );
    return undefined;
  });
}

function labelKeys({ metadata: { namespace, labels } }: Pod): string[] {
  return Object.entries(labels ?? {}).map(([key, value]) => `${namespace}/${key}=${value}`);
}

/** One label that every pod of the service has: enough to look few of many pods at. */
function selectorKey({ metadata: { namespace }, spec: { selector } }: Service): string {
  const [key = '', value = ''] = Object.entries(selector ?? {})[0] ?? [];
  return `${namespace}/${key}=${value}`;
}

/** What of a pod its services' endpoints tell. */
function relevant(pod: Pod): unknown {
  const { labels, deletionTimestamp } = pod.metadata;
  const { nodeName, hostname, subdomain } = pod.spec;
  const address = hasAddress(pod) ? [pod.status?.podIP, pod.status?.podIPs] : [];
  return [labels, deletionTimestamp !== undefined, nodeName, hostname, subdomain, address, isServing(pod)];
}
