import { isPodTerminal } from '../machinery/pods.ts';
import type { ReplicaSet } from '../machinery/workload-model.ts';
import {
  activeSets,
  actualReplicas,
  availableReplicas,
  byCreation,
  isComplete,
  isRollingUpdate,
  maxSurge,
  maxUnavailable,
  newSetReplicas,
  replicasOf,
  wantedReplicas,
} from './deployment-sizes.ts';
import { compareRevisions, desiredReplicasOf, maxReplicasOf } from './replica-set-annotations.ts';
import type { Rollout } from './rollout.ts';

/** One step of a rolling update: up as far as maxSurge allows, else down as far as maxUnavailable does. */
export async function rollForward(rollout: Rollout): Promise<void> {
  await rollout.syncRevision(true);
  if (await scaleNewSet(rollout)) return;
  if (await scaleOldSets(rollout)) return;
  if (isComplete(rollout.deployment, rollout.deployment.status ?? {})) await dropHistory(rollout);
}

/** One step of a Recreate: all old pods go before the new set is created. */
export async function recreate(rollout: Rollout): Promise<void> {
  await rollout.syncRevision(false);
  let scaledDown = false;
  for (const set of activeSets(rollout.oldSets)) scaledDown = (await rollout.scaleSet(set, 0)) || scaledDown;
  if (scaledDown || oldPodsLeft(rollout)) return;
  if (!rollout.newSet) await rollout.syncRevision(true);
  if (rollout.newSet) await rollout.scaleSet(rollout.newSet, replicasOf(rollout.deployment));
  if (isComplete(rollout.deployment, rollout.deployment.status ?? {})) await dropHistory(rollout);
}

function oldPodsLeft(rollout: Rollout): boolean {
  if (actualReplicas(rollout.oldSets) > 0) return true;
  return rollout.oldSets.some((set) =>
    [...rollout.stores.pods.controlledBy(set.metadata.uid ?? '')].some((pod) => !isPodTerminal(pod)),
  );
}

async function scaleNewSet(rollout: Rollout): Promise<boolean> {
  const { newSet, deployment } = rollout;
  if (!newSet || replicasOf(newSet) === replicasOf(deployment)) return false;
  const current = replicasOf(newSet);
  const wanted =
    current > replicasOf(deployment) ? replicasOf(deployment) : newSetReplicas(deployment, rollout.allSets, current);
  return rollout.scaleSet(newSet, wanted);
}

async function scaleOldSets(rollout: Rollout): Promise<boolean> {
  const { newSet, deployment } = rollout;
  if (!newSet || wantedReplicas(activeSets(rollout.oldSets)) === 0) return false;
  const minimum = replicasOf(deployment) - maxUnavailable(deployment);
  const newUnavailable = replicasOf(newSet) - (newSet.status?.availableReplicas ?? 0);
  const most = wantedReplicas(rollout.allSets) - minimum - newUnavailable;
  if (most <= 0) return false;
  const cleaned = await dropUnhealthy(rollout, most);
  const scaled = await dropAvailable(rollout, minimum);
  return cleaned + scaled > 0;
}

/** Old pods that are not available go first, for that costs no availability. */
async function dropUnhealthy(rollout: Rollout, most: number): Promise<number> {
  let total = 0;
  for (const set of activeSets(rollout.oldSets).sort(byCreation)) {
    const unhealthy = replicasOf(set) - (set.status?.availableReplicas ?? 0);
    const count = Math.min(most - total, unhealthy);
    if (count <= 0) continue;
    await rollout.scaleSet(set, replicasOf(set) - count);
    total += count;
  }
  return total;
}

async function dropAvailable(rollout: Rollout, minimum: number): Promise<number> {
  const spare = availableReplicas(rollout.allSets) - minimum;
  let total = 0;
  for (const set of activeSets(rollout.oldSets).sort(byCreation)) {
    const count = Math.min(replicasOf(set), spare - total);
    if (count <= 0) break;
    await rollout.scaleSet(set, replicasOf(set) - count);
    total += count;
  }
  return total;
}

/** Whether the size of the Deployment changed since it was last noted on its sets. */
export function isScalingEvent(rollout: Rollout): boolean {
  return activeSets(rollout.allSets).some((set) => {
    const noted = desiredReplicasOf(set);
    return noted !== undefined && noted !== replicasOf(rollout.deployment);
  });
}

/** Gives a changed or paused Deployment's size to its sets, in proportion when several have pods. */
export async function scale(rollout: Rollout): Promise<void> {
  const { deployment, newSet } = rollout;
  const active = activeSets(rollout.allSets);
  if (active.length <= 1) {
    const target = active[0] ?? newSet ?? rollout.oldSets.toSorted(byCreation).at(-1);
    if (target) await rollout.scaleSet(target, replicasOf(deployment));
    return;
  }
  if (newSet && isSaturated(rollout, newSet)) {
    for (const set of activeSets(rollout.oldSets)) await rollout.scaleSet(set, 0);
    return;
  }
  if (isRollingUpdate(deployment)) await scaleInProportion(rollout, active);
}

function isSaturated({ deployment }: Rollout, set: ReplicaSet): boolean {
  const wanted = replicasOf(deployment);
  return (
    replicasOf(set) === wanted && desiredReplicasOf(set) === wanted && (set.status?.availableReplicas ?? 0) === wanted
  );
}

async function scaleInProportion(rollout: Rollout, active: ReplicaSet[]): Promise<void> {
  const { deployment } = rollout;
  const wanted = replicasOf(deployment);
  const toAdd = (wanted > 0 ? wanted + maxSurge(deployment) : 0) - wantedReplicas(active);
  const newerFirst = toAdd > 0 ? -1 : 1;
  const sorted = active.sort((a, b) => replicasOf(b) - replicasOf(a) || newerFirst * byCreation(a, b));
  let added = 0;
  const sizes = sorted.map((set) => {
    const share = toAdd === added || toAdd === 0 ? 0 : proportion(rollout, set, toAdd - added);
    added += share;
    return replicasOf(set) + share;
  });
  if (sizes[0] !== undefined) sizes[0] = Math.max(0, sizes[0] + toAdd - added);
  for (const [index, set] of sorted.entries()) await rollout.scaleSet(set, sizes[index] ?? 0, true);
}

function proportion({ deployment }: Rollout, set: ReplicaSet, allowed: number): number {
  const wanted = replicasOf(deployment);
  const before = maxReplicasOf(set) || (deployment.status?.replicas ?? 0);
  const share =
    wanted === 0
      ? -replicasOf(set)
      : before === 0
        ? 0
        : Math.round((replicasOf(set) * (wanted + maxSurge(deployment))) / before) - replicasOf(set);
  return allowed > 0 ? Math.min(share, allowed) : Math.max(share, allowed);
}

/** Deletes the oldest sets beyond revisionHistoryLimit that have no pods. */
export async function dropHistory(rollout: Rollout): Promise<void> {
  const limit = rollout.deployment.spec.revisionHistoryLimit;
  if (limit === undefined || limit === 2147483647) return;
  const alive = rollout.oldSets.filter((set) => !set.metadata.deletionTimestamp);
  const surplus = alive.toSorted(compareRevisions).slice(0, Math.max(0, alive.length - limit));
  for (const set of surplus) {
    const busy = (set.status?.replicas ?? 0) > 0 || replicasOf(set) > 0;
    const unseen = (set.metadata.generation ?? 0) > (set.status?.observedGeneration ?? 0);
    if (!busy && !unseen) await rollout.controller.delete(rollout.stores.sets, set);
  }
}
