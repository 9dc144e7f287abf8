import { isNotFound, type KubeObject } from '@tiphys/kubernetes';
import { conditionOf, timestamp } from '../machinery/conditions.ts';
import { Controller, type ControllerContext, keyFor } from '../machinery/controller.ts';
import type { ObjectStore } from '../machinery/object-store.ts';
import { semanticallyEqual } from '../machinery/semantically-equal.ts';
import type { Condition, Node, Pod } from '../machinery/workload-model.ts';
import { taintsOf } from './node-taints.ts';

interface Lease extends KubeObject {
  spec?: { renewTime?: string };
}

/** How long a node may say nothing, in milliseconds (with the second look, `--node-monitor-grace-period`). */
const gracePeriod = 45_000;

/** A machine that slept, or a scripted clock that jumped, lets all appointments come at once: the lease gets this long to follow. */
const secondLook = 5_000;

/** Conditions that nobody knows any more when the kubelet is silent. */
const reported = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/**
 * Finds nodes whose kubelet has stopped renewing its lease, makes their conditions Unknown, and keeps the taints that
 * follow from conditions and cordons (pkg/controller/nodelifecycle).
 */
export function startNodeLifecycleController(context: ControllerContext): void {
  const controller = new Controller(context, 'node-controller');
  const nodes = context.stores.of<Node>('v1', 'Node');
  const pods = context.stores.of<Pod>('v1', 'Pod');
  const leases = context.stores.of<Lease>('coordination.k8s.io/v1', 'Lease');
  const podsOf = pods.index((pod) => (pod.spec.nodeName ? [pod.spec.nodeName] : []));
  const heartbeats = new Heartbeats(controller);
  nodes.subscribe(({ type, object }) => tellOfNode(controller, type, object));
  controller.watch(nodes);
  leases.subscribe(({ type, object }) => {
    if (type === 'deleted' || object.metadata.namespace !== 'kube-node-lease') return;
    heartbeats.saw(object.metadata.name ?? '', object.spec?.renewTime ?? '');
    const node = nodes.get('', object.metadata.name ?? '');
    if (node && conditionOf(node.status?.conditions, 'Ready')?.status !== 'True') controller.queue.add(keyFor(node));
  });
  controller.run(async (key) => {
    const node = nodes.get('', key.slice(1));
    if (!node) return undefined;
    const name = node.metadata.name ?? '';
    const left = heartbeats.leftFor(name);
    if (left > 0 && left <= secondLook) return { requeueAfter: left };
    const current = left > 0 ? node : await markUnknown(controller, nodes, node);
    await updateTaints(controller, nodes, current);
    await updateLabels(controller, nodes, name);
    if (conditionOf(current.status?.conditions, 'Ready')?.status !== 'True')
      for (const pod of podsOf(name)) await markPodNotReady(controller, pods, pod);
    return left > 0 ? { requeueAfter: left } : undefined;
  });
}

/** When each node was last seen to be alive, by this process's clock: a lease's own time is another machine's. */
class Heartbeats {
  readonly #controller: Controller;
  readonly #seen = new Map<string, { renewTime: string; at: number }>();
  readonly #suspected = new Map<string, number>();

  constructor(controller: Controller) {
    this.#controller = controller;
  }

  saw(node: string, renewTime: string): void {
    if (this.#seen.get(node)?.renewTime === renewTime) return;
    this.#seen.set(node, { renewTime, at: this.#controller.clock.now() });
  }

  /** Milliseconds until the node counts as lost. One that is silent for too long is looked at a second time first. */
  leftFor(node: string): number {
    const now = this.#controller.clock.now();
    const seen = this.#seen.get(node) ?? { renewTime: '', at: now };
    this.#seen.set(node, seen);
    const left = seen.at + gracePeriod - now;
    if (left > 0) {
      this.#suspected.delete(node);
      return left;
    }
    const since = this.#suspected.get(node) ?? now;
    this.#suspected.set(node, since);
    return Math.max(0, since + secondLook - now);
  }
}

function tellOfNode({ events }: Controller, type: 'added' | 'updated' | 'deleted', seen: Node): void {
  const node = withoutVersion(seen);
  const { name } = node.metadata;
  if (type === 'added')
    events.event(node, 'Normal', 'RegisteredNode', `Node ${name} event: Registered Node ${name} in Controller`);
  if (type === 'deleted')
    events.event(node, 'Normal', 'RemovingNode', `Node ${name} event: Removing Node ${name} from Controller`);
}

/** What the real one writes events about. */
function withoutVersion({ metadata: { resourceVersion: _, ...metadata }, ...node }: Node): Node {
  return { ...node, metadata };
}

async function markUnknown(controller: Controller, nodes: ObjectStore<Node>, node: Node): Promise<Node> {
  const before = node.status?.conditions ?? [];
  const time = timestamp(controller.clock);
  const unknown = (type: string): Condition => {
    const known = conditionOf(before, type);
    if (known?.status === 'Unknown') return known;
    const why = known
      ? { reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' }
      : { reason: 'NodeStatusNeverUpdated', message: 'Kubelet never posted node status.' };
    return { ...known, type, status: 'Unknown', ...why, lastTransitionTime: time };
  };
  const conditions = [
    ...before.map((condition) => (reported.includes(condition.type) ? unknown(condition.type) : condition)),
    ...reported.filter((type) => !conditionOf(before, type)).map(unknown),
  ];
  if (semanticallyEqual(before, conditions)) return node;
  const wasReady = conditionOf(before, 'Ready')?.status === 'True';
  const written = await controller.updateStatus(nodes, { ...node, status: { ...node.status, conditions } });
  if (wasReady)
    controller.events.event(
      withoutVersion(node),
      'Normal',
      'NodeNotReady',
      `Node ${node.metadata.name} status is now: NodeNotReady`,
    );
  return written;
}

async function updateTaints(controller: Controller, nodes: ObjectStore<Node>, node: Node): Promise<void> {
  const before = node.spec?.taints ?? [];
  const taints = taintsOf(node, timestamp(controller.clock));
  if (semanticallyEqual(before, taints)) return;
  const { taints: _, ...spec } = node.spec ?? {};
  await controller.update(nodes, { ...node, spec: { ...spec, ...(taints.length > 0 ? { taints } : {}) } });
}

/** Keeps the labels of old kubelets in step with those that replaced them. */
async function updateLabels(controller: Controller, nodes: ObjectStore<Node>, name: string): Promise<void> {
  const node = nodes.get('', name);
  const labels = node?.metadata.labels ?? {};
  const old = ['os', 'arch'].flatMap((label) => {
    const value = labels[`kubernetes.io/${label}`];
    return value === undefined || labels[`beta.kubernetes.io/${label}`] === value
      ? []
      : [[`beta.kubernetes.io/${label}`, value]];
  });
  if (!node || old.length === 0) return;
  const ref = { apiVersion: 'v1', kind: 'Node', name };
  const body = { metadata: { labels: Object.fromEntries(old) } };
  nodes.wrote(await controller.client.patch<Node>(ref, 'strategic', body));
}

async function markPodNotReady(controller: Controller, pods: ObjectStore<Pod>, pod: Pod): Promise<void> {
  const ready = conditionOf(pod.status?.conditions, 'Ready');
  if (ready?.status !== 'True') return;
  const lastTransitionTime = timestamp(controller.clock);
  const conditions = (pod.status?.conditions ?? []).map((condition) =>
    condition === ready ? { ...condition, status: 'False' as const, lastTransitionTime } : condition,
  );
  try {
    await controller.updateStatus(pods, { ...pod, status: { ...pod.status, conditions } });
    controller.events.event(pod, 'Warning', 'NodeNotReady', 'Node is not ready');
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
