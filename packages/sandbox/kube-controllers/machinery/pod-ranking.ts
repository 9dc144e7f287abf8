import { conditionOf } from './conditions.ts';
import { isPodReady } from './pods.ts';
import type { Pod } from './workload-model.ts';

/**
 * The order in which a ReplicaSet gives pods up, first to go first (`ActivePodsWithRanks`): unassigned, pending, not
 * ready, cheaper, doubled on a node, ready for a shorter time, restarted more, younger.
 */
export function byReadinessToGo(pods: readonly Pod[], related: readonly Pod[]): Pod[] {
  const onNode = new Map<string, number>();
  for (const pod of related) {
    const node = pod.spec.nodeName;
    if (node) onNode.set(node, (onNode.get(node) ?? 0) + 1);
  }
  const rank = (pod: Pod): (number | string)[] => [
    pod.spec.nodeName ? 1 : 0,
    { Pending: 0, Unknown: 1, Running: 2 }[pod.status?.phase as string] ?? 2,
    isPodReady(pod) ? 1 : 0,
    Number(pod.metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0),
    -(onNode.get(pod.spec.nodeName ?? '') ?? 0),
    -readySince(pod),
    -restarts(pod),
    -Date.parse(pod.metadata.creationTimestamp ?? ''),
    pod.metadata.uid ?? '',
  ];
  return pods
    .map((pod) => ({ pod, rank: rank(pod) }))
    .sort((a, b) => compareRanks(a.rank, b.rank))
    .map(({ pod }) => pod);
}

function compareRanks(a: readonly (number | string)[], b: readonly (number | string)[]): number {
  for (const [index, left] of a.entries()) {
    const right = b[index] as typeof left;
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

function readySince(pod: Pod): number {
  return isPodReady(pod) ? Date.parse(conditionOf(pod.status?.conditions, 'Ready')?.lastTransitionTime ?? '') || 0 : 0;
}

function restarts(pod: Pod): number {
  return Math.max(0, ...(pod.status?.containerStatuses ?? []).map((status) => status.restartCount));
}
