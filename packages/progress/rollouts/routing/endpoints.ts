import { rolloutNames, type TrafficWeights } from '@tiphys/api';
import { type Client, isForbidden, type KubeObject } from '@tiphys/kubernetes';
import type { Pod, Service } from '../objects/kinds.ts';

/** `discovery.k8s.io/v1` EndpointSlice, as far as it is read. */
export interface EndpointSlice extends KubeObject {
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[];
  readonly endpoints?: readonly {
    readonly addresses?: readonly string[];
    readonly conditions?: { readonly ready?: boolean };
    readonly targetRef?: { readonly kind?: string; readonly name?: string };
  }[];
}

/** The slices of a Service, as they are now; undefined if they may not be read. */
export async function readEndpointSlices(
  client: Client,
  { namespace, service }: { namespace: string; service: string },
): Promise<readonly EndpointSlice[] | undefined> {
  const labelSelector = `kubernetes.io/service-name=${service}`;
  try {
    const ref = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', namespace };
    return (await client.list<EndpointSlice>(ref, { labelSelector })).items;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

/** How many pods of a hash are ready behind a Service. */
export function readyEndpoints(slices: readonly EndpointSlice[], pods: readonly Pod[], hash: string): number {
  const names = new Set(
    pods
      .filter(({ metadata }) => metadata.labels?.[rolloutNames.labels.podTemplateHash] === hash)
      .map(({ metadata }) => metadata.name),
  );
  const found = new Set<string>();
  for (const { endpoints = [] } of slices)
    for (const { conditions, targetRef } of endpoints)
      if (conditions?.ready !== false && targetRef?.name !== undefined && names.has(targetRef.name))
        found.add(targetRef.name);
  return found.size;
}

/** Whether a Service gets its endpoints by its selector. */
export function hasEndpoints(service: Service | undefined): service is Service {
  return service?.spec.selector !== undefined && service.spec.type !== 'ExternalName';
}

export interface Rise {
  readonly part: 'canary' | 'stable';
  readonly weight: number;
  readonly hash: string;
}

/** The parts that are to get more traffic than they were noted to have, or the same for other pods. */
export function risesOf(
  before: TrafficWeights | undefined,
  wanted: { readonly canary: Omit<Rise, 'part'>; readonly stable: Omit<Rise, 'part'> },
): readonly Rise[] {
  return (['canary', 'stable'] as const).flatMap((part) => {
    const { weight, hash } = wanted[part];
    const had = before?.[part];
    // nothing was noted yet: all that there is goes to stable, whatever is ready
    const isFirst = !before && part === 'stable';
    if (weight <= 0 || isFirst || (had && had.weight >= weight && had.podTemplateHash === hash)) return [];
    return [{ part, weight, hash }];
  });
}
