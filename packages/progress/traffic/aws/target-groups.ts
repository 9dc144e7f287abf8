import type { Client, KubeObject } from '@tiphys/kubernetes';
import type { LoadBalancers } from './load-balancers.ts';

/** A Service, as far as its target groups follow from it. */
export interface TargetedService extends KubeObject {
  readonly spec: { readonly ports?: readonly ServicePort[] };
}

interface ServicePort {
  readonly name?: string;
  readonly port?: number;
  readonly targetPort?: number | string;
}

/** `discovery.k8s.io/v1` EndpointSlice: addresses and the ports by the names that the Service gives them. */
export interface TargetSlice {
  readonly endpoints?: readonly { readonly addresses?: readonly string[]; readonly conditions?: { ready?: boolean } }[];
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[];
}

interface TargetGroupBinding extends KubeObject {
  readonly spec: {
    readonly targetGroupARN: string;
    readonly targetType?: string;
    readonly serviceRef: { readonly name: string; readonly port: number | string };
  };
}

/** How many of a Service's endpoints a target group has. */
export interface Registration {
  readonly targetGroup: string;
  readonly registered: number;
  readonly endpoints: number;
}

export interface TargetGroupsOptions {
  readonly client: Client;
  readonly loadBalancers: LoadBalancers;
  /** `apiVersion` of TargetGroupBindings. */
  readonly apiVersion: string;
}

/** The target groups that take their addresses from a Service's pods; undefined if none belongs to it. */
export async function targetGroupsOf(
  { client, apiVersion }: TargetGroupsOptions,
  service: TargetedService,
): Promise<{ readonly arn: string; readonly port: ServicePort }[] | undefined> {
  const { namespace = '', name } = service.metadata;
  const { items } = await client.list<TargetGroupBinding>({ apiVersion, kind: 'TargetGroupBinding', namespace });
  const bound = items.filter(({ spec }) => spec.serviceRef.name === name);
  const groups = bound.flatMap(({ spec: { targetGroupARN: arn, targetType, serviceRef } }) => {
    const port = service.spec.ports?.find((each) =>
      typeof serviceRef.port === 'number' ? each.port === serviceRef.port : each.name === serviceRef.port,
    );
    return port ? [{ arn, port, targetType }] : [];
  });
  if (groups.length === 0) return undefined;
  // instances are registered by nodes, which do not change with the Service's selector
  return groups.filter(({ targetType }) => targetType === 'ip');
}

/** Which of a Service's endpoints a target group has; health is not asked for: registering is what follows the selector. */
export async function registrationOf(
  loadBalancers: LoadBalancers,
  group: { readonly arn: string; readonly port: ServicePort },
  slices: readonly TargetSlice[],
): Promise<Registration> {
  const wanted = new Set(slices.flatMap((slice) => addressesOf(slice, group.port)));
  const targets = new Set(await loadBalancers.targets(group.arn));
  return { targetGroup: group.arn, registered: wanted.intersection(targets).size, endpoints: wanted.size };
}

function addressesOf(
  { endpoints = [], ports = [] }: TargetSlice,
  { name = '', port, targetPort }: ServicePort,
): string[] {
  const named = ports.find((each) => (each.name ?? '') === name)?.port;
  const number = typeof targetPort === 'number' ? targetPort : (named ?? port);
  return endpoints
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap(({ addresses = [] }) => addresses.map((address) => `${address}:${number}`));
}
