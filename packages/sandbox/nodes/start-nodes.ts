import {
  Controller,
  type ControllerContext,
  isPodTerminal,
  keyFor,
  type Node,
  ObjectStores,
  type Pod,
  splitKey,
} from '@tiphys/kube-controllers';
import { type Client, type Clock, systemClock } from '@tiphys/kubernetes';
import type { ContainerRuntime } from './kubelet/container-runtime.ts';
import { Kubelet } from './kubelet/kubelet.ts';
import { startLogServer } from './kubelet/log-server.ts';
import { nodeBehaviors } from './node-behavior.ts';
import { NodeUsage } from './scheduler/node-usage.ts';
import { startScheduler } from './scheduler/scheduler.ts';
import { keepNode, type NodeOptions } from './simulated-node.ts';

export interface NodesOptions {
  /** Simulated nodes: how many, or what each is. One if absent. */
  nodes?: number | readonly NodeOptions[];
  /** The machine's clock if absent. */
  clock?: Clock;
  /** Ends all nodes; their objects stay. */
  signal: AbortSignal;
  /** Caches to share with `startControllers` in the same process; own ones if absent. */
  stores?: ObjectStores;
  /** Told about every reconcile that failed (it is tried again); ignored if absent. */
  onError?: (component: string, key: string, error: unknown) => void;
  /** Assign pods to nodes too; false where a kube-scheduler runs. True if absent. */
  scheduler?: boolean;
  /** Runs containers as processes of this machine; they are simulated if absent. */
  runtime?: ContainerRuntime;
}

/**
 * Starts simulated nodes as clients of any API server: they register, run pods as images, commands, probes and the
 * annotation `sandbox.tiphys.dev/behavior` tell, and serve logs at their kubelet endpoints.
 */
export async function startNodes(client: Client, options: NodesOptions): Promise<void> {
  const { clock = systemClock, signal, onError = () => {} } = options;
  const facts = nodeFacts(options.nodes ?? 1);
  const stores = options.stores ?? new ObjectStores(client, { clock, signal });
  const context: ControllerContext = { client, clock, signal, stores, onError };
  const pods = stores.of<Pod>('v1', 'Pod');
  const nodes = stores.of<Node>('v1', 'Node');
  const usage = new NodeUsage(pods);
  const names = new Set(facts.map(({ name }) => name));
  const kubelet = new Kubelet(context, {
    pods,
    nodes,
    usage,
    ...(options.runtime ? { runtime: options.runtime } : {}),
  });
  const port = await startLogServer({ client, kubelet, signal, clock });
  await Promise.all(facts.map((node, index) => keepNode(context, { ...node, index, kubeletPort: port })));

  const controller = new Controller(context, 'kubelet');
  kubelet.backlog = () => controller.queue.depth;
  kubelet.wake = (key) => controller.queue.add(key);
  controller.watch(pods, (pod) => (names.has(pod.spec.nodeName ?? '') ? [keyFor(pod)] : []));
  const isLost = (pod: Pod) => nodeBehaviors(nodes.get('', pod.spec.nodeName ?? '')).has('lost');
  nodes.subscribe(({ object, old }) => {
    if (!nodeBehaviors(old).has('lost') || nodeBehaviors(object).has('lost')) return;
    for (const pod of pods.list()) if (pod.spec.nodeName === object.metadata.name) controller.queue.add(keyFor(pod));
  });
  // what goes leaves room for what waits to grow
  pods.subscribe(({ type, object }) => {
    if (type === 'deleted' || isPodTerminal(object))
      for (const key of kubelet.deferredOn(object.spec.nodeName ?? '')) controller.queue.add(key);
  });
  controller.run(async (key) => {
    const pod = pods.get(...splitKey(key));
    if (!pod) return void kubelet.forget(key) as undefined;
    if (isLost(pod)) return undefined;
    const wait = await kubelet.sync(pod);
    return wait === undefined ? undefined : { requeueAfter: wait };
  }, 16);
  if (options.scheduler ?? true) startScheduler(context, pods, nodes, usage);
  await stores.synced();
}

function nodeFacts(nodes: number | readonly NodeOptions[]): (NodeOptions & { name: string })[] {
  const given = typeof nodes === 'number' ? Array.from({ length: nodes }, (): NodeOptions => ({})) : nodes;
  return given.map((node, index) => ({ ...node, name: node.name ?? `sandbox-${index + 1}` }));
}
