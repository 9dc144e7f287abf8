import { parseInt64 } from '@tiphys/apimachinery';
import type { Deployment, ReplicaSet } from '../machinery/workload-model.ts';
import { maxSurge, replicasOf } from './deployment-sizes.ts';

export const revisionAnnotation = 'deployment.kubernetes.io/revision';
const revisionHistory = 'deployment.kubernetes.io/revision-history';
const desiredReplicas = 'deployment.kubernetes.io/desired-replicas';
const maxReplicas = 'deployment.kubernetes.io/max-replicas';
const notCopied = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  revisionHistory,
  desiredReplicas,
  maxReplicas,
  'deprecated.deployment.rollback.to',
]);
const maxHistoryLength = 2000;

/** Up to 2^63 - 1, more than a number can tell apart; 0 for what is none. */
export function revisionOf(set: ReplicaSet): bigint {
  return parseRevision(set.metadata.annotations?.[revisionAnnotation]);
}

const parseRevision = (text = ''): bigint => parseInt64(text) ?? 0n;

export const compareRevisions = (a: ReplicaSet, b: ReplicaSet): number => {
  const [left, right] = [revisionOf(a), revisionOf(b)];
  return left < right ? -1 : Number(left > right);
};

/** The annotations that the new set of a deployment must have (`SetNewReplicaSetAnnotations`). */
export function newSetAnnotations(deployment: Deployment, set: ReplicaSet | undefined, revision: bigint) {
  const annotations: Record<string, string> = { ...set?.metadata.annotations };
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {}))
    if (!notCopied.has(key)) annotations[key] = value;
  const old = annotations[revisionAnnotation];
  if (parseRevision(old) < revision) {
    annotations[revisionAnnotation] = String(revision);
    if (old !== undefined) annotations[revisionHistory] = appendHistory(annotations[revisionHistory], old);
  }
  return set ? annotations : { ...annotations, ...replicaAnnotations(deployment) };
}

export function replicaAnnotations(deployment: Deployment): Record<string, string> {
  return {
    [desiredReplicas]: String(replicasOf(deployment)),
    [maxReplicas]: String(replicasOf(deployment) + maxSurge(deployment)),
  };
}

export function desiredReplicasOf(set: ReplicaSet): number | undefined {
  return countIn(set, desiredReplicas);
}

export function maxReplicasOf(set: ReplicaSet): number | undefined {
  return countIn(set, maxReplicas);
}

function countIn(set: ReplicaSet, annotation: string): number | undefined {
  const text = set.metadata.annotations?.[annotation];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

function appendHistory(history: string | undefined, revision: string): string {
  const revisions = history ? history.split(',') : [];
  revisions.push(revision);
  while (revisions.join(',').length > maxHistoryLength) revisions.shift();
  return revisions.join(',');
}
