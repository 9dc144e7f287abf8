import { isConflict, isNotFound } from '@tiphys/kubernetes';
import { conditionOf, timestampOf, withoutCondition } from '../../controllers/machinery/conditions.ts';
import { Controller, type ControllerContext, keyFor, splitKey } from '../../controllers/machinery/controller.ts';
import type { ObjectStore } from '../../controllers/machinery/object-store.ts';
import type { Node, PersistentVolumeClaim, Pod } from '../../controllers/machinery/workload-model.ts';
import { claimNames, claimRefusal, type StorageClass } from './claim-refusal.ts';
import { refusalOf } from './node-filters.ts';

/** Binds pods without a node to the first node, by load, that takes them; says why where none does. */
export function startScheduler(context: ControllerContext, pods: ObjectStore<Pod>, nodes: ObjectStore<Node>): void {
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
  const load = new Map<string, number>();
  controller.run(async (key) => {
    const pod = pods.get(...splitKey(key));
    if (!pod || !waits(pod) || (pod.spec.schedulerName ?? 'default-scheduler') !== 'default-scheduler')
      return undefined;
    const refusals = new Map<string, number>();
    const claim = claimRefusal(pod, claims, classes);
    if (claim) return unschedulable(controller, pods, pod, refusalMessage(nodes.size, refusals, claim));
    const candidates = [...nodes.list()].filter((node) => {
      const reason = refusalOf(pod, node);
      if (reason) refusals.set(reason, (refusals.get(reason) ?? 0) + 1);
      return !reason;
    });
    const count = (node: Node) => load.get(node.metadata.name ?? '') ?? 0;
    const chosen = candidates.sort((a, b) => count(a) - count(b))[0];
    if (!chosen) return unschedulable(controller, pods, pod, refusalMessage(nodes.size, refusals));
    const name = chosen.metadata.name ?? '';
    load.set(name, count(chosen) + 1);
    await bind(controller, pod, name);
    return undefined;
  }, 8);
}

async function bind(controller: Controller, pod: Pod, node: string): Promise<void> {
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
  } catch (error) {
    // Gone or bound by somebody else meanwhile: there is nothing left to do.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

async function unschedulable(
  controller: Controller,
  pods: ObjectStore<Pod>,
  pod: Pod,
  message: string,
): Promise<undefined> {
  if (conditionOf(pod.status?.conditions, 'PodScheduled')?.message === message) return undefined;
  const time = timestampOf(controller.clock.now());
  const condition = {
    type: 'PodScheduled',
    status: 'False' as const,
    reason: 'Unschedulable',
    message,
    lastTransitionTime: time,
  };
  await controller.updateStatus(pods, {
    ...pod,
    status: { ...pod.status, conditions: [...withoutCondition(pod.status?.conditions, 'PodScheduled'), condition] },
  });
  controller.events.event(pod, 'Warning', 'FailedScheduling', message);
  return undefined;
}

/** What the real scheduler says: why each node refuses, and that taking other pods off would not help. */
function refusalMessage(total: number, refusals: ReadonlyMap<string, number>, ofAll?: string): string {
  if (total === 0) return 'no nodes available to schedule pods';
  const reasons = ofAll ? [ofAll] : [...refusals].map(([reason, count]) => `${count} ${reason}`).sort();
  const full = [...refusals].filter(([reason]) => reason.startsWith('Insufficient')).reduce((sum, [, n]) => sum + n, 0);
  const preemption = [
    ...(full > 0 ? [`${full} No preemption victims found for incoming pod`] : []),
    ...(total > full ? [`${total - full} Preemption is not helpful for scheduling`] : []),
  ];
  return `0/${total} nodes are available: ${reasons.join(', ')}. no new claims to deallocate, preemption: 0/${total} nodes are available: ${preemption.join(', ')}.`;
}
