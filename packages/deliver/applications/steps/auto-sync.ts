import type { Application, ApplicationStatus, Operation, OperationState, SyncOperationResource } from '@tiphys/api';
import { deepEqual, type StepOutcome, timestamp } from '@tiphys/controller';
import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import type { ComparedResource, Comparison } from '@tiphys/engine';
import { blockDiagnosis, syncBlock } from '../projects/sync-windows.ts';
import { withCommits } from '../reconciliation/brought-by.ts';
import { setConditions } from '../reconciliation/conditions.ts';
import { dependencyBlock } from '../reconciliation/dependencies.ts';
import { quarantineBlock } from '../reconciliation/quarantine.ts';
import type { Reconciliation } from '../reconciliation/reconciliation.ts';
import { retryDelay, selfHealDelay } from '../settings/retry.ts';
import { renderDigest } from '../sources/recorded-manifests.ts';
import { hasSources, revisionFields, revisionsOf, sourceFields, sourcesOf } from '../spec/source-of.ts';
import { askedDelay, isOfSurroundings, surroundingsDelay } from './surroundings.ts';
import { dropOldFindings, failuresOf } from './sync-findings.ts';

const autoSyncGaveUp = defineDiagnosis(
  'AutoSyncGaveUp',
  'Automated sync to this revision failed and is not tried again',
  'S6',
);
const wouldDeleteAll = defineDiagnosis(
  'WouldDeleteAll',
  'Automated sync would prune every object of the application',
  'S7',
);
const pruneDisabled = defineDiagnosis('PruneDisabled', 'Objects left the repository, but automated prune is off', 'S8');

/** Upstream default of automated operations without a retry strategy. */
const defaultRetryLimit = 5;
/** Who asked for a refresh gets so long to see what it found before automated sync acts on it, in milliseconds. */
const shownFor = 1_000;

/** Starts an operation when automated sync is on and the application has drifted. Owns SyncError. */
export async function autoSync(work: Reconciliation): Promise<StepOutcome> {
  const { status, next, context, memory } = work;
  dropOldFindings(status, timestamp(context.clock.now()));
  noteMove(work);
  const decision = memory.comparison ? decide(work, memory.comparison) : { kind: 'rest' as const };
  const notice = decision.kind === 'refuse' && decision.notice === true;
  const refusal =
    decision.kind === 'refuse' ? await withCommits(work, decision.diagnosis, lastDeployed(status)) : undefined;
  const problem = refusal ? [{ type: 'SyncError' as const, diagnosis: refusal, notice }] : [];
  setConditions(status, ['SyncError'], problem, timestamp(context.clock.now()));
  if (decision.kind === 'wait') work.requeueIn(decision.delay);
  if (decision.kind === 'start') {
    next.operation = decision.operation;
    status.operationState = startedOperation(decision.operation, timestamp(context.clock.now()));
    work.announcements.push({
      type: 'Normal',
      reason: 'OperationStarted',
      message: `Initiated automated sync to '${revisionsOf(decision.operation.sync).join(', ')}'`,
    });
    work.first = true;
    work.requeueIn(0);
  }
  return 'continue';
}

/** What failed at another destination says nothing of this one. */
function noteMove({ before, status, memory }: Reconciliation): void {
  const [was, is] = [before.status?.sync?.comparedTo?.destination, status.sync?.comparedTo?.destination];
  if (was && is && !deepEqual(was, is)) memory.movedSince = status.operationState?.startedAt;
}

type Decision =
  | { kind: 'rest' }
  | { kind: 'wait'; delay: number }
  | { kind: 'refuse'; diagnosis: Diagnosis /** No error: it is as the user wants it. */; notice?: boolean }
  | { kind: 'start'; operation: Operation };

/** The rules of upstream's auto-sync, in its order; each way out that a user could wonder about says why. */
function decide(work: Reconciliation, comparison: Comparison): Decision {
  const { next, status, before } = work;
  const automated = next.spec.syncPolicy?.automated;
  if (!automated || automated.enabled === false) return { kind: 'rest' };
  if (next.operation || isRunning(status.operationState) || before.metadata.deletionTimestamp) return { kind: 'rest' };
  // the condition of the comparison says why
  if (work.untrusted?.length) return { kind: 'rest' };

  if (status.sync?.status !== 'OutOfSync' || comparison.sync !== 'OutOfSync') return { kind: 'rest' };
  const drifted = comparison.resources.filter((resource) => resource.status !== 'Synced');
  if (!automated.prune && drifted.every((resource) => resource.requiresPruning))
    return { kind: 'refuse', diagnosis: leftBehind(next, drifted), notice: true };

  const block = work.project && syncBlock(work.project, next, work.context.clock.now(), { manual: false });
  if (work.project && block) {
    if (block.until !== undefined) work.requeueIn(windowWait(block.until - work.context.clock.now()));
    return { kind: 'refuse', diagnosis: blockDiagnosis(block, work.project), notice: block.problem === undefined };
  }
  const waits = dependencyBlock(next, work.context.find);
  if (waits) return { kind: 'refuse', ...waits };
  const revisions = revisionsOf(status.sync);
  const quarantined = quarantineBlock(next, {
    revisions,
    render: work.memory.rendered?.renders.length ? renderDigest(work.memory.rendered) : undefined,
  });
  if (quarantined) return { kind: 'refuse', diagnosis: quarantined };
  const revision = revisions.join(', ');
  const operation = automatedOperation(next, revisions);
  const attempt = lastAttempt(next, status.operationState, { revisions, movedSince: work.memory.movedSince });
  const failures = failuresOf(status);
  if (attempt && attempt.phase !== 'Succeeded') {
    if (!isOfSurroundings(failures)) return { kind: 'refuse', diagnosis: gaveUp(next, attempt, revision) };
    const finished = Date.parse(attempt.finishedAt ?? attempt.startedAt);
    const wanted = surroundingsDelay(work.key, { started: Date.parse(attempt.startedAt), now: finished });
    const delay = Math.max(wanted, askedDelay(failures));
    const remaining = finished + delay - work.context.clock.now();
    if (remaining > 0) return { kind: 'wait', delay: remaining };
  } else if (attempt) {
    if (!automated.selfHeal) return { kind: 'rest' };
    const attempts = attempt.operation.sync?.autoHealAttemptsCount ?? 0;
    const since = attempt.finishedAt ? work.context.clock.now() - Date.parse(attempt.finishedAt) : 0;
    const remaining = selfHealDelay(attempts, work.context.settings().selfHeal) - since;
    if (remaining > 0) return { kind: 'wait', delay: remaining };
    operation.sync = { ...operation.sync, autoHealAttemptsCount: attempts + 1, resources: drifted.map(selected) };
  }
  if (
    automated.prune &&
    !automated.allowEmpty &&
    comparison.resources.length > 0 &&
    comparison.resources.every((resource) => resource.requiresPruning)
  ) {
    return { kind: 'refuse', diagnosis: wipeOut(next, comparison, revision) };
  }
  const unseen = (work.memory.shownAt ?? Number.NEGATIVE_INFINITY) + shownFor - work.context.clock.now();
  if (unseen > 0) return { kind: 'wait', delay: unseen };
  return { kind: 'start', operation };
}

/** What was synced whole last, and so was right. */
function lastDeployed({ history }: ApplicationStatus): string[] {
  return revisionsOf(history?.at(-1));
}

/** Until a window lets syncs happen, at most an hour: timers cannot be set for months. */
export function windowWait(milliseconds: number): number {
  return Math.min(Math.max(1_000, milliseconds + 1_000), 3_600_000);
}

/** The state of an operation that has begun and done nothing yet. */
export function startedOperation(operation: Operation, now: string): OperationState {
  return { operation, phase: 'Running', startedAt: now } as OperationState;
}

export function isRunning(state: OperationState | undefined): boolean {
  return state?.phase === 'Running' || state?.phase === 'Terminating';
}

function automatedOperation({ spec }: Application, revisions: readonly string[]): Operation {
  const { syncPolicy } = spec;
  return {
    sync: {
      ...revisionFields(hasSources(spec), revisions),
      ...sourceFields(spec),
      ...(syncPolicy?.automated?.prune ? { prune: true } : {}),
      ...(syncPolicy?.syncOptions ? { syncOptions: syncPolicy.syncOptions } : {}),
    },
    initiatedBy: { automated: true },
    retry: syncPolicy?.retry ?? { limit: defaultRetryLimit },
  };
}

/** Whether an automated sync has the sync options that the application has now. */
export function sameOptions(sync: Operation['sync'], { spec }: Pick<Application, 'spec'>): boolean {
  return deepEqual(sync?.syncOptions ?? [], spec.syncPolicy?.syncOptions ?? []);
}

/** The finished operation that already tried this revision with this source, if there is one. */
function lastAttempt(
  { spec }: Application,
  state: OperationState | undefined,
  { revisions, movedSince }: { readonly revisions: readonly string[]; readonly movedSince: string | undefined },
): OperationState | undefined {
  if (!state || isRunning(state)) return undefined;
  // what has failed with other sync options, or elsewhere, was another attempt, and what a broken retry kept from being tried again is due
  if (state.phase !== 'Succeeded' && state.operation.initiatedBy?.automated) {
    if (movedSince !== undefined && movedSince === state.startedAt) return undefined;
    const labelled = state.syncResult?.managedNamespaceMetadata;
    if (labelled && !deepEqual(labelled, spec.syncPolicy?.managedNamespaceMetadata ?? {})) return undefined;
    if (!sameOptions(state.operation.sync, { spec })) return undefined;
    const before = retryDelay(state.operation.retry, 0);
    if (typeof before !== 'number' && typeof retryDelay(spec.syncPolicy?.retry, 0) === 'number') return undefined;
  }
  // an attempt that failed before it had anything to tell of is known by what it was to sync
  const tried = state.syncResult ?? (state.operation.initiatedBy?.automated ? state.operation.sync : undefined);
  if (!tried) return state;
  return deepEqual(revisionsOf(tried), revisions) && deepEqual(sourcesOf(tried), sourcesOf(spec)) ? state : undefined;
}

function selected({ key }: ComparedResource): SyncOperationResource {
  return {
    kind: key.kind,
    name: key.name,
    ...(key.group ? { group: key.group } : {}),
    ...(key.namespace ? { namespace: key.namespace } : {}),
  };
}

function leftBehind(application: Application, objects: readonly ComparedResource[]): Diagnosis {
  const listed = objects.map(({ key }) => `${key.kind} ${key.namespace ? `${key.namespace}/` : ''}${key.name}`);
  return diagnose(pruneDisabled, {
    message: `${listed.length} object${listed.length === 1 ? ' is' : 's are'} no longer in the repository and stay${listed.length === 1 ? 's' : ''} in the cluster, since automated prune is off`,
    evidence: { objects: listed.slice(0, 20).join(', ') },
    remedies: [
      {
        text: 'Prune once',
        paste: `argocd app sync ${application.metadata.name} --prune`,
        loses: 'the objects listed above',
      },
      {
        text: 'Or let automated sync prune',
        paste: 'spec:\n  syncPolicy:\n    automated:\n      prune: true',
        loses: 'the objects listed above, and later ones',
      },
    ],
  });
}

function gaveUp(application: Application, state: OperationState, revision: string): Diagnosis {
  const failed = (state.syncResult?.resources ?? []).filter(
    (resource) => resource.status === 'SyncFailed' || resource.hookPhase === 'Failed' || resource.hookPhase === 'Error',
  );
  const delay = retryDelay(application.spec.syncPolicy?.retry, 0);
  return diagnose(autoSyncGaveUp, {
    message: `Failed last sync attempt to ${revisionsOf(state.syncResult).join(', ') || revision}: ${state.message ?? ''}`,
    evidence: {
      'stopped since': state.finishedAt,
      attempts: (state.retryCount ?? 0) + 1,
      ...Object.fromEntries(
        failed
          .slice(0, 10)
          .map((resource) => [
            `${resource.kind} ${resource.namespace ? `${resource.namespace}/` : ''}${resource.name}`,
            resource.message ?? '',
          ]),
      ),
    },
    remedies: [
      ...(typeof delay === 'number'
        ? []
        : [
            `Correct spec.syncPolicy.${delay.invalid}, wanted a duration such as 5s or 2m: because of it nothing is tried again`,
          ]),
      'Commit a correction: a new revision is tried at once',
      { text: 'Or try this revision again', paste: `argocd app sync ${application.metadata.name}` },
    ],
  });
}

function wipeOut(application: Application, comparison: Comparison, revision: string): Diagnosis {
  return diagnose(wouldDeleteAll, {
    message: `Skipping sync attempt to ${revision}: auto-sync will wipe out all resources`,
    evidence: {
      'objects that would be deleted': comparison.resources.length,
      'source path': sourcesOf(application.spec)
        .map(({ path }) => path)
        .join(', '),
    },
    remedies: [
      'Restore the manifests, or correct spec.source.path',
      {
        text: 'If the deletion is meant, allow it',
        paste: 'spec:\n  syncPolicy:\n    automated:\n      allowEmpty: true',
        loses: 'every object of the application',
      },
    ],
  });
}
