import { type Rollout, rolloutNames } from '@tiphys/api';
import { mergePatch } from '@tiphys/controller';
import { isNotFound } from '@tiphys/kubernetes';
import { managedByAnnotation, releasedRule } from '@tiphys/traffic';
import { type Cluster, refOf, write } from '../cluster/cluster.ts';
import type { Service } from '../objects/kinds.ts';

const { annotations, labels } = rolloutNames;

/** The Services that a Rollout manages. */
export function servicesOf({ spec: { strategy } }: Rollout): string[] {
  const { blueGreen, canary } = strategy;
  const names = blueGreen
    ? [blueGreen.activeService, blueGreen.previewService]
    : [canary?.canaryService, canary?.stableService, canary?.pingPong?.pingService, canary?.pingPong?.pongService];
  return names.filter((name): name is string => Boolean(name));
}

export function destinationRuleOf({ spec: { strategy } }: Rollout): string | undefined {
  return strategy.canary?.trafficRouting?.istio?.destinationRule?.name;
}

/** Has a Service that no Rollout manages any more select all its pods again. */
export async function releaseService(cluster: Cluster, service: Service, rollouts: Iterable<Rollout>): Promise<void> {
  const { namespace, name = '' } = service.metadata;
  if (service.spec.selector?.[labels.podTemplateHash] === undefined) return;
  for (const rollout of rollouts)
    if (rollout.metadata.namespace === namespace && servicesOf(rollout).includes(name)) return;
  // without the note it may be anybody's: an Experiment's Service selects by the hash too
  const manager = service.metadata.annotations?.[annotations.managedByRollouts];
  if (manager === undefined) return;
  // a Rollout of another instance is not among ours
  const ref = { apiVersion: rolloutNames.apiVersion, kind: 'Rollout', namespace: namespace ?? '', name: manager };
  const other = await cluster.client.find<Rollout>(ref);
  if (other && servicesOf(other).includes(name)) return;
  const { [annotations.managedByRollouts]: _, ...rest } = service.metadata.annotations ?? {};
  const { [labels.podTemplateHash]: __, ...selector } = service.spec.selector;
  const after = {
    ...service,
    metadata: { ...service.metadata, annotations: rest },
    spec: { ...service.spec, selector },
  };
  await write(cluster.client, cluster.services, { before: service, after });
}

/** Takes the hashes of a Rollout that is gone out of its DestinationRule. */
export async function releaseDestinationRule(
  cluster: Cluster,
  rule: { apiVersion: string; namespace: string; name: string; rollout: string },
): Promise<void> {
  const { apiVersion, namespace, name } = rule;
  const found = await findOptional(cluster, { apiVersion, kind: 'DestinationRule', namespace, name });
  if (found?.metadata.annotations?.[managedByAnnotation] !== rule.rollout) return;
  const patch = mergePatch(found, releasedRule(found));
  if (patch !== undefined) await cluster.client.patch(refOf(found), 'merge', patch);
}

/** Reads an object whose kind the cluster may not know. */
export async function findOptional(
  cluster: Pick<Cluster, 'client'>,
  ref: { apiVersion: string; kind: string; namespace: string; name: string },
) {
  try {
    if (!(await cluster.client.discovery.find(ref.apiVersion, ref.kind))) return undefined;
    return await cluster.client.find(ref);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
