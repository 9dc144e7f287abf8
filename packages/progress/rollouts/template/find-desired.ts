import type { PodTemplate, Rollout } from '@tiphys/api';
import { withoutInjected } from '../objects/anti-affinity.ts';
import { withPodMetadata } from '../objects/ephemeral-metadata.ts';
import { byAge, ofHash, type ReplicaSet } from '../objects/replica-set.ts';
import { olderPodTemplateHash } from './hashes.ts';
import { isSameTemplate } from './same-template.ts';

/**
 * The ReplicaSet of the template that is wanted: by its hash, by the hash that older controllers gave it, or by the template itself,
 * so that taking over from another controller replaces no pods.
 */
export function findDesired(rollout: Rollout, sets: readonly ReplicaSet[], hash: string): ReplicaSet | undefined {
  const oldestFirst = [...sets].sort(byAge);
  const { template = {} } = rollout.spec;
  return (
    ofHash(oldestFirst, hash) ??
    ofHash(oldestFirst, olderPodTemplateHash(template, rollout.status?.collisionCount)) ??
    oldestFirst.find((set) => isSameTemplate(templateOf(set), template))
  );
}

/** The template that a ReplicaSet was made of, without what the controller added to it but its hash label. */
export function templateOf(set: ReplicaSet): PodTemplate {
  const stored = withPodMetadata(set, undefined).spec.template ?? {};
  const affinity = withoutInjected(stored.spec?.affinity);
  const { affinity: _, ...pod } = stored.spec ?? {};
  return { ...stored, spec: { ...pod, ...(affinity ? { affinity } : {}) } };
}
