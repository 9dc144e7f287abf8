import { isAlreadyExists, type KubeObject } from '@tiphys/kubernetes';
import { timestampOf } from '../controllers/machinery/conditions.ts';
import type { ControllerContext } from '../controllers/machinery/controller.ts';

export interface NodeFacts {
  name: string;
  /** Position among the nodes; decides on the pod network. */
  index: number;
  kubeletPort: number;
}

const renewEvery = 10_000;
const capacity = { cpu: '16', memory: '64Gi', 'ephemeral-storage': '200Gi', pods: '5000' };

/** Registers the node, and keeps its lease and its status fresh until the signal aborts, as the kubelet does. */
export async function keepNode(context: ControllerContext, facts: NodeFacts): Promise<void> {
  const client = context.client.as({ component: 'kubelet', purpose: 'node status' });
  const { name, index } = facts;
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
        },
        annotations: { 'sandbox.tiphys.dev/simulated': 'true' },
      },
      spec: { podCIDR: `10.244.${index}.0/24`, podCIDRs: [`10.244.${index}.0/24`] },
    }),
  );
  await client.patch(
    { apiVersion: 'v1', kind: 'Node', name },
    'merge',
    { status: nodeStatus(facts, context.clock.now()) },
    { subresource: 'status' },
  );
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: 'kube-node-lease', name };
  const renewed = () => ({
    holderIdentity: name,
    leaseDurationSeconds: 40,
    renewTime: new Date(context.clock.now()).toISOString().replace('Z', '000Z'),
  });
  await orExists(
    client.create({
      apiVersion: lease.apiVersion,
      kind: lease.kind,
      metadata: { name, namespace: lease.namespace },
      spec: renewed(),
    }),
  );
  void beat(context, async () => {
    await client.patch(lease, 'merge', { spec: renewed() });
  });
}

async function beat({ clock, signal, onError }: ControllerContext, renew: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    try {
      await renew();
      await clock.sleep(renewEvery, signal);
    } catch (error) {
      if (signal.aborted) return;
      onError('kubelet', 'lease', error);
      await clock.sleep(renewEvery, signal).catch(() => undefined);
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

function nodeStatus({ kubeletPort }: NodeFacts, now: number) {
  const time = timestampOf(now);
  const condition = (type: string, status: string, reason: string, message: string) => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  });
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
      condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
      condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
      condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
      condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
    ],
  };
}
