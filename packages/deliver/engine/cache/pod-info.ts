import type { KubeObject } from '@tiphys/kubernetes';
import { conditionOf } from '../health/conditions.ts';
import { isObject, type JsonObject, numberAt, objectAt, objectsAt, textAt, valueAt } from '../model/fields.ts';
import { parseQuantity } from '../model/quantity.ts';

/** A pod's rows in the tree: what `kubectl get pods` shows as STATUS, READY and RESTARTS, the node, and requests. */
export function podInfo(pod: KubeObject): { info: { name: string; value: string }[]; images: string[] } {
  const initContainers = objectsAt(pod, 'spec', 'initContainers');
  const containers = objectsAt(pod, 'spec', 'containers');
  const sidecars = sidecarsOf(initContainers);
  const count: Count = { ready: 0, restarts: 0 };
  const reason = statusReason(pod, sidecars, initContainers.length, count);
  const info = [
    ...(reason ? [{ name: 'Status Reason', value: reason }] : []),
    { name: 'Node', value: textAt(pod, 'spec', 'nodeName') },
    { name: 'Containers', value: `${count.ready}/${containers.length + sidecars.size}` },
    ...(count.restarts > 0 ? [{ name: 'Restart Count', value: String(count.restarts) }] : []),
  ];
  if (!isTerminal(pod)) {
    info.push({ name: 'cpu', value: String(podRequests(pod, 'cpu')) });
    info.push({ name: 'memory', value: String(podRequests(pod, 'memory')) });
  }
  const images = [...new Set([...initContainers, ...containers].map((container) => textAt(container, 'image')))].filter(
    Boolean,
  );
  return { info, images };
}

interface Count {
  ready: number;
  restarts: number;
}

function sidecarsOf(initContainers: readonly JsonObject[]): Set<string> {
  return new Set(
    initContainers
      .filter((container) => container['restartPolicy'] === 'Always')
      .map((container) => textAt(container, 'name')),
  );
}

/** Whether the pod holds nothing of its node any more: it succeeded or failed. */
export function isTerminal(pod: KubeObject): boolean {
  const phase = textAt(pod, 'status', 'phase');
  return phase === 'Failed' || phase === 'Succeeded';
}

function statusReason(pod: KubeObject, sidecars: ReadonlySet<string>, initContainers: number, count: Count): string {
  let reason = textAt(pod, 'status', 'reason') || textAt(pod, 'status', 'phase');
  if (conditionOf(pod, 'PodScheduled')?.reason === 'SchedulingGated') reason = 'SchedulingGated';
  const initializing = initReason(objectsAt(pod, 'status', 'initContainerStatuses'), sidecars, initContainers, count);
  if (initializing !== undefined) reason = initializing;
  if (initializing === undefined || conditionOf(pod, 'Initialized')?.status === 'True')
    reason = containerReason(pod, reason, count);
  if (!pod.metadata.deletionTimestamp) return reason;
  if (textAt(pod, 'status', 'reason') === 'NodeLost') return 'Unknown';
  return isTerminal(pod) ? reason : 'Terminating';
}

function initReason(
  statuses: JsonObject[],
  sidecars: ReadonlySet<string>,
  total: number,
  count: Count,
): string | undefined {
  for (const [index, container] of statuses.entries()) {
    count.restarts += numberAt(container, 'restartCount') ?? 0;
    const terminated = valueAt(container, 'state', 'terminated');
    if (isObject(terminated) && (numberAt(terminated, 'exitCode') ?? 0) === 0) continue;
    if (sidecars.has(textAt(container, 'name')) && container['started'] === true) {
      if (container['ready'] === true) count.ready += 1;
      continue;
    }
    if (isObject(terminated)) return `Init:${terminationReason(terminated)}`;
    const waiting = textAt(container, 'state', 'waiting', 'reason');
    return waiting && waiting !== 'PodInitializing' ? `Init:${waiting}` : `Init:${index}/${total}`;
  }
  return undefined;
}

function containerReason(pod: KubeObject, fallback: string, count: Count): string {
  let reason = fallback;
  let running = false;
  for (const container of objectsAt(pod, 'status', 'containerStatuses').reverse()) {
    count.restarts += numberAt(container, 'restartCount') ?? 0;
    const waiting = textAt(container, 'state', 'waiting', 'reason');
    const terminated = valueAt(container, 'state', 'terminated');
    if (waiting) reason = waiting;
    else if (isObject(terminated)) reason = terminationReason(terminated);
    else if (container['ready'] === true && isObject(valueAt(container, 'state', 'running'))) {
      running = true;
      count.ready += 1;
    }
  }
  return reason === 'Completed' && running ? 'Running' : reason;
}

function terminationReason(terminated: JsonObject): string {
  const signal = numberAt(terminated, 'signal') ?? 0;
  return (
    textAt(terminated, 'reason') ||
    (signal !== 0 ? `Signal:${signal}` : `ExitCode:${numberAt(terminated, 'exitCode') ?? 0}`)
  );
}

/**
 * What a pod asks of its node, in thousandths as upstream: the sum of the containers, or the largest step of the
 * initialisation if that needs more; what the pod itself asks for comes first.
 */
export function podRequests(pod: KubeObject, resource: string): number {
  const initContainers = objectsAt(pod, 'spec', 'initContainers');
  const sidecars = sidecarsOf(initContainers);
  const of = (container: JsonObject) => parseQuantity(objectAt(container, 'resources', 'requests')[resource]) ?? 0;
  let total = objectsAt(pod, 'spec', 'containers').reduce((sum, container) => sum + of(container), 0);
  let running = 0;
  let largest = 0;
  for (const container of initContainers) {
    if (sidecars.has(textAt(container, 'name'))) {
      running += of(container);
      total += of(container);
      largest = Math.max(largest, running);
    } else largest = Math.max(largest, running + of(container));
  }
  const whole = parseQuantity(objectAt(pod, 'spec', 'resources', 'requests')[resource]);
  const overhead = parseQuantity(objectAt(pod, 'spec', 'overhead')[resource]) ?? 0;
  return Math.round(((whole ?? Math.max(total, largest)) + overhead) * 1000);
}
