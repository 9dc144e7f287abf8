import type { Pod } from './kinds.ts';

/** The uid of the ReplicaSet that a pod belongs to. */
export function ownerOf({ metadata }: Pod): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
}

/** Whether a pod has been ready for long enough. */
export function isAvailable(
  { metadata, status }: Pod,
  { minReadySeconds, now }: { minReadySeconds: number; now: number },
): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (metadata.deletionTimestamp || ready?.status !== 'True') return false;
  return minReadySeconds === 0 || Date.parse(ready.lastTransitionTime ?? '') + minReadySeconds * 1000 < now;
}
