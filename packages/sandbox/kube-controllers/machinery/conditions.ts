import { type Clock, timestamp as written } from '@tiphys/kubernetes';
import type { Condition } from './workload-model.ts';

/** RFC 3339 with seconds, as `metav1.Time` is written. */
export function timestamp(clock: Clock, offsetMs = 0): string {
  return written(clock.now() + offsetMs);
}

export function conditionOf(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/**
 * The conditions with one set, in the manner of the workload controllers: with equal status and reason nothing changes;
 * with equal status the transition time stays; the changed one goes to the end.
 */
export function withCondition(conditions: readonly Condition[] | undefined, next: Condition): Condition[] {
  const current = conditionOf(conditions, next.type);
  if (current?.status === next.status && current.reason === next.reason) return [...(conditions ?? [])];
  const kept = current?.status === next.status ? { ...next, lastTransitionTime: current.lastTransitionTime } : next;
  return [...withoutCondition(conditions, next.type), kept as Condition];
}

export function withoutCondition(conditions: readonly Condition[] | undefined, type: string): Condition[] {
  return (conditions ?? []).filter((condition) => condition.type !== type);
}
