import type { KubeObject } from '@tiphys/kubernetes';
import { isPodReady, isPodTerminal } from '../machinery/pods.ts';
import type { Pod } from '../machinery/workload-model.ts';

export interface ServicePort {
  name?: string;
  protocol?: string;
  port: number;
  targetPort?: number | string;
  appProtocol?: string;
}

export interface Service extends KubeObject {
  spec: {
    type?: string;
    selector?: Record<string, string>;
    clusterIP?: string;
    ipFamilies?: string[];
    ports?: ServicePort[];
    publishNotReadyAddresses?: boolean;
    trafficDistribution?: string;
  };
}

/** Services without selector get their endpoints from somebody else. */
export function hasOwnEndpoints({ spec }: Service): boolean {
  return spec.type !== 'ExternalName' && spec.selector !== undefined && Object.keys(spec.selector).length > 0;
}

export function isHeadless({ spec }: Service): boolean {
  return !spec.clusterIP || spec.clusterIP === 'None';
}

export function isServing(pod: Pod): boolean {
  return isPodReady(pod);
}

/** Has an address and has not ended. */
export function hasAddress(pod: Pod): boolean {
  return !isPodTerminal(pod) && Boolean(pod.status?.podIP || pod.status?.podIPs?.length);
}

/** The pod's address of a family; undefined when it has none. */
export function addressOf(pod: Pod, family: 'IPv4' | 'IPv6'): string | undefined {
  const { podIP, podIPs } = pod.status ?? {};
  const all = podIPs?.map(({ ip }) => ip) ?? (podIP ? [podIP] : []);
  return all.find((ip) => ip.includes(':') === (family === 'IPv6'));
}

/** The number of a service's port at a pod; undefined when the pod has no port of the name. */
export function portAt(pod: Pod, { targetPort, port, protocol = 'TCP' }: ServicePort): number | undefined {
  if (typeof targetPort !== 'string') return targetPort ?? port;
  const sidecars = (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  for (const { ports = [] } of [...pod.spec.containers, ...sidecars])
    for (const each of ports)
      if (each.name === targetPort && (each.protocol ?? 'TCP') === protocol) return each.containerPort;
  return undefined;
}

/** The pod's own name in DNS, for pods that name the service as their subdomain. */
export function hostnameIn(service: Service, { spec }: Pod): string | undefined {
  return spec.hostname && spec.subdomain === service.metadata.name ? spec.hostname : undefined;
}

export const headlessLabel = 'service.kubernetes.io/headless';
