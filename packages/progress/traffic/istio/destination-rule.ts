import type { KubeObject } from '@tiphys/kubernetes';
import { specOf, withSpec } from '../model/objects.ts';
import type { IstioRouting, WeightDestination } from '../model/types.ts';

const podHashLabel = 'rollouts-pod-template-hash';
/** Names the Rollout that sets the subsets' labels; they are taken away again when it lets go of the rule. */
export const managedByAnnotation = 'argo-rollouts.argoproj.io/managed-by-rollouts';

interface Subset {
  name?: string;
  labels?: Record<string, string>;
  [key: string]: unknown;
}

interface DestinationRuleSpec {
  host?: string;
  subsets?: Subset[];
  [key: string]: unknown;
}

export function ruleHost(rule: KubeObject): string {
  return specOf<DestinationRuleSpec>(rule).host ?? '';
}

export interface SubsetHashes {
  readonly rule: NonNullable<IstioRouting['destinationRule']>;
  readonly rolloutName: string;
  readonly canaryHash: string;
  readonly stableHash: string;
  readonly additional: readonly WeightDestination[];
}

/**
 * A DestinationRule whose subsets select the pods of the hashes. Subsets of experiments are added; those of ended ones go, and so
 * does any other that the Rollout does not list.
 */
export function withSubsetHashes(object: KubeObject, wanted: SubsetHashes): KubeObject {
  const { rule, additional } = wanted;
  const missing = new Map(additional.map((destination) => [destination.serviceName ?? '', destination]));
  const subsets = (specOf<DestinationRuleSpec>(object).subsets ?? []).flatMap((subset): Subset[] => {
    const name = subset.name ?? '';
    const extra = missing.get(name);
    if (name === rule.canarySubsetName) return [withHash(subset, wanted.canaryHash)];
    if (name === rule.stableSubsetName) return [withHash(subset, wanted.stableHash)];
    if (extra) {
      missing.delete(name);
      return [withHash(subset, extra.podTemplateHash ?? '')];
    }
    return rule.additionalSubsetNames?.includes(name) ? [subset] : [];
  });
  const added = [...missing.values()].map(({ serviceName = '', podTemplateHash = '' }) => ({
    name: serviceName,
    labels: { [podHashLabel]: podTemplateHash },
  }));
  const annotations = { ...object.metadata.annotations, [managedByAnnotation]: wanted.rolloutName };
  return {
    ...withSpec(object, { subsets: [...subsets, ...added] }),
    metadata: { ...object.metadata, annotations },
  };
}

/** A DestinationRule without what a Rollout has set in it. */
export function releasedRule(object: KubeObject): KubeObject {
  const { [managedByAnnotation]: _, ...annotations } = object.metadata.annotations ?? {};
  const { subsets } = specOf<DestinationRuleSpec>(object);
  const released = subsets ? withSpec(object, { subsets: subsets.map((subset) => withHash(subset, '')) }) : object;
  return { ...released, metadata: { ...object.metadata, annotations } };
}

function withHash(subset: Subset, hash: string): Subset {
  const { [podHashLabel]: _, ...labels } = subset.labels ?? {};
  if (hash === '' && subset.labels === undefined) return subset;
  return { ...subset, labels: hash === '' ? labels : { ...labels, [podHashLabel]: hash } };
}
