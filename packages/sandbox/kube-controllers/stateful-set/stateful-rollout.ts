import { isPodAvailable, isPodReady, isPodTerminal, slowStart } from '../machinery/pods.ts';
import type { Pod } from '../machinery/workload-model.ts';
import { createClaims, hasStaleClaim, ownClaims } from './stateful-claims.ts';
import {
  createStatefulPod,
  deleteStatefulPod,
  newStatefulPod,
  repairStatefulPod,
  type StatefulIo,
} from './stateful-pods.ts';
import { revisionOf, type StatefulRevisions } from './stateful-revisions.ts';
import { isInRange, isOrdered, ordinalOf, replicasOf, type StatefulSet, startOf } from './stateful-set-model.ts';

/** What an action of one pod says: go on with the next one, or wait. */
type Step = (pod: Pod) => Promise<'next' | 'wait'>;

/**
 * Creates pods in the order of their ordinals and deletes surplus ones in the reverse order, each only when those
 * before it are available, unless the set is parallel. True when nothing is waited for.
 */
export async function scaleStatefulSet(
  io: StatefulIo,
  set: StatefulSet,
  own: readonly Pod[],
  revisions: StatefulRevisions,
): Promise<boolean> {
  const ordered = isOrdered(set);
  const replicas = replicasIn(set, own, revisions);
  const condemned = own
    .filter((pod) => !isInRange(set, ordinalOf(set, pod) ?? -1))
    .sort((a, b) => (ordinalOf(set, b) ?? 0) - (ordinalOf(set, a) ?? 0));
  const firstUnavailable = [...replicas, ...[...condemned].reverse()].find((pod) => isUnavailable(io, set, pod));
  if (!(await each(replicas, ordered, (pod) => settleReplica(io, set, pod)))) return false;
  for (const pod of condemned) await ownClaims(io.controller, io.claims, set, pod);
  return each(condemned, ordered, (pod) => settleCondemned(io, set, pod, pod === firstUnavailable));
}

function replicasIn(set: StatefulSet, own: readonly Pod[], revisions: StatefulRevisions): Pod[] {
  const byOrdinal = new Map(own.map((pod) => [ordinalOf(set, pod), pod]));
  return Array.from({ length: replicasOf(set) }, (_, index) => {
    const ordinal = startOf(set) + index;
    return byOrdinal.get(ordinal) ?? newStatefulPod(set, revisions, ordinal);
  });
}

async function each(pods: readonly Pod[], ordered: boolean, step: Step): Promise<boolean> {
  if (!ordered) {
    await slowStart(pods.length, (index) => step(pods[index] as Pod));
    return true;
  }
  for (const pod of pods) if ((await step(pod)) === 'wait') return false;
  return true;
}

async function settleReplica(io: StatefulIo, set: StatefulSet, pod: Pod): Promise<'next' | 'wait'> {
  const { controller, claims } = io;
  const waits = isOrdered(set) ? 'wait' : 'next';
  if (isPodTerminal(pod)) {
    if (!pod.metadata.deletionTimestamp) await deleteStatefulPod(io, set, pod);
    // its successor comes when it is gone
    return 'wait';
  }
  if (!pod.metadata.uid) {
    if (hasStaleClaim(claims, set, pod)) return 'wait';
    await createStatefulPod(io, set, pod);
    return waits;
  }
  if (pod.status?.phase === 'Pending') {
    await createClaims(controller, claims, set, pod);
    await ownClaims(controller, claims, set, pod);
  }
  if (waits === 'wait' && isUnavailable(io, set, pod)) return 'wait';
  await repairStatefulPod(io, set, pod);
  return 'next';
}

async function settleCondemned(
  io: StatefulIo,
  set: StatefulSet,
  pod: Pod,
  isFirstUnavailable: boolean,
): Promise<'next' | 'wait'> {
  const ordered = isOrdered(set);
  if (pod.metadata.deletionTimestamp) return ordered ? 'wait' : 'next';
  // one that is not available goes only if no other one, which came before it, is not available either
  if (ordered && isUnavailable(io, set, pod) && !isFirstUnavailable) return 'wait';
  await deleteStatefulPod(io, set, pod);
  return 'wait';
}

/** Replaces the pod of the highest ordinal that has not the new revision; waits for those above it to be available. */
export async function updateStatefulPods(
  io: StatefulIo,
  set: StatefulSet,
  own: readonly Pod[],
  { update }: StatefulRevisions,
): Promise<void> {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  if (type === 'OnDelete') return;
  const lowest = startOf(set) + (rollingUpdate?.partition ?? 0);
  const byOrdinal = new Map(own.map((pod) => [ordinalOf(set, pod), pod]));
  for (let ordinal = startOf(set) + replicasOf(set) - 1; ordinal >= lowest; ordinal--) {
    const pod = byOrdinal.get(ordinal);
    // it has just been created
    if (!pod) return;
    if (revisionOf(pod) !== update.metadata.name && !pod.metadata.deletionTimestamp)
      return deleteStatefulPod(io, set, pod);
    if (isUnavailable(io, set, pod)) return;
  }
}

function isUnavailable({ controller }: StatefulIo, { spec }: StatefulSet, pod: Pod): boolean {
  if (pod.metadata.deletionTimestamp || pod.status?.phase !== 'Running' || !isPodReady(pod)) return true;
  return !isPodAvailable(pod, spec.minReadySeconds ?? 0, controller.clock.now());
}
