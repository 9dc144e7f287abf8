import type { OperationState } from '@tiphys/api';
import { deepEqual, type StepOutcome, timestamp } from '@tiphys/controller';
import { restoredRender } from '../reconciliation/health-gate.ts';
import type { Reconciliation } from '../reconciliation/reconciliation.ts';
import { revisionsOf, sourcesOf } from '../spec/source-of.ts';
import { sameOptions } from './auto-sync.ts';
import { findingsOf, keepFindings } from './sync-findings.ts';

/** Whether an automated sync waits for its next attempt although the application tracks other commits or sources, or has other sync options, by now. */
export function isSuperseded({ status, next }: Reconciliation, state: OperationState): boolean {
  if (state.phase !== 'Running' || !state.finishedAt || !state.operation.initiatedBy?.automated) return false;
  // what is restored is not what is tracked
  if (restoredRender(state.operation) !== undefined) return false;
  if (!sameOptions(state.operation.sync, next)) return true;
  // as upstream: each attempt takes the newest commit of the sources that the operation began with
  if (state.operation.retry?.refresh) return false;
  const tried = revisionsOf(state.operation.sync);
  const now = revisionsOf(status.sync);
  if (tried.length === 0 || now.length === 0 || !now.every(Boolean)) return false;
  const compared = deepEqual(sourcesOf(status.sync?.comparedTo ?? {}), sourcesOf(next.spec));
  return (
    compared && (!deepEqual(tried, now) || !deepEqual(sourcesOf(state.operation.sync ?? {}), sourcesOf(next.spec)))
  );
}

/**
 * After the look at the sources: a sync that waits to try an old commit again gives way to the new one at once, and not when its wait is over, which may be
 * minutes. One that waits for health or a hook goes on, as upstream; then it is told that a newer commit waits behind it.
 */
export function yieldToNewer(work: Reconciliation): StepOutcome {
  const { operationState: state } = work.status;
  if (!state) return 'continue';
  if (!isSuperseded(work, state)) return tellNewer(work, state);
  // what the old commit has failed with is no condition of the new one
  work.requeueIn(0);
  return giveWay(work, state);
}

/** A correction that is committed meanwhile does not reach what waits: who follows the remedies has to know. */
function tellNewer({ next, status, context }: Reconciliation, state: OperationState): StepOutcome {
  const behind = revisionsOf(status.sync);
  const synced = revisionsOf(state.syncResult);
  const automated = next.spec.syncPolicy?.automated !== undefined && next.spec.syncPolicy.automated.enabled !== false;
  if (state.phase !== 'Running' || state.finishedAt || !automated || !synced.some(Boolean) || !behind.every(Boolean))
    return 'continue';
  const compared = deepEqual(sourcesOf(status.sync?.comparedTo ?? {}), sourcesOf(next.spec));
  if (!compared || behind.length === 0 || deepEqual(behind, synced)) return 'continue';
  const { name, namespace } = next.metadata;
  const remedy = {
    text: 'A newer revision waits for the end of this sync: if it is the correction, end the sync, and it is delivered',
    paste: `argocd app terminate-op ${namespace}/${name}`,
  };
  const findings = findingsOf(status).map((finding) =>
    finding.waiting && !finding.evidence.some((each) => each.name === 'newer revision')
      ? {
          ...finding,
          evidence: [...finding.evidence, { name: 'newer revision', value: behind.join(', ') }],
          remedies: [remedy, ...finding.remedies],
        }
      : finding,
  );
  keepFindings(status, findings, timestamp(context.clock.now()));
  return 'continue';
}

/** Ends a sync that would only try an old commit again: the new one may be its correction. */
export function giveWay(work: Reconciliation, state: OperationState): StepOutcome {
  const why = sameOptions(state.operation.sync, work.next)
    ? 'there is a newer revision'
    : 'it has other sync options now';
  state.phase = 'Failed';
  state.message = `${(state.message ?? '').replace(/ Retrying attempt #\d+ at [\d:]+\.$/, '')} Not tried again: ${why}.`;
  delete work.next.operation;
  return 'continue';
}
