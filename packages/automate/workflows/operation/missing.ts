import { timeOf } from '../model/time.ts';
import type { NodeStatus } from '../model/types.ts';
import type { Operation } from './operation.ts';

/** How long what a predecessor should have given is waited for: reports of executors come a little after the end of their pods. */
const gracePeriod = 60_000;

/**
 * True if an error says that something is missing which may still come. It is waited for, for a while after the last node below the
 * same boundary ended; what never comes is an error and does not keep the workflow running.
 */
export function awaitMissing(op: Operation, near: NodeStatus, error: unknown): boolean {
  if (!(error as { isMissing?: boolean }).isMissing) return false;
  const ends = op.nodesWithin(near.boundaryID ?? '').map(({ finishedAt }) => timeOf(finishedAt) ?? 0);
  const last = Math.max(0, timeOf(near.startedAt) ?? 0, ...ends);
  const left = last + gracePeriod - op.now;
  if (left <= 0) return false;
  op.requeueAfter(Math.min(left + 1, 5000));
  return true;
}
