import { Controller, type ControllerContext, keyFor, splitKey } from '../machinery/controller.ts';
import type { ObjectStore } from '../machinery/object-store.ts';
import {
  claimPods,
  createPod,
  deletePod,
  isPodAvailable,
  isPodReady,
  isPodTerminal,
  nextAvailability,
  podOwners,
  slowStart,
} from '../machinery/pods.ts';
import { semanticallyEqual } from '../machinery/semantically-equal.ts';
import type { Node, Pod } from '../machinery/workload-model.ts';
import type { ControllerRevision } from '../revisions/controller-revision.ts';
import { type DaemonPlan, type DaemonView, planNodes, planUpdate, scheduledFirst } from './daemon-plan.ts';
import { fitsNode, isUpToDate, newDaemonPod, nodeOf } from './daemon-pods.ts';
import { daemonRevision, truncateDaemonRevisions } from './daemon-revisions.ts';
import type { DaemonSet, DaemonSetStatus } from './daemon-set-model.ts';

const burst = 250;
/** A pod that failed is replaced no sooner than this after the last one that failed. */
const failureDelay = 1000;

/** Keeps one pod of each DaemonSet on every node that takes it (pkg/controller/daemon). */
export function startDaemonSetController(context: ControllerContext): void {
  const controller = new Controller(context, 'daemonset-controller');
  const sets = context.stores.of<DaemonSet>('apps/v1', 'DaemonSet');
  const pods = context.stores.of<Pod>('v1', 'Pod');
  const nodes = context.stores.of<Node>('v1', 'Node');
  const revisions = context.stores.of<ControllerRevision>('apps/v1', 'ControllerRevision');
  const lastFailure = new Map<string, number>();
  controller.watch(sets).watch(pods, podOwners('DaemonSet', sets as never));
  controller.watch(nodes, (node, old) => (old && !concerns(node, old) ? [] : [...sets.list()].map(keyFor)));
  controller.run(async (key) => {
    const set = sets.get(...splitKey(key));
    if (!set) lastFailure.delete(key);
    if (!set || set.metadata.deletionTimestamp) return undefined;
    const own = await claimPods(controller, pods, set);
    const hash = await daemonRevision(controller, { sets, revisions }, set);
    const now = controller.clock.now();
    const view = (current: readonly Pod[]): DaemonView => ({
      set,
      nodes: [...nodes.list()],
      byNode: byNode(current),
      hash,
      now,
    });
    const current = () => [...pods.controlledBy(set.metadata.uid ?? '')];
    const plan = planNodes(view(own));
    const wait = (lastFailure.get(key) ?? Number.NEGATIVE_INFINITY) + failureDelay - now;
    if (plan.ended.length > 0 && wait > 0) plan.remove = plan.remove.filter((pod) => !plan.ended.includes(pod));
    else if (plan.ended.length > 0) {
      lastFailure.set(key, now);
      for (const pod of plan.ended) tellEnd(controller, set, pod);
    }
    try {
      await act({ controller, pods, set, hash }, plan);
      if (set.spec.updateStrategy?.type !== 'OnDelete')
        await act({ controller, pods, set, hash }, planUpdate(view(current())));
      await truncateDaemonRevisions(controller, revisions, set, { hash, pods: current() });
    } finally {
      await writeStatus(controller, sets, view(current()));
    }
    const waits = [
      nextAvailability(current(), set.spec.minReadySeconds ?? 0, now),
      plan.ended.length > 0 && wait > 0 ? wait : undefined,
    ].filter((each) => each !== undefined);
    return waits.length > 0 ? { requeueAfter: Math.min(...waits) } : undefined;
  });
}

/** Of a node's changes only labels, taints and its name matter; its status changes all the time. */
function concerns(node: Node, old: Node): boolean {
  return (
    !semanticallyEqual(node.metadata.labels, old.metadata.labels) ||
    !semanticallyEqual(node.spec?.taints, old.spec?.taints)
  );
}

function byNode(pods: readonly Pod[]): Map<string, Pod[]> {
  const map = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = nodeOf(pod);
    if (node === undefined || (isPodTerminal(pod) && pod.metadata.deletionTimestamp)) continue;
    const there = map.get(node);
    if (there) there.push(pod);
    else map.set(node, [pod]);
  }
  return map;
}

function tellEnd({ events }: Controller, set: DaemonSet, pod: Pod): void {
  const { metadata, status } = pod;
  const about = `daemon pod ${metadata.namespace}/${metadata.name} on node ${nodeOf(pod) ?? ''}`;
  if (status?.phase === 'Failed')
    events.event(set, 'Warning', 'FailedDaemonPod', `Found failed ${about}, will try to kill it`);
  else events.event(set, 'Normal', 'SucceededDaemonPod', `Found succeeded ${about}, will try to delete it`);
}

interface Actor {
  controller: Controller;
  pods: ObjectStore<Pod>;
  set: DaemonSet;
  hash: string;
}

async function act({ controller, pods, set, hash }: Actor, plan: DaemonPlan): Promise<void> {
  await slowStart(Math.min(plan.nodes.length, burst), (index) =>
    createPod(controller, pods, set, newDaemonPod(set, plan.nodes[index] as string, hash)),
  );
  await Promise.all(plan.remove.slice(0, burst).map((pod) => deletePod(controller, pods, set, pod)));
}

async function writeStatus(controller: Controller, sets: ObjectStore<DaemonSet>, view: DaemonView): Promise<void> {
  const { set } = view;
  const latest = sets.get(set.metadata.namespace ?? '', set.metadata.name ?? '');
  const status = daemonSetStatus(view);
  if (latest?.metadata.uid !== set.metadata.uid || semanticallyEqual(latest?.status, status)) return;
  await controller.updateStatus(sets, { ...set, status });
}

function daemonSetStatus({ set, nodes, byNode: there, hash, now }: DaemonView): DaemonSetStatus {
  const counts = { current: 0, misscheduled: 0, desired: 0, ready: 0, updated: 0, available: 0 };
  for (const node of nodes) {
    const pods = there.get(node.metadata.name ?? '');
    const { runs } = fitsNode(set, node);
    if (!runs) counts.misscheduled += pods ? 1 : 0;
    else {
      counts.desired++;
      const pod = pods && [...pods].sort(scheduledFirst)[0];
      if (!pod) continue;
      counts.current++;
      counts.ready += isPodReady(pod) ? 1 : 0;
      counts.available += isPodAvailable(pod, set.spec.minReadySeconds ?? 0, now) ? 1 : 0;
      counts.updated += isUpToDate(set, pod, hash) ? 1 : 0;
    }
  }
  const unavailable = counts.desired - counts.available;
  return {
    currentNumberScheduled: counts.current,
    numberMisscheduled: counts.misscheduled,
    desiredNumberScheduled: counts.desired,
    numberReady: counts.ready,
    ...(set.metadata.generation ? { observedGeneration: set.metadata.generation } : {}),
    ...(counts.updated ? { updatedNumberScheduled: counts.updated } : {}),
    ...(counts.available ? { numberAvailable: counts.available } : {}),
    ...(unavailable ? { numberUnavailable: unavailable } : {}),
    ...(set.status?.collisionCount ? { collisionCount: set.status.collisionCount } : {}),
  };
}
