import { type StepOutcome, timestamp } from '@tiphys/controller';
import type { Reconciliation } from '../reconciliation/reconciliation.ts';

/** Notes changes of sync and health status: their time and the Events that tell of them. */
export function announceChanges(work: Reconciliation): StepOutcome {
  const { before, status, context, announcements } = work;
  const syncBefore = before.status?.sync?.status ?? '';
  const healthBefore = before.status?.health?.status ?? '';
  if (status.sync?.status && syncBefore !== status.sync.status) {
    announcements.push({ subject: 'sync', from: syncBefore, to: status.sync.status });
  }
  const healthNow = status.health?.status;
  if (healthNow && healthBefore !== healthNow) {
    status.health = { ...status.health, lastTransitionTime: timestamp(context.clock.now()) };
    announcements.push({ subject: 'health', from: healthBefore, to: healthNow });
  }
  return 'continue';
}
