import { ageOf, type KubeObject } from '@tiphys/kubernetes';
import { at, listAt, numberAt, textAt } from '../shared/cell-values.ts';

interface Terminated {
  exitCode?: number;
  signal?: number;
  reason?: string;
  finishedAt?: string;
}

interface ContainerStatus {
  name: string;
  restartCount?: number;
  ready?: boolean;
  started?: boolean;
  state?: { waiting?: { reason?: string }; running?: object; terminated?: Terminated };
  lastState?: { terminated?: Terminated };
}

interface Progress {
  reason: string;
  restarts: number;
  ready: number;
  total: number;
  /** When a container was restarted last; empty if never. */
  last: string;
}

const isSidecar = (container: unknown) => textAt(container, 'restartPolicy') === 'Always';

/** Cells of a pod's row: what `kubectl get pods` shows. */
export function podCells(object: KubeObject, now: number): unknown[] {
  const { reason, restarts, ready, total, last } = progressOf(object);
  const gates = listAt<{ conditionType: string }>(object, 'spec.readinessGates');
  const conditions = listAt<{ type: string; status: string }>(object, 'status.conditions');
  const open = gates.filter((gate) =>
    conditions.some(({ type, status }) => type === gate.conditionType && status === 'True'),
  );
  return [
    object.metadata.name,
    `${ready}/${total}`,
    reason,
    restarts && last ? `${restarts} (${ageOf(last, now)} ago)` : String(restarts),
    ageOf(object.metadata.creationTimestamp, now),
    textAt(listAt(object, 'status.podIPs')[0], 'ip', '<none>'),
    textAt(object, 'spec.nodeName', '<none>'),
    textAt(object, 'status.nominatedNodeName', '<none>'),
    gates.length ? `${open.length}/${gates.length}` : '<none>',
  ];
}

function progressOf(pod: KubeObject): Progress {
  const conditions = listAt<{ type: string; status: string; reason?: string }>(pod, 'status.conditions');
  const phase = textAt(pod, 'status.phase');
  const init = listAt(pod, 'spec.initContainers');
  const result: Progress = {
    reason: textAt(pod, 'status.reason') || phase,
    restarts: 0,
    ready: 0,
    total: listAt(pod, 'spec.containers').length + init.filter(isSidecar).length,
    last: '',
  };
  if (conditions.some(({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated'))
    result.reason = 'SchedulingGated';
  const { initializing, sidecars } = initProgress(pod, result);
  const initialized = conditions.find(({ type }) => type === 'Initialized')?.status === 'True';
  if (!initializing || initialized) {
    result.restarts = sidecars.restarts;
    result.last = sidecars.last;
    mainProgress(
      pod,
      result,
      conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
    );
  }
  if (pod.metadata.deletionTimestamp) {
    if (textAt(pod, 'status.reason') === 'NodeLost') result.reason = 'Unknown';
    else if (phase !== 'Succeeded' && phase !== 'Failed') result.reason = 'Terminating';
  }
  return result;
}

function initProgress(
  pod: KubeObject,
  result: Progress,
): { initializing: boolean; sidecars: { restarts: number; last: string } } {
  const init = listAt<{ name: string }>(pod, 'spec.initContainers');
  const sidecars = { restarts: 0, last: '' };
  const statuses = listAt<ContainerStatus>(pod, 'status.initContainerStatuses');
  for (const [index, status] of statuses.entries()) {
    const sidecar = isSidecar(init.find(({ name }) => name === status.name));
    count(status, result);
    if (sidecar) count(status, sidecars);
    const { terminated, waiting } = status.state ?? {};
    if (terminated && (terminated.exitCode ?? 0) === 0) continue;
    if (sidecar && status.started) {
      if (status.ready) result.ready += 1;
      continue;
    }
    if (terminated) result.reason = `Init:${terminated.reason || endOf(terminated)}`;
    else if (waiting?.reason && waiting.reason !== 'PodInitializing') result.reason = `Init:${waiting.reason}`;
    else result.reason = `Init:${index}/${init.length}`;
    return { initializing: true, sidecars };
  }
  return { initializing: false, sidecars };
}

function mainProgress(pod: KubeObject, result: Progress, podReady: boolean): void {
  let running = false;
  for (const status of listAt<ContainerStatus>(pod, 'status.containerStatuses').reverse()) {
    count(status, result);
    const { waiting, terminated } = status.state ?? {};
    if (waiting?.reason) result.reason = waiting.reason;
    else if (terminated) result.reason = terminated.reason || endOf(terminated);
    else if (status.ready && at(status, 'state.running')) {
      running = true;
      result.ready += 1;
    }
  }
  if (result.reason === 'Completed' && running) result.reason = podReady ? 'Running' : 'NotReady';
}

function count(status: ContainerStatus, into: { restarts: number; last: string }): void {
  into.restarts += numberAt(status, 'restartCount');
  const finished = textAt(status, 'lastState.terminated.finishedAt');
  if (finished > into.last) into.last = finished;
}

function endOf({ signal, exitCode = 0 }: Terminated): string {
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode}`;
}
