import { isConflict, isNotFound } from '@tiphys/kubernetes';
import { conditionOf, timestampOf, withoutCondition } from '../../controllers/machinery/conditions.ts';
import { Controller, type ControllerContext, keyFor, splitKey } from '../../controllers/machinery/controller.ts';
import type { ObjectStore } from '../../controllers/machinery/object-store.ts';
import { isPodTerminal } from '../../controllers/machinery/pods.ts';
import type { Node, PersistentVolumeClaim, Pod } from '../../controllers/machinery/workload-model.ts';
import { claimNames, claimRefusal, type StorageClass } from './claim-refusal.ts';
import { capacityRefusals, nodeRefusal, type Refusal } from './node-filters.ts';
import { byPreference } from './node-scores.ts';
import { NodeUsage } from './node-usage.ts';
import { type Placement, placementRefusal } from './pod-placement.ts';
import { type Budget, choosePreemption, type Preemption, priorityOf } from './preemption.ts';

/** Binds pods without a node to the first node, by load, that takes them; says why where none does. */
export function startScheduler(
  context: ControllerContext,
  pods: ObjectStore<Pod>,
  nodes: ObjectStore<Node>,
  usage: NodeUsage = new NodeUsage(pods),
): void {
  const controller = new Controller(context, 'default-scheduler');
  const waits = (pod: Pod) =>
    !pod.spec.nodeName && !pod.metadata.deletionTimestamp && !pod.spec.schedulingGates?.length;
  controller.watch(pods, (pod) => (waits(pod) ? [keyFor(pod)] : []));
  // A node that is new or changed may take what waits.
  controller.watch(nodes, () => [...pods.list()].filter(waits).map(keyFor));
  const claims = context.stores.of<PersistentVolumeClaim>('v1', 'PersistentVolumeClaim');
  const classes = context.stores.of<StorageClass>('storage.k8s.io/v1', 'StorageClass');
  controller.watch(claims, (claim) =>
    [...pods.inNamespace(claim.metadata.namespace ?? '')]
      .filter((pod) => waits(pod) && claimNames(pod).includes(claim.metadata.name ?? ''))
      .map(keyFor),
  );
  const budgets = context.stores.of<Budget>('policy/v1', 'PodDisruptionBudget');
  const namespaces = context.stores.of('v1', 'Namespace');
  // what goes, or ends, leaves room for what waits
  pods.subscribe(({ type, object, old }) => {
    const left = type === 'deleted' || (isPodTerminal(object) && old !== undefined && !isPodTerminal(old));
    if (left && object.spec.nodeName) for (const pod of pods.list()) if (waits(pod)) controller.queue.add(keyFor(pod));
  });
  controller.run(async (key) => {
    const pod = pods.get(...splitKey(key));
    if (!pod || !waits(pod) || (pod.spec.schedulerName ?? 'default-scheduler') !== 'default-scheduler')
      return undefined;
    const claim = claimRefusal(pod, claims, classes);
    if (claim) return unschedulable(controller, pods, pod, { message: refusalMessage(nodes.size, [], claim) });
    const all = [...nodes.list()];
    const placement: Placement = {
      nodes: all,
      usage,
      namespaceLabels: (name) => namespaces.get('', name)?.metadata.labels ?? {},
      eligible: (node) => !nodeRefusal(pod, node),
    };
    const refusals: Refusal[][] = [];
    const candidates = all.filter((node) => {
      const refused = refusalsOf(pod, node, placement);
      if (refused.length > 0) refusals.push(refused);
      return refused.length === 0;
    });
    const [chosen] = byPreference(pod, candidates, placement);
    if (!chosen) {
      if (mustWait(pod, usage)) return undefined;
      const preemption = mayPreempt(pod)
        ? choosePreemption(pod, placement.nodes, usage, {
            fits: (node, view) => refusalsOf(pod, node, { ...placement, usage: view }).length === 0,
            budgets: [...budgets.list()],
          })
        : undefined;
      if (preemption) return takePlace(controller, pods, pod, { ...preemption, refusals });
      return unschedulable(controller, pods, pod, { message: refusalMessage(nodes.size, refusals) });
    }
    const name = chosen.metadata.name ?? '';
    usage.assume(pod, name);
    if (!(await bind(controller, pod, name))) usage.forget(pod);
    return undefined;
  }, 8);
}

function refusalsOf(pod: Pod, node: Node, placement: Placement): Refusal[] {
  const refusal = nodeRefusal(pod, node);
  if (refusal) return [refusal];
  const lacking = capacityRefusals(pod, node, placement.usage);
  if (lacking.length > 0) return lacking;
  const beside = placementRefusal(pod, node, placement);
  return beside ? [beside] : [];
}

/** False where somebody else was faster. */
async function bind(controller: Controller, pod: Pod, node: string): Promise<boolean> {
  const { namespace = '', name = '', uid } = pod.metadata;
  const body = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace, uid },
    target: { apiVersion: 'v1', kind: 'Node', name: node },
  };
  try {
    const { status, text } = await controller.client
      .request('POST', `/api/v1/namespaces/${namespace}/pods/${name}/binding`, { body })
      .then(async (answer) => ({ status: answer.status, text: await answer.text() }));
    if (status >= 300 && status !== 404 && status !== 409)
      throw new Error(`The binding of ${namespace}/${name} was answered with ${status}: ${text}`);
    if (status < 300)
      controller.events.event(pod, 'Normal', 'Scheduled', `Successfully assigned ${namespace}/${name} to ${node}`);
    return status < 300;
  } catch (error) {
    // Gone or bound by somebody else meanwhile: there is nothing left to do.
    if (!isNotFound(error) && !isConflict(error)) throw error;
    return false;
  }
}

async function unschedulable(
  controller: Controller,
  pods: ObjectStore<Pod>,
  pod: Pod,
  { message, nominatedNodeName }: { message: string; nominatedNodeName?: string },
): Promise<undefined> {
  if (conditionOf(pod.status?.conditions, 'PodScheduled')?.message === message) return undefined;
  const time = timestampOf(controller.clock.now());
  const condition = {
    type: 'PodScheduled',
    ...(pod.metadata.generation ? { observedGeneration: pod.metadata.generation } : {}),
    status: 'False' as const,
    lastProbeTime: null,
    reason: 'Unschedulable',
    message,
    lastTransitionTime: time,
  };
  await controller.updateStatus(pods, {
    ...pod,
    status: {
      ...pod.status,
      ...(nominatedNodeName ? { nominatedNodeName } : {}),
      conditions: [...withoutCondition(pod.status?.conditions, 'PodScheduled'), condition],
    },
  });
  controller.events.event(pod, 'Warning', 'FailedScheduling', message);
  return undefined;
}

function mayPreempt({ spec }: Pod): boolean {
  return spec.preemptionPolicy !== 'Never';
}

/** Whether pods that were taken off for this one are still going. */
function mustWait(pod: Pod, usage: NodeUsage): boolean {
  const node = pod.status?.nominatedNodeName as string | undefined;
  return (
    node !== undefined &&
    [...usage.podsOn(node)].some(
      (other) => other.metadata.deletionTimestamp !== undefined && priorityOf(other) < priorityOf(pod),
    )
  );
}

/** Takes pods of lower priority off a node, which the pod then waits for. */
async function takePlace(
  controller: Controller,
  pods: ObjectStore<Pod>,
  pod: Pod,
  { node, victims, refusals }: Preemption & { refusals: readonly (readonly Refusal[])[] },
): Promise<undefined> {
  const name = node.metadata.name ?? '';
  for (const victim of victims) {
    if (victim.metadata.deletionTimestamp) continue;
    const condition = {
      type: 'DisruptionTarget',
      status: 'True' as const,
      reason: 'PreemptionByScheduler',
      message: 'default-scheduler: preempting to accommodate a higher priority pod',
      lastTransitionTime: timestampOf(controller.clock.now()),
    };
    const conditions = [...withoutCondition(victim.status?.conditions, 'DisruptionTarget'), condition];
    const told = await controller.updateStatus(pods, { ...victim, status: { ...victim.status, conditions } });
    await controller.delete(pods, told);
    controller.events.event(victim, 'Normal', 'Preempted', `Preempted by pod ${pod.metadata.uid} on node ${name}`);
  }
  const message = `0/${refusals.length} nodes are available: ${reasonsOf(refusals).join(', ')}.`;
  return unschedulable(controller, pods, pod, { message, nominatedNodeName: name });
}

function reasonsOf(refusals: readonly (readonly Refusal[])[]): string[] {
  const counts = new Map<string, number>();
  for (const { reason } of refusals.flat()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
}

/** What the real scheduler says: why each node refuses, and whether taking other pods off would help. */
function refusalMessage(total: number, refusals: readonly (readonly Refusal[])[], ofAll?: string): string {
  if (total === 0) return 'no nodes available to schedule pods';
  const reasons = ofAll ? [ofAll] : reasonsOf(refusals);
  const resolvable = refusals.filter((node) => node.every((refusal) => refusal.resolvable)).length;
  const preemption = [
    ...(resolvable > 0 ? [`${resolvable} No preemption victims found for incoming pod`] : []),
    ...(total > resolvable ? [`${total - resolvable} Preemption is not helpful for scheduling`] : []),
  ];
  return `0/${total} nodes are available: ${reasons.join(', ')}. no new claims to deallocate, preemption: 0/${total} nodes are available: ${preemption.join(', ')}.`;
}
