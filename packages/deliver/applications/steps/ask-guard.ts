import type { OperationState } from '@tiphys/api';
import { timestamp } from '@tiphys/controller';
import type { Diagnosis } from '@tiphys/diagnosis';
import type { GuardedStep } from '../reconciliation/operation-guard.ts';
import type { Reconciliation } from '../reconciliation/reconciliation.ts';
import { keepFindings } from './sync-findings.ts';

/**
 * What the guard of operations says of the next step: `go`; `wait`, which the operation tells of by itself; or why the operation has
 * to end. One that is ended so is not retried: only another revision, or a person, could change that.
 */
export async function askGuard(
  work: Reconciliation,
  state: OperationState,
  step: Pick<GuardedStep, 'comparison' | 'plan'>,
): Promise<'go' | 'wait' | Diagnosis> {
  const { next, status, context, key, cluster, signal } = work;
  if (!context.guard || state.phase !== 'Running' || state.operation.sync?.dryRun) return 'go';
  const server = cluster?.server ?? '';
  const verdict = await context.guard({ ...step, key, application: next, state, server, signal });
  if (verdict.kind === 'go') return 'go';
  if (verdict.kind === 'refuse') {
    const { retry: _retry, ...once } = state.operation;
    state.operation = once;
    return verdict.diagnosis;
  }
  state.message = verdict.diagnosis.message;
  keepFindings(status, [{ ...verdict.diagnosis, waiting: true }], timestamp(context.clock.now()));
  return 'wait';
}
