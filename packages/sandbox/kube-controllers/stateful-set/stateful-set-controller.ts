import { Controller, type ControllerContext, splitKey } from '../machinery/controller.ts';
import type { ObjectStore } from '../machinery/object-store.ts';
import { claimPods, isPodAvailable, isPodReady, nextAvailability, podOwners } from '../machinery/pods.ts';
import { semanticallyEqual } from '../machinery/semantically-equal.ts';
import type { PersistentVolumeClaim, Pod } from '../machinery/workload-model.ts';
import type { ControllerRevision } from '../revisions/controller-revision.ts';
import type { StatefulIo } from './stateful-pods.ts';
import { revisionOf, type StatefulRevisions, statefulRevisions, truncateRevisions } from './stateful-revisions.ts';
import { scaleStatefulSet, updateStatefulPods } from './stateful-rollout.ts';
import { ordinalOf, replicasOf, type StatefulSet, type StatefulSetStatus } from './stateful-set-model.ts';

/** Keeps the pods, claims and revisions of StatefulSets (pkg/controller/statefulset). */
export function startStatefulSetController(context: ControllerContext): void {
  const controller = new Controller(context, 'statefulset-controller');
  const sets = context.stores.of<StatefulSet>('apps/v1', 'StatefulSet');
  const pods = context.stores.of<Pod>('v1', 'Pod');
  const claims = context.stores.of<PersistentVolumeClaim>('v1', 'PersistentVolumeClaim');
  const revisions = context.stores.of<ControllerRevision>('apps/v1', 'ControllerRevision');
  const io: StatefulIo = { controller, pods, claims };
  controller.watch(sets).watch(pods, podOwners('StatefulSet', sets));
  controller.run(async (key) => {
    const set = sets.get(...splitKey(key));
    if (!set) return undefined;
    const own = await claimPods(controller, pods, set, (pod) => ordinalOf(set, pod) !== undefined);
    const known = await statefulRevisions(controller, revisions, set);
    let failure: unknown;
    if (!set.metadata.deletionTimestamp)
      await settle(io, set, own, known).catch((error: unknown) => {
        failure = error;
      });
    await writeStatus(controller, sets, set, { pods, revisions: known });
    await truncateRevisions(controller, revisions, set, known, own);
    if (failure) throw failure;
    const wait = nextAvailability(own, set.spec.minReadySeconds ?? 0, controller.clock.now());
    return wait === undefined ? undefined : { requeueAfter: wait };
  });
}

/** One step towards the wanted state; the next one follows the change that it makes. */
async function settle(
  io: StatefulIo,
  set: StatefulSet,
  own: readonly Pod[],
  revisions: StatefulRevisions,
): Promise<void> {
  if (await scaleStatefulSet(io, set, own, revisions)) await updateStatefulPods(io, set, own, revisions);
}

async function writeStatus(
  controller: Controller,
  sets: ObjectStore<StatefulSet>,
  set: StatefulSet,
  { pods, revisions }: { pods: ObjectStore<Pod>; revisions: StatefulRevisions },
): Promise<void> {
  const own = [...pods.controlledBy(set.metadata.uid ?? '')].filter((pod) => ordinalOf(set, pod) !== undefined);
  const status = statefulSetStatus(set, own, revisions, controller.clock.now());
  const before = sets.get(set.metadata.namespace ?? '', set.metadata.name ?? '');
  if (before?.metadata.uid !== set.metadata.uid || semanticallyEqual(before?.status, status)) return;
  await controller.updateStatus(sets, { ...set, status });
}

function statefulSetStatus(
  set: StatefulSet,
  pods: readonly Pod[],
  { current, update, collisionCount }: StatefulRevisions,
  now: number,
): StatefulSetStatus {
  const ready = pods.filter((pod) => pod.status?.phase === 'Running' && isPodReady(pod));
  const living = pods.filter(({ metadata }) => !metadata.deletionTimestamp);
  const at = (revision: ControllerRevision) =>
    living.filter((pod) => revisionOf(pod) === revision.metadata.name).length;
  const updated = at(update);
  const wanted = replicasOf(set);
  const complete =
    set.spec.updateStrategy?.type !== 'OnDelete' &&
    [updated, ready.length, pods.length].every((count) => count === wanted);
  const currentReplicas = complete ? updated : at(current);
  return {
    ...(set.metadata.generation ? { observedGeneration: set.metadata.generation } : {}),
    replicas: pods.length,
    ...(ready.length ? { readyReplicas: ready.length } : {}),
    ...(currentReplicas ? { currentReplicas } : {}),
    ...(updated ? { updatedReplicas: updated } : {}),
    currentRevision: (complete ? update : current).metadata.name ?? '',
    updateRevision: update.metadata.name ?? '',
    collisionCount,
    availableReplicas: ready.filter((pod) => isPodAvailable(pod, set.spec.minReadySeconds ?? 0, now)).length,
  };
}
