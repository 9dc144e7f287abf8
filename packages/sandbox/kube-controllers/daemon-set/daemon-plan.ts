import { isPodAvailable, isPodReady } from '../machinery/pods.ts';
import type { Node, Pod } from '../machinery/workload-model.ts';
import { fitsNode, isUpToDate } from './daemon-pods.ts';
import { type DaemonSet, surgeOf, unavailableOf } from './daemon-set-model.ts';

/** What is to be done: pods to delete, and nodes that get one. */
export interface DaemonPlan {
  remove: Pod[];
  /** Of `remove`: those that ended by themselves, which an event tells of. */
  ended: Pod[];
  nodes: string[];
}

export interface DaemonView {
  set: DaemonSet;
  nodes: readonly Node[];
  byNode: ReadonlyMap<string, readonly Pod[]>;
  hash: string;
  now: number;
}

/** One pod on each node that is to have one, none elsewhere (`podsShouldBeOnNode`). */
export function planNodes(view: DaemonView): DaemonPlan {
  const plan: DaemonPlan = { remove: [], ended: [], nodes: [] };
  const names = new Set(view.nodes.map(({ metadata }) => metadata.name));
  for (const node of view.nodes) planNode(view, node, plan);
  for (const [name, pods] of view.byNode)
    if (!names.has(name)) plan.remove.push(...pods.filter((pod) => !pod.spec.nodeName && !isLeaving(pod)));
  return plan;
}

function planNode(view: DaemonView, node: Node, plan: DaemonPlan): void {
  const { set, byNode } = view;
  const name = node.metadata.name ?? '';
  const { runs, keeps } = fitsNode(set, node);
  const pods = byNode.get(name);
  if (runs && !pods) plan.nodes.push(name);
  else if (!keeps) plan.remove.push(...(pods ?? []).filter((pod) => !isLeaving(pod)));
  else {
    const present = (pods ?? []).filter((pod) => !isLeaving(pod));
    const ended = present.filter(({ status }) => status?.phase === 'Failed' || status?.phase === 'Succeeded');
    plan.ended.push(...ended);
    plan.remove.push(...ended);
    const running = present.filter((pod) => !ended.includes(pod)).sort(scheduledFirst);
    if (surgeOf(set, 1) === 0) plan.remove.push(...running.slice(1));
    else if (running.length === 0 && runs) plan.nodes.push(name);
    else if (running.length > 1) plan.remove.push(...surplusOfSurge(view, running));
  }
}

/** Of a node with old and new pods: at most one each, and the old one only as long as it serves and the new one does not. */
function surplusOfSurge({ set, hash, now }: DaemonView, running: readonly Pod[]): Pod[] {
  const fresh = running.find((pod) => isUpToDate(set, pod, hash));
  const old = running.find((pod) => !isUpToDate(set, pod, hash));
  const surplus = running.filter((pod) => pod !== fresh && pod !== old);
  if (fresh && old && (!isPodReady(old) || isPodAvailable(fresh, set.spec.minReadySeconds ?? 0, now)))
    surplus.push(old);
  return surplus;
}

/** Which pods an update replaces now, within its limits (`rollingUpdate`). */
export function planUpdate(view: DaemonView): DaemonPlan {
  const { set, nodes, byNode } = view;
  const desired = nodes.filter((node) => fitsNode(set, node).runs).length;
  const surge = surgeOf(set, desired);
  const pairs = [...byNode].map(([name, pods]) => ({ name, ...pairOn(view, pods) }));
  return surge === 0 ? replace(view, pairs, unavailableOf(set, desired)) : surgeOnto(view, pairs, surge);
}

interface Pair {
  name: string;
  fresh: Pod | undefined;
  old: Pod | undefined;
  /** More than one of a sort: the other plan clears up first. */
  crowded: boolean;
}

function pairOn({ set, hash }: DaemonView, pods: readonly Pod[]): Omit<Pair, 'name'> {
  const present = pods.filter((pod) => !isLeaving(pod));
  const fresh = present.filter((pod) => isUpToDate(set, pod, hash));
  const old = present.filter((pod) => !isUpToDate(set, pod, hash));
  return { fresh: fresh[0], old: old[0], crowded: fresh.length > 1 || old.length > 1 };
}

function replace({ set, now }: DaemonView, pairs: readonly Pair[], maxUnavailable: number): DaemonPlan {
  const isAvailable = (pod: Pod) => isPodAvailable(pod, set.spec.minReadySeconds ?? 0, now);
  const [broken, candidates]: [Pod[], Pod[]] = [[], []];
  let unavailable = 0;
  for (const { fresh, old, crowded } of pairs) {
    if (crowded || (fresh === undefined) === (old === undefined)) unavailable++;
    else if (fresh) unavailable += isAvailable(fresh) ? 0 : 1;
    else if (old && isAvailable(old)) candidates.push(old);
    else if (old) {
      broken.push(old);
      unavailable++;
    }
  }
  const room = Math.max(0, maxUnavailable - unavailable);
  return { remove: [...broken, ...candidates.slice(0, room)], ended: [], nodes: [] };
}

function surgeOnto({ set, nodes, now }: DaemonView, pairs: readonly Pair[], maxSurge: number): DaemonPlan {
  const isAvailable = (pod: Pod) => isPodAvailable(pod, set.spec.minReadySeconds ?? 0, now);
  const running = new Set(nodes.filter((node) => fitsNode(set, node).runs).map(({ metadata }) => metadata.name));
  const plan: DaemonPlan = { remove: [], ended: [], nodes: [] };
  const candidates: string[] = [];
  const misplaced: Pod[] = [];
  let surging = 0;
  for (const { name, fresh, old, crowded } of pairs) {
    if (crowded) surging++;
    else if (old && fresh) {
      if (isAvailable(fresh)) plan.remove.push(old);
      else surging++;
    } else if (old && !running.has(name)) (isAvailable(old) ? misplaced : plan.remove).push(old);
    else if (old) (isAvailable(old) ? candidates : plan.nodes).push(name);
  }
  const available = pairs.filter(({ fresh, old }) => {
    const pod = old ?? fresh;
    return pod !== undefined && isAvailable(pod);
  }).length;
  plan.remove.push(...misplaced.slice(0, Math.max(0, available - running.size)));
  plan.nodes.push(...candidates.slice(0, Math.max(0, maxSurge - surging)));
  return plan;
}

function isLeaving({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** On a node before waiting, older before younger. */
export function scheduledFirst(a: Pod, b: Pod): number {
  if (Boolean(a.spec.nodeName) !== Boolean(b.spec.nodeName)) return a.spec.nodeName ? -1 : 1;
  return (a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? -1 : 1;
}
