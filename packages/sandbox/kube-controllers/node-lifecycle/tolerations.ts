import type { Taint, Toleration } from '../machinery/workload-model.ts';

/** Whether one toleration is for the taint: an empty key with Exists is for all, an empty effect for all effects. */
export function toleratesTaint(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (!toleration.key) return toleration.operator === 'Exists';
  if (toleration.key !== taint.key) return false;
  return toleration.operator === 'Exists' || (toleration.value ?? '') === (taint.value ?? '');
}
