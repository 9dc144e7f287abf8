import type { KubeObject, LabelSelector } from '@tiphys/kubernetes';
import { numberAt, objectAt, valueAt } from '../model/fields.ts';

/** Which pods a Deployment or a Rollout takes for its own, and the labels of those that it makes. */
export interface PodSelection {
  readonly selector: LabelSelector;
  readonly labels: Readonly<Record<string, string>>;
}

/** Undefined for other kinds, for what runs no pods, and for Rollouts that share the pods of a Deployment (`spec.workloadRef`). */
export function podSelection(object: KubeObject, group: string): PodSelection | undefined {
  const makesSets =
    (group === 'apps' && object.kind === 'Deployment') || (group === 'argoproj.io' && object.kind === 'Rollout');
  if (!makesSets || object.metadata.ownerReferences?.length || numberAt(object, 'spec', 'replicas') === 0)
    return undefined;
  if (valueAt(object, 'spec', 'workloadRef') !== undefined) return undefined;
  const selector = objectAt(object, 'spec', 'selector') as LabelSelector;
  const labels = objectAt(object, 'spec', 'template', 'metadata', 'labels') as Record<string, string>;
  return Object.keys(labels).length > 0 ? { selector, labels } : undefined;
}
