import { type Condition, type ControllerContext, conditionOf, type Node, type Taint } from '@tiphys/kube-controllers';
import {
  isAlreadyExists,
  isConflict,
  isNotFound,
  type KubeObject,
  microTime,
  type ResourceRef,
  timestamp,
} from '@tiphys/kubernetes';
import { nodeBehaviors } from './node-behavior.ts';

/** What a simulated node is; for everything that is absent there is a default. */
export interface NodeOptions {
  /** `sandbox-1`, `sandbox-2`, … if absent. */
  name?: string;
  /** Beside those that every node has. */
  labels?: Record<string, string>;
  taints?: Omit<Taint, 'timeAdded'>[];
  /** `cpu` 16, `memory` 64Gi, `ephemeral-storage` 200Gi, `pods` 5000; others, such as `nvidia.com/gpu`, may be added. */
  capacity?: Record<string, string>;
}

export interface NodeFacts extends NodeOptions {
  name: string;
  /** Position among the nodes; decides on the pod network. */
  index: number;
  kubeletPort: number;
}

const renewEvery = 10_000;
const defaultCapacity = { cpu: '16', memory: '64Gi', 'ephemeral-storage': '200Gi', pods: '5000' };

/**
 * Registers the node, and keeps its lease and its status fresh until the signal aborts, as the kubelet does; it follows
 * the node's behaviour annotation.
 */
export async function keepNode(context: ControllerContext, facts: NodeFacts): Promise<void> {
  const client = context.client.as({ component: 'kubelet', purpose: 'node status' });
  const { name, index, labels, taints } = facts;
  const ref = { apiVersion: 'v1', kind: 'Node', name };
  const podCIDR = `10.244.${index}.0/24`;
  await orExists(
    client.create({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name,
        labels: {
          'kubernetes.io/hostname': name,
          'kubernetes.io/os': 'linux',
          'kubernetes.io/arch': 'amd64',
          'beta.kubernetes.io/os': 'linux',
          'beta.kubernetes.io/arch': 'amd64',
          ...labels,
        },
        annotations: { 'sandbox.tiphys.dev/simulated': 'true' },
      },
      spec: { podCIDR, podCIDRs: [podCIDR], ...(taints ? { taints } : {}) },
    }),
  );
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: 'kube-node-lease', name };
  const renewed = () => ({
    holderIdentity: name,
    leaseDurationSeconds: 40,
    renewTime: microTime(context.clock.now()),
  });
  const report = async () => {
    const node = await client.find<Node>(ref);
    if (!node || nodeBehaviors(node).has('lost')) return;
    // the lease first: a status alone does not show that the node is alive
    await client.patch(lease, 'merge', { spec: renewed() });
    await client.patch(
      ref,
      'merge',
      { status: nodeStatus(facts, node, context.clock.now()) },
      { subresource: 'status' },
    );
  };
  await orExists(
    client.create({
      apiVersion: lease.apiVersion,
      kind: lease.kind,
      metadata: { name, namespace: lease.namespace },
      spec: renewed(),
    }),
  );
  await report();
  await admitPods(client, ref);
  const nodes = context.stores.of<Node>('v1', 'Node');
  const told = (node: Node | undefined) => [...nodeBehaviors(node)].join();
  nodes.subscribe(({ object, old }) => {
    if (object.metadata.name !== name || told(object) === told(old) || !old) return;
    report().catch((error: unknown) => context.signal.aborted || context.onError('kubelet', name, error));
  });
  void beat(context, async () => {
    const node = nodes.get('', name);
    const unknown = conditionOf(node?.status?.conditions, 'Ready')?.status === 'Unknown';
    if (unknown) await report();
    else if (!nodeBehaviors(node).has('lost')) await client.patch(lease, 'merge', { spec: renewed() });
  });
}

/** A node that is new is tainted until it is ready, by a controller that may be missing. */
async function admitPods(client: ControllerContext['client'], ref: ResourceRef & { name: string }): Promise<void> {
  const node = await client.find<Node>(ref);
  const taints = node?.spec?.taints ?? [];
  const kept = taints.filter(({ key, effect }) => key !== 'node.kubernetes.io/not-ready' || effect !== 'NoSchedule');
  if (kept.length === taints.length || nodeBehaviors(node).has('not-ready')) return;
  const { resourceVersion } = node?.metadata ?? {};
  try {
    await client.patch(ref, 'merge', {
      metadata: { resourceVersion },
      spec: { taints: kept.length > 0 ? kept : null },
    });
  } catch (error) {
    // somebody else is at it
    if (isConflict(error)) await admitPods(client, ref);
    else if (!isNotFound(error)) throw error;
  }
}

async function beat({ clock, signal, onError }: ControllerContext, renew: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    try {
      await clock.sleep(renewEvery, signal);
      await renew();
    } catch (error) {
      if (!signal.aborted) onError('kubelet', 'lease', error);
    }
  }
}

async function orExists(creation: Promise<KubeObject>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

function nodeStatus({ kubeletPort, capacity: given }: NodeFacts, node: Node, now: number) {
  const capacity = { ...defaultCapacity, ...given };
  const behaviors = nodeBehaviors(node);
  const time = timestamp(now);
  const condition = (type: string, status: Condition['status'], reason: string, message: string) => {
    const before = conditionOf(node.status?.conditions, type);
    return {
      type,
      status,
      reason,
      message,
      lastHeartbeatTime: time,
      lastTransitionTime: before?.status === status ? before.lastTransitionTime : time,
    };
  };
  return {
    capacity,
    allocatable: capacity,
    addresses: [
      { type: 'InternalIP', address: '127.0.0.1' },
      // kube-apiserver asks this one first by default, and no DNS knows the node's name
      { type: 'Hostname', address: '127.0.0.1' },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } },
    nodeInfo: {
      architecture: 'amd64',
      operatingSystem: 'linux',
      osImage: 'Tiphys sandbox',
      kernelVersion: '6.12.0',
      kubeletVersion: 'v1.34.4',
      kubeProxyVersion: '',
      containerRuntimeVersion: 'sandbox://0.1.0',
      machineID: '',
      systemUUID: '',
      bootID: '',
    },
    conditions: [
      behaviors.has('memory-pressure')
        ? condition(
            'MemoryPressure',
            'True',
            'KubeletHasInsufficientMemory',
            'kubelet has insufficient memory available',
          )
        : condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
      behaviors.has('disk-pressure')
        ? condition('DiskPressure', 'True', 'KubeletHasDiskPressure', 'kubelet has disk pressure')
        : condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
      behaviors.has('pid-pressure')
        ? condition('PIDPressure', 'True', 'KubeletHasInsufficientPID', 'kubelet has insufficient PID available')
        : condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
      behaviors.has('not-ready')
        ? condition('Ready', 'False', 'KubeletNotReady', 'container runtime network not ready: NetworkReady=false')
        : condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
    ],
  };
}
