import type { Refusal } from './node-filters.ts';

/** How often each reason was given, as the scheduler lists them. */
function countedReasons(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ');
}

/** `0/3 nodes are available: …` with the reasons of each node. */
export function nodesMessage(total: number, reasons: readonly string[]): string {
  return `0/${total} nodes are available: ${countedReasons(reasons)}.`;
}

/**
 * The whole message where something keeps the pod from all nodes at once. That is found before devices are looked at, which then are `not found` where they are asked
 * whether they could be freed (the DynamicResources plugin of kube-scheduler 1.34).
 */
export function generalMessage(total: number, refusal: string): string {
  return `0/${total} nodes are available: ${refusal}. not found`;
}

/** The whole message where nothing can be taken off: `preemption` tells why. */
export function refusalMessage(total: number, refusals: readonly (readonly Refusal[])[], preemption: string): string {
  const reasons = refusals.flat().map(({ reason }) => reason);
  return `${nodesMessage(total, reasons)} no new claims to deallocate, preemption: ${preemption}`;
}
