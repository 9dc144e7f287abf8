import type { KubeObject } from '@tiphys/kubernetes';
import type { LoadBalancer, LoadBalancers, TargetGroup } from '../aws/load-balancers.ts';
import { needObject } from '../model/objects.ts';
import { routingOf, stableAndCanary } from '../model/services.ts';
import type { AlbStatus, AwsResourceRef, RoutingContext, WeightDestination } from '../model/types.ts';
import { ingressRef } from './ingress.ts';

interface Wanted {
  readonly weight: number;
  readonly additional: readonly WeightDestination[];
}

/**
 * Whether the load balancers of all Ingresses serve the weights; undefined where that is not asked for now. What was found of the
 * load balancers goes into the Rollout's status.
 */
export async function verifyAlbWeights(
  context: RoutingContext,
  ingresses: readonly string[],
  wanted: Wanted,
): Promise<boolean | undefined> {
  const { loadBalancers, rollout } = context;
  if (!loadBalancers) {
    context.noteAlbs?.([]);
    return undefined;
  }
  if (!context.verifiesWeights && hasAlbStatus(rollout.status)) return undefined;
  const statuses: AlbStatus[] = [];
  let verified = true;
  for (const name of ingresses) {
    const found = await verifyIngress({ context, loadBalancers, name, wanted });
    statuses.push(found.status);
    if (!found.verified) verified = false;
  }
  context.noteAlbs?.(statuses);
  return verified;
}

function hasAlbStatus(status: { alb?: unknown; albs?: unknown } | undefined): boolean {
  return status?.alb !== undefined || status?.albs !== undefined;
}

interface Question {
  readonly context: RoutingContext;
  readonly loadBalancers: LoadBalancers;
  readonly name: string;
  readonly wanted: Wanted;
}

async function verifyIngress({ context, loadBalancers, name, wanted }: Question) {
  const { rollout } = context;
  const ingress = await needObject(context, ingressRef(rollout.metadata.namespace ?? '', name));
  const { stable, canary } = stableAndCanary(rollout, { preferPingPong: true });
  const missing = new Map([
    [canary, wanted.weight],
    ...wanted.additional.map(({ serviceName = '', weight }) => [serviceName, weight] as const),
  ]);
  const status: AlbStatus = { ingress: name };
  for (const hostname of hostnamesOf(ingress)) {
    const asked = await askLoadBalancer(context, loadBalancers, { hostname, service: canary });
    if (!asked) return { status, verified: false };
    status.loadBalancer = resource(asked.balancer, 2);
    for (const group of asked.groups) {
      const id = group.tags.get(context.settings.albTagKeyResourceId);
      if (id === resourceId(context, name, canary)) status.canaryTargetGroup = resource(group, 1);
      if (id === resourceId(context, name, stable)) status.stableTargetGroup = resource(group, 1);
      for (const [service, weight] of [...missing])
        if (id === resourceId(context, name, service) && tellWeight(context, { service, group, weight }))
          missing.delete(service);
    }
  }
  return { status, verified: missing.size === 0 };
}

async function askLoadBalancer(
  { event }: RoutingContext,
  loadBalancers: LoadBalancers,
  { hostname, service }: { hostname: string; service: string },
): Promise<{ balancer: LoadBalancer; groups: readonly TargetGroup[] } | undefined> {
  try {
    const balancer = await loadBalancers.find(hostname);
    if (balancer) return { balancer, groups: await loadBalancers.targetGroups(balancer.arn) };
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error);
    event(
      'Warning',
      'TargetGroupVerifyError',
      `Failed to verify Service ${service} (TargetGroup unknown): ${sentence}`,
    );
    throw error;
  }
  event('Warning', 'LoadBalancerNotFound', `Failed to find load balancer: ${hostname}`);
  return undefined;
}

function tellWeight(
  { event }: RoutingContext,
  { service, group, weight }: { service: string; group: TargetGroup; weight: number },
): boolean {
  if (group.weights.length === 0) return false;
  const other = group.weights.find((each) => each !== weight);
  const subject = `Service ${service} (TargetGroup ${group.arn})`;
  if (other === undefined) event('Normal', 'TargetGroupVerified', `${subject} verified: canary weight ${weight} set`);
  else
    event(
      'Warning',
      'TargetGroupUnverified',
      `${subject} not verified: canary weight ${weight} not yet set (current: ${other})`,
    );
  return other === undefined;
}

/** How the AWS load balancer's controller tags the target group of a Service. */
function resourceId({ rollout }: RoutingContext, ingress: string, service: string): string {
  const port = routingOf(rollout).alb?.servicePort ?? 0;
  return `${rollout.metadata.namespace}/${ingress}-${service}:${port}`;
}

function hostnamesOf({ status }: KubeObject): string[] {
  const { loadBalancer } = (status ?? {}) as { loadBalancer?: { ingress?: { hostname?: string }[] } };
  return (loadBalancer?.ingress ?? []).flatMap(({ hostname }) => (hostname ? [hostname] : []));
}

/** A resource with the part of its ARN that metrics of CloudWatch name it by. */
function resource({ name, arn }: { name: string; arn: string }, from: number): AwsResourceRef {
  return { name, arn, fullName: arn.split('/').slice(from).join('/') };
}
