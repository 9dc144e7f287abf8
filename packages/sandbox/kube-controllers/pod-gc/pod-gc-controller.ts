import { isConflict, isNotFound } from '@tiphys/kubernetes';
import { timestamp, withCondition } from '../machinery/conditions.ts';
import { Controller, type ControllerContext, keyFor, splitKey } from '../machinery/controller.ts';
import { isPodTerminal } from '../machinery/pods.ts';
import type { Node, Pod } from '../machinery/workload-model.ts';

/** A node that is not known may be so new that its watch has not told it: it is waited for. */
const quarantine = 40_000;

/** Deletes pods whose node is gone, and pods that are deleted and have no node (pkg/controller/podgc). */
export function startPodGcController(context: ControllerContext): void {
  const controller = new Controller(context, 'pod-garbage-collector');
  const pods = context.stores.of<Pod>('v1', 'Pod');
  const nodes = context.stores.of<Node>('v1', 'Node');
  const missing = new Map<string, number>();
  const isLost = ({ spec }: Pod) => Boolean(spec.nodeName) && !nodes.get('', spec.nodeName ?? '');
  const isStuck = ({ metadata, spec }: Pod) => Boolean(metadata.deletionTimestamp) && !spec.nodeName;
  controller.watch(pods, (pod) => (isLost(pod) || isStuck(pod) ? [keyFor(pod)] : []));
  nodes.subscribe(({ type, object }) => {
    missing.delete(object.metadata.name ?? '');
    if (type !== 'deleted') return;
    for (const pod of pods.list()) if (pod.spec.nodeName === object.metadata.name) controller.queue.add(keyFor(pod));
  });
  controller.run(async (key) => {
    const pod = pods.get(...splitKey(key));
    if (!pod || (!isLost(pod) && !isStuck(pod))) return undefined;
    if (isStuck(pod)) {
      await forceDelete(controller, pod);
      return undefined;
    }
    const node = pod.spec.nodeName ?? '';
    const now = controller.clock.now();
    const since = missing.get(node) ?? now;
    missing.set(node, since);
    if (since + quarantine > now) return { requeueAfter: since + quarantine - now };
    if (!isPodTerminal(pod)) await markFailed(controller, pod);
    await forceDelete(controller, pod);
    return undefined;
  });
}

async function markFailed({ client, clock }: Controller, pod: Pod): Promise<void> {
  const { name = '', namespace = '' } = pod.metadata;
  const conditions = withCondition(pod.status?.conditions, {
    type: 'DisruptionTarget',
    ...(pod.metadata.generation ? { observedGeneration: pod.metadata.generation } : {}),
    status: 'True',
    lastTransitionTime: timestamp(clock),
    reason: 'DeletionByPodGC',
    message: 'PodGC: node no longer exists',
  });
  const body = { status: { phase: 'Failed', conditions } };
  try {
    await client.patch({ apiVersion: 'v1', kind: 'Pod', namespace, name }, 'merge', body, { subresource: 'status' });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

async function forceDelete({ client }: Controller, pod: Pod): Promise<void> {
  const { name = '', namespace = '', uid = '' } = pod.metadata;
  try {
    const ref = { apiVersion: 'v1', kind: 'Pod', namespace, name };
    await client.delete(ref, { gracePeriodSeconds: 0, preconditions: { uid } });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
