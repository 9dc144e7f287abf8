import { isNotFound, type KubeObject } from '@tiphys/kubernetes';
import { timestamp, withCondition } from '../machinery/conditions.ts';
import { Controller, type ControllerContext, keyFor, splitKey } from '../machinery/controller.ts';
import type { ObjectStore } from '../machinery/object-store.ts';
import { isPodTerminal } from '../machinery/pods.ts';
import type { Node, Pod, Taint } from '../machinery/workload-model.ts';
import { toleratesTaint } from './tolerations.ts';

/** Deletes pods that do not tolerate a NoExecute taint of their node, or not that long (pkg/controller/tainteviction). */
export function startTaintEvictionController(context: ControllerContext): void {
  const controller = new Controller(context, 'taint-eviction-controller');
  const pods = context.stores.of<Pod>('v1', 'Pod');
  const nodes = context.stores.of<Node>('v1', 'Node');
  const podsOf = pods.index((pod) => (pod.spec.nodeName ? [pod.spec.nodeName] : []));
  const taintsOf = (node: Node | undefined) =>
    (node?.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
  /** When the pods that wait for their eviction began to wait. */
  const waiting = new Map<string, number>();
  controller.watch(pods, (pod) => (taintsOf(nodes.get('', pod.spec.nodeName ?? '')).length > 0 ? [keyFor(pod)] : []));
  controller.watch(nodes, (node, old) =>
    taintsOf(node).length + taintsOf(old).length > 0 ? [...podsOf(node.metadata.name ?? '')].map(keyFor) : [],
  );
  controller.run(async (key) => {
    const pod = pods.get(...splitKey(key));
    if (!pod || pod.metadata.deletionTimestamp || isPodTerminal(pod)) {
      waiting.delete(key);
      return undefined;
    }
    const after = toleratedFor(pod, taintsOf(nodes.get('', pod.spec.nodeName ?? '')));
    const now = controller.clock.now();
    if (after === undefined) {
      if (waiting.delete(key))
        controller.events.event(named(pod), 'Normal', 'TaintManagerEviction', `Cancelling deletion of Pod ${key}`);
      return undefined;
    }
    const since = waiting.get(key) ?? now;
    waiting.set(key, since);
    if (since + after > now) return { requeueAfter: since + after - now };
    waiting.delete(key);
    controller.events.event(named(pod), 'Normal', 'TaintManagerEviction', `Marking for deletion Pod ${key}`);
    await evict(controller, pods, pod);
    return undefined;
  });
}

/** How long the pod may stay, in milliseconds; undefined for ever. */
function toleratedFor({ spec }: Pod, taints: readonly Taint[]): number | undefined {
  if (taints.length === 0) return undefined;
  const tolerations = spec.tolerations ?? [];
  if (taints.some((taint) => !tolerations.some((toleration) => toleratesTaint(toleration, taint)))) return 0;
  const limits = tolerations
    .filter((toleration) => taints.some((taint) => toleratesTaint(toleration, taint)))
    .flatMap(({ tolerationSeconds }) =>
      tolerationSeconds === undefined ? [] : [Math.max(0, tolerationSeconds) * 1000],
    );
  return limits.length > 0 ? Math.min(...limits) : undefined;
}

/** What the real one writes events about: it no longer has the pod then. */
function named({ apiVersion, kind, metadata: { name = '', namespace = '' } }: Pod): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace } };
}

async function evict(controller: Controller, pods: ObjectStore<Pod>, pod: Pod): Promise<void> {
  const conditions = withCondition(pod.status?.conditions, {
    type: 'DisruptionTarget',
    ...(pod.metadata.generation ? { observedGeneration: pod.metadata.generation } : {}),
    status: 'True',
    lastTransitionTime: timestamp(controller.clock),
    reason: 'DeletionByTaintManager',
    message: 'Taint manager: deleting due to NoExecute taint',
  });
  const { name = '', namespace = '' } = pod.metadata;
  try {
    const ref = { apiVersion: 'v1', kind: 'Pod', namespace, name };
    await controller.client.patch(ref, 'merge', { status: { conditions } }, { subresource: 'status' });
    await controller.delete(pods, pod);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
