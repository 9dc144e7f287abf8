import { scaledValue } from '../machinery/int-or-percent.ts';
import type { Deployment, DeploymentStatus, ReplicaSet } from '../machinery/workload-model.ts';

export const replicasOf = (object: { spec: { replicas?: number } }): number => object.spec.replicas ?? 1;

export function isRollingUpdate(deployment: Deployment): boolean {
  return (deployment.spec.strategy?.type ?? 'RollingUpdate') === 'RollingUpdate';
}

/** Both bounds resolved together: when both come out 0, one pod may be unavailable (`ResolveFenceposts`). */
function fenceposts(deployment: Deployment): { surge: number; unavailable: number } {
  const { maxSurge = '25%', maxUnavailable = '25%' } = deployment.spec.strategy?.rollingUpdate ?? {};
  const surge = scaledValue(maxSurge, replicasOf(deployment), 'up');
  const unavailable = scaledValue(maxUnavailable, replicasOf(deployment), 'down');
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

export function maxSurge(deployment: Deployment): number {
  return isRollingUpdate(deployment) ? fenceposts(deployment).surge : 0;
}

export function maxUnavailable(deployment: Deployment): number {
  if (!isRollingUpdate(deployment) || replicasOf(deployment) === 0) return 0;
  return Math.min(fenceposts(deployment).unavailable, replicasOf(deployment));
}

export const wantedReplicas = (sets: readonly ReplicaSet[]): number => sum(sets, replicasOf);
export const actualReplicas = (sets: readonly ReplicaSet[]): number => sum(sets, (set) => set.status?.replicas ?? 0);
export const readyReplicas = (sets: readonly ReplicaSet[]): number =>
  sum(sets, (set) => set.status?.readyReplicas ?? 0);
export const availableReplicas = (sets: readonly ReplicaSet[]): number =>
  sum(sets, (set) => set.status?.availableReplicas ?? 0);

export const activeSets = (sets: readonly ReplicaSet[]): ReplicaSet[] => sets.filter((set) => replicasOf(set) > 0);

/** All replicas are updated and available, and no old pod is left. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const wanted = replicasOf(deployment);
  return (
    (status.updatedReplicas ?? 0) === wanted &&
    (status.replicas ?? 0) === wanted &&
    (status.availableReplicas ?? 0) === wanted &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

/** Replicas that the new set may have now, within maxSurge. */
export function newSetReplicas(deployment: Deployment, all: readonly ReplicaSet[], current: number): number {
  const wanted = replicasOf(deployment);
  if (!isRollingUpdate(deployment)) return wanted;
  const room =
    wanted +
    scaledValue(deployment.spec.strategy?.rollingUpdate?.maxSurge ?? '25%', wanted, 'up') -
    wantedReplicas(all);
  return room <= 0 ? current : current + Math.min(room, wanted - current);
}

export function byCreation(a: ReplicaSet, b: ReplicaSet): number {
  const [left = '', right = ''] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  if (left !== right) return left < right ? -1 : 1;
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}

function sum(sets: readonly ReplicaSet[], value: (set: ReplicaSet) => number): number {
  return sets.reduce((total, set) => total + value(set), 0);
}
