import type { ApplicationStatus, OperationState } from '@tiphys/api';
import { deepEqual } from '@tiphys/controller';
import type { SyncFinding } from '@tiphys/engine';
import { type ConditionType, type StoredDiagnosis, setConditions } from '../reconciliation/conditions.ts';
import { revisionsOf } from '../spec/source-of.ts';

/** What an operation left that failed, and what the running one waits for. */
const kept: readonly ConditionType[] = ['OperationError', 'OperationWaiting'];

/** What is kept of the last operation: its failures, or what it waits for. */
export function findingsOf({ diagnoses = [] }: ApplicationStatus): SyncFinding[] {
  return (diagnoses as unknown as (StoredDiagnosis & SyncFinding)[])
    .filter(({ condition }) => kept.includes(condition))
    .map(({ condition, ...finding }) => (condition === 'OperationWaiting' ? { ...finding, waiting: true } : finding));
}

/** Failures of the last operation that ended, or of the last attempt of the one that is tried again. */
export function failuresOf(status: ApplicationStatus): SyncFinding[] {
  return findingsOf(status).filter(({ waiting }) => !waiting);
}

/** Keeps with the application what is known of its operation, in place of what was. */
export function keepFindings(status: ApplicationStatus, findings: readonly SyncFinding[], now: string): void {
  setConditions(
    status,
    kept,
    findings.map(({ waiting, ...diagnosis }) =>
      waiting ? { type: 'OperationWaiting', diagnosis, notice: true } : { type: 'OperationError', diagnosis },
    ),
    now,
  );
}

/** What is left out once the application is as desired in spite of it: failures of hooks stay until the next operation. */
const lasting: ReadonlySet<string> = new Set(['HookFailed', 'HookVanished']);

/** Drops what the last operation left where it is no longer so: it succeeded, or the application is Synced without it. */
export function dropOldFindings(status: ApplicationStatus, now: string): void {
  const state = status.operationState;
  const findings = findingsOf(status);
  if (findings.length === 0) return;
  if (!state || state.phase === 'Succeeded') {
    keepFindings(status, [], now);
    return;
  }
  if (isUnfinished(state) || status.sync?.status !== 'Synced') return;
  const another = !deepEqual(revisionsOf(state.syncResult), revisionsOf(status.sync));
  keepFindings(status, another ? [] : findings.filter(({ code }) => lasting.has(code)), now);
}

function isUnfinished({ phase }: OperationState): boolean {
  return phase === 'Running' || phase === 'Terminating';
}
