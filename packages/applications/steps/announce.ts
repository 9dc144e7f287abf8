import type { Reconciliation, StepOutcome } from '../reconciliation.ts';
import { timestamp } from '../reconciliation.ts';

/** Notes changes of sync and health status: their time and the Events that tell of them. */
export function announceChanges(work: Reconciliation): StepOutcome {
  const { before, status, context, announcements } = work;
  const syncBefore = before.status?.sync?.status ?? '';
  const healthBefore = before.status?.health?.status ?? '';
  if (status.sync?.status && syncBefore !== status.sync.status) {
    announcements.push({ type: 'Normal', reason: 'ResourceUpdated', message: `Updated sync status: ${syncBefore} -> ${status.sync.status}` });
  }
  if (status.health?.status && healthBefore !== status.health.status) {
    status.health = { ...status.health, lastTransitionTime: timestamp(context.clock.now()) };
    announcements.push({ type: 'Normal', reason: 'ResourceUpdated', message: `Updated health status: ${healthBefore} -> ${status.health.status}` });
  }
  return 'continue';
}
