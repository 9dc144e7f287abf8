import type { Client, KubeObject } from '@tiphys/kubernetes';
import type { ProcessSeen } from '../decide/observation.ts';
import type { ObjectPlace } from './record.ts';

interface ContainerStatus {
  readonly restartCount?: number;
  readonly ready?: boolean;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly terminated?: Terminated;
  };
  readonly lastState?: { readonly terminated?: Terminated };
}

interface Terminated {
  readonly reason?: string;
  readonly exitCode?: number;
}

interface WorkloadStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
}

/** Reasons of containers that wait for something that may never come; the others are a start like any other. */
const cannotStart = /^(ErrImage|ImagePull|InvalidImage|RegistryUnavailable|CreateContainer|RunContainer)/;

/** What the pods of a workload show. `before` are the restarts that pods had already, by the pods' UIDs. */
export async function lookAt(
  client: Client,
  place: ObjectPlace,
  before: Readonly<Record<string, number>> = {},
): Promise<ProcessSeen> {
  const name = `${place.kind} ${place.name}`;
  const workload = await client.find(place);
  if (!workload) return { name, ready: false };
  const spec = workload.spec as { replicas?: number; selector?: { matchLabels?: Record<string, string> } };
  const status = (workload.status ?? {}) as WorkloadStatus;
  const replicas = spec.replicas ?? 1;
  const ready =
    (status.observedGeneration ?? 0) >= (workload.metadata.generation ?? 0) &&
    (status.updatedReplicas ?? 0) === replicas &&
    (status.readyReplicas ?? 0) === replicas &&
    (status.replicas ?? 0) === replicas;
  const pods = await podsOf(client, place.namespace ?? '', spec.selector?.matchLabels ?? {});
  const live = pods.filter(({ metadata }) => !metadata.deletionTimestamp);
  const statuses = live.flatMap(containersOf);
  const waiting = statuses.map(({ state }) => state?.waiting).find((each) => cannotStart.test(each?.reason ?? ''));
  const ended = live
    .filter((pod) => restartsOf(pod) > (before[pod.metadata.uid ?? ''] ?? 0) || isDown(pod))
    .flatMap(containersOf)
    .map(endOf)
    .find(Boolean);
  return {
    name,
    ready,
    ...(waiting ? { waiting: `${waiting.reason}: ${waiting.message ?? ''}`.slice(0, 500) } : {}),
    ...(ended ? { ended } : {}),
  };
}

/** How often containers of a pod were started anew. */
export function restartsOf(pod: KubeObject): number {
  return containersOf(pod).reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
}

function isDown(pod: KubeObject): boolean {
  return containersOf(pod).some(({ state }) => state?.terminated !== undefined);
}

/** Whether a pod will not become ready by itself soon: a container ended, or could not begin. */
export function isDownPod(pod: KubeObject): boolean {
  return isDown(pod) || containersOf(pod).some(({ state, ready }) => !ready && state?.waiting?.reason !== undefined);
}

export async function podsOf(
  client: Client,
  namespace: string,
  labels: Readonly<Record<string, string>>,
): Promise<KubeObject[]> {
  const labelSelector = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  if (!labelSelector) return [];
  return (await client.list({ apiVersion: 'v1', kind: 'Pod', namespace }, { labelSelector })).items;
}

function containersOf({ status }: KubeObject): readonly ContainerStatus[] {
  const { containerStatuses = [], initContainerStatuses = [] } = (status ?? {}) as {
    containerStatuses?: ContainerStatus[];
    initContainerStatuses?: ContainerStatus[];
  };
  return [
    ...containerStatuses,
    // an init container is there to end well
    ...initContainerStatuses.filter(({ state }) => state?.terminated?.exitCode !== 0),
  ];
}

/** How a container ended that is there to run; undefined if it has not. */
function endOf({ restartCount = 0, state, lastState }: ContainerStatus): string | undefined {
  const terminated = state?.terminated ?? (restartCount > 0 ? lastState?.terminated : undefined);
  if (!terminated) return restartCount > 0 ? `${restartCount} restarts` : undefined;
  const { reason, exitCode } = terminated;
  const times = restartCount > 0 ? ` (${restartCount} restarts)` : '';
  return reason && reason !== 'Error' ? `${reason}, exit code ${exitCode}${times}` : `exit code ${exitCode}${times}`;
}
