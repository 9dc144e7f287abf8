import type { RolloutCondition, RolloutStatus } from '@tiphys/api';
import { deepEqual } from '@tiphys/controller';

/** Fields that follow the pods; what a Rollout does next is decided by the pods themselves. */
const numbers = new Set(['replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas', 'HPAReplicas']);

/** Whether nothing, nothing but numbers of pods and what is said of them, or something else changed between two statuses. */
export function changeOf(before: RolloutStatus, after: RolloutStatus): 'nothing' | 'numbers' | 'more' {
  if (deepEqual(before, after)) return 'nothing';
  return deepEqual(withoutNumbers(before), withoutNumbers(after)) ? 'numbers' : 'more';
}

function withoutNumbers(status: RolloutStatus): unknown {
  const fields = Object.entries(status).filter(
    ([field]) => !numbers.has(field) && !(field === 'message' && status.phase === 'Progressing'),
  );
  return {
    ...Object.fromEntries(fields),
    conditions: status.conditions
      ?.filter(({ type }) => type !== 'Available')
      .map(withoutTimes)
      .toSorted(byType),
  };
}

/** When a condition was looked at last says how far the pods are. */
function withoutTimes({ type, status, reason, message }: RolloutCondition): unknown[] {
  return [type, status, reason, message];
}

function byType([a]: unknown[], [b]: unknown[]): number {
  return String(a) < String(b) ? -1 : 1;
}
