import { selectorMatches } from '@tiphys/kubernetes';
import { conditionOf, timestamp, withCondition, withoutCondition } from './machinery/conditions.ts';
import { Controller, type ControllerContext, splitKey } from './machinery/controller.ts';
import { labelsMatch } from './machinery/label-selector.ts';
import type { ObjectStore } from './machinery/object-store.ts';
import { byReadinessToGo } from './machinery/pod-ranking.ts';
import {
  claimPods,
  createPod,
  deletePod,
  isPodActive,
  isPodAvailable,
  isPodReady,
  nextAvailability,
  podFromTemplate,
  podOwners,
  serverMessage,
  slowStart,
} from './machinery/pods.ts';
import { semanticallyEqual } from './machinery/semantically-equal.ts';
import type { Pod, ReplicaSet, ReplicaSetStatus } from './machinery/workload-model.ts';

const burst = 500;

/** Keeps as many pods as ReplicaSets ask for (pkg/controller/replicaset). */
export function startReplicaSetController(context: ControllerContext): void {
  startReplicaController(context, { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'replicaset-controller' });
  startReplicaController(context, { apiVersion: 'v1', kind: 'ReplicationController', name: 'replication-controller' });
}

function startReplicaController(
  context: ControllerContext,
  { apiVersion, kind, name }: { apiVersion: string; kind: string; name: string },
): void {
  const controller = new Controller(context, name);
  const sets = context.stores.of<ReplicaSet>(apiVersion, kind);
  const pods = context.stores.of<Pod>('v1', 'Pod');
  controller.watch(sets).watch(pods, podOwners(kind, sets));
  controller.run(async (key) => {
    const found = sets.get(...splitKey(key));
    if (!found) return undefined;
    const set = withSelector(found);
    const active = (await claimPods(controller, pods, set)).filter(isPodActive);
    const failure = set.metadata.deletionTimestamp ? undefined : await manageReplicas(controller, pods, set, active);
    const current = [...pods.controlledBy(set.metadata.uid ?? '')].filter(isPodActive);
    await writeStatus(controller, sets, found, current, failure);
    if (failure) throw failure;
    const wait = nextAvailability(current, set.spec.minReadySeconds ?? 0, controller.clock.now());
    return wait === undefined ? undefined : { requeueAfter: wait };
  });
}

/** The selector of a ReplicationController is a plain map. */
function withSelector(set: ReplicaSet): ReplicaSet {
  if (set.kind !== 'ReplicationController') return set;
  return { ...set, spec: { ...set.spec, selector: { matchLabels: set.spec.selector as Record<string, string> } } };
}

/** Creates or deletes what differs; answers with the error, for it belongs into the status too. */
async function manageReplicas(
  controller: Controller,
  pods: ObjectStore<Pod>,
  set: ReplicaSet,
  active: readonly Pod[],
): Promise<Error | undefined> {
  const diff = active.length - (set.spec.replicas ?? 1);
  try {
    if (diff < 0)
      await slowStart(Math.min(-diff, burst), () =>
        createPod(controller, pods, set, podFromTemplate(set.spec.template, set)),
      );
    else if (diff > 0) {
      const doomed = byReadinessToGo(active, relatedPods(pods, set)).slice(0, Math.min(diff, burst));
      await Promise.all(doomed.map((pod) => deletePod(controller, pods, set, pod)));
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Pods of all ReplicaSets with the same owner: the Deployment's. */
function relatedPods(pods: ObjectStore<Pod>, set: ReplicaSet): Pod[] {
  return [...pods.inNamespace(set.metadata.namespace ?? '')].filter(
    (pod) => isPodActive(pod) && selectorMatches(withoutHash(set), pod.metadata.labels),
  );
}

function withoutHash(set: ReplicaSet): ReplicaSet['spec']['selector'] {
  const { 'pod-template-hash': _, ...matchLabels } = set.spec.selector.matchLabels ?? {};
  return { ...set.spec.selector, matchLabels };
}

async function writeStatus(
  controller: Controller,
  sets: ObjectStore<ReplicaSet>,
  set: ReplicaSet,
  active: readonly Pod[],
  failure: Error | undefined,
): Promise<void> {
  const latest = sets.get(set.metadata.namespace ?? '', set.metadata.name ?? '');
  if (!latest || latest.metadata.uid !== set.metadata.uid) return;
  const status = replicaSetStatus(set, active, failure, controller);
  const before = latest.status;
  if (before && before.observedGeneration === set.metadata.generation && semanticallyEqual(before, status)) return;
  await controller.updateStatus(sets, { ...latest, status });
}

function replicaSetStatus(
  set: ReplicaSet,
  active: readonly Pod[],
  failure: Error | undefined,
  { clock }: Controller,
): ReplicaSetStatus {
  const ready = active.filter(isPodReady).length;
  const available = active.filter((pod) => isPodAvailable(pod, set.spec.minReadySeconds ?? 0, clock.now())).length;
  const labeled = active.filter((pod) => labelsMatch(set.spec.template.metadata?.labels, pod.metadata.labels)).length;
  let conditions = set.status?.conditions ?? [];
  if (failure && !conditionOf(conditions, 'ReplicaFailure'))
    conditions = withCondition(conditions, {
      type: 'ReplicaFailure',
      status: 'True',
      lastTransitionTime: timestamp(clock),
      reason: active.length < (set.spec.replicas ?? 1) ? 'FailedCreate' : 'FailedDelete',
      message: serverMessage(failure),
    });
  else if (!failure) conditions = withoutCondition(conditions, 'ReplicaFailure');
  return {
    replicas: active.length,
    ...(labeled ? { fullyLabeledReplicas: labeled } : {}),
    ...(ready ? { readyReplicas: ready } : {}),
    ...(available ? { availableReplicas: available } : {}),
    ...(set.metadata.generation ? { observedGeneration: set.metadata.generation } : {}),
    ...(conditions.length > 0 ? { conditions } : {}),
  };
}
