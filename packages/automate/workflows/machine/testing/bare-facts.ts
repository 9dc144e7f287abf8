import { LockTable } from '../../locks/lock-table.ts';
import type { Facts } from '../index.ts';

/** Facts of a cluster in which there is nothing, at a time in milliseconds. */
export function bareFacts(now: number, more: Partial<Facts> = {}): Facts {
  return {
    now,
    settings: { executorImage: 'argoexec' },
    pods: [],
    taskResults: [],
    locks: new LockTable(),
    template: () => undefined,
    configMap: () => undefined,
    gcTasks: () => [],
    imageCommand: () => ({}),
    ...more,
  };
}
