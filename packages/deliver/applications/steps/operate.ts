import type { ApplicationSource, ApplicationStatus, Operation, OperationState, SyncOperation } from '@tiphys/api';
import { deepEqual, type StepOutcome, timestamp } from '@tiphys/controller';
import { type Diagnosis, defineDiagnosis, diagnose, diagnosisOf, formatDiagnosis } from '@tiphys/diagnosis';
import { planSync, type SyncState, stepSync, terminateSync } from '@tiphys/engine';
import type { ClusterHandle } from '../clusters/cluster-registry.ts';
import { clientOf } from '../clusters/impersonation.ts';
import type { EffectiveProject } from '../projects/project-directory.ts';
import { blockDiagnosis, syncBlock } from '../projects/sync-windows.ts';
import { recordBegin } from '../reconciliation/chronicle.ts';
import { compareObjects } from '../reconciliation/comparing.ts';
import { RenderGoesOn, renderGoing } from '../reconciliation/going-render.ts';
import { restoredRender } from '../reconciliation/health-gate.ts';
import { withKindOwner } from '../reconciliation/kind-owners.ts';
import type { Reconciliation } from '../reconciliation/reconciliation.ts';
import { rotateGenerated } from '../reconciliation/rotation.ts';
import { retryDelay } from '../settings/retry.ts';
import { localManifests, renderLocally } from '../sources/local-manifests.ts';
import type { RenderedSources } from '../sources/source-renderer.ts';
import { hasSources, revisionFields, revisionsOf, sourcesOf } from '../spec/source-of.ts';
import { askGuard } from './ask-guard.ts';
import { isRunning, startedOperation, windowWait } from './auto-sync.ts';
import { recordHistory } from './history.ts';
import { giveWay, isSuperseded } from './newer-revision.ts';
import { isOutdated } from './outdated.ts';
import { keepWarnings } from './server-warnings.ts';
import { askedDelay, isOfSurroundings, surroundingsDelay } from './surroundings.ts';
import { failuresOf, findingsOf, keepFindings } from './sync-findings.ts';
import { ownParts, syncOptionsOf } from './sync-options-of.ts';

const operationInvalid = defineDiagnosis('OperationInvalid', 'The operation asks for nothing that can be done');

const syncTimedOut = defineDiagnosis(
  'SyncTimedOut',
  'A sync was ended because it took longer than syncs may take',
  'S21',
);

/** A running operation is looked at again after this long although nothing was heard; changes wake it before. */
const requeuePeriod = 5_000;
/** How often the progress of a sync without hooks is stored, in milliseconds. */
const progressInterval = 1_000;

/**
 * Takes up what `.operation` asks for, or goes on with the operation that runs, one step at a time. Everything that the
 * next step needs is in `status.operationState`: the process may be killed between any two instructions.
 */
export async function operate(work: Reconciliation): Promise<StepOutcome> {
  const { next, status, context } = work;
  if (!next.operation && !isRunning(status.operationState)) return 'continue';
  if (!isRunning(status.operationState)) {
    status.operationState = startedOperation(next.operation as Operation, timestamp(context.clock.now()));
    // Written before anything is done: after a crash the operation is known to have begun.
    await work.checkpoint();
  }
  const state = status.operationState as OperationState;
  if (state.phase === 'Running') {
    const left = timeLeft(work, state);
    if (left <= 0) {
      state.phase = 'Terminating';
      state.message = 'operation is terminating due to timeout';
      keepFindings(status, [timedOut(work, state)], timestamp(context.clock.now()));
      work.requeueIn(0);
      return 'continue';
    }
    if (left !== Infinity) work.requeueIn(left);
  }
  if (isSuperseded(work, state)) return giveWay(work, state);
  const wait = retryWait(work, state);
  if (wait > 0) {
    work.requeueIn(wait);
    return 'continue';
  }
  if (isBlocked(work, state)) return 'continue';
  if (state.phase === 'Running' && state.finishedAt) beginRetry(work, state);
  try {
    await advance(work, state);
  } catch (error) {
    work.signal.throwIfAborted();
    if (isOutdated(error)) throw error;
    if (error instanceof RenderGoesOn && !isTerminated(work, state)) return waitForRender(work, state, error.waits);
    if (!(error instanceof RenderGoesOn)) fail(work, state, diagnosisOf(error));
  }
  conclude(work, state);
  return 'continue';
}

/** Ends the operation that is asked for or runs, if there is one, since it cannot be done; as any failed one it may be retried. */
export function endOperation(work: Reconciliation, reason: Diagnosis): void {
  const { next, status, context } = work;
  if (!next.operation && !isRunning(status.operationState)) return;
  if (!isRunning(status.operationState))
    status.operationState = startedOperation(next.operation as Operation, timestamp(context.clock.now()));
  const state = status.operationState as OperationState;
  const wait = retryWait(work, state);
  if (wait > 0) {
    work.requeueIn(wait);
    return;
  }
  fail(work, state, reason);
  conclude(work, state);
}

/** Whether a sync window keeps the operation waiting; it says so in its message and stays as it is, as upstream. */
function isBlocked(work: Reconciliation, state: OperationState): boolean {
  const { next, project, context } = work;
  if (!project || state.phase !== 'Running') return false;
  const now = context.clock.now();
  const manual = !state.operation.initiatedBy?.automated;
  const block = syncBlock(project, next, now, { manual, startedAt: Date.parse(state.startedAt) });
  if (!block) return false;
  const diagnosis = blockDiagnosis(block, project);
  state.message = diagnosis.message;
  keepFindings(work.status, [{ ...diagnosis, waiting: true }], timestamp(now));
  if (block.until !== undefined) work.requeueIn(windowWait(block.until - now));
  return true;
}

/** What a sync stood at when its time was over. */
function timedOut({ status, context }: Reconciliation, state: OperationState): Diagnosis {
  const limit = `${Math.round(context.settings().syncTimeout / 1000)} s`;
  const causes = findingsOf(status).map(({ waiting: _waiting, task: _task, ...diagnosis }) => diagnosis);
  const [stood] = causes;
  return diagnose(syncTimedOut, {
    message: `The sync was ended after ${limit}, the time that syncs may take${stood ? `: ${stood.message}` : ''}`,
    place: { object: 'ConfigMap argocd-cmd-params-cm', field: 'controller.sync.timeout.seconds' },
    evidence: { 'started at': state.startedAt, 'stood at': state.message || undefined },
    remedies: [
      ...(stood?.remedies ?? []),
      { text: 'Or let syncs take longer', paste: 'controller.sync.timeout.seconds: "1800"' },
    ],
    ...(causes.length > 0 ? { causes } : {}),
  });
}

/** Milliseconds until the operation has taken as long as one may, retries and their waits included. */
function timeLeft({ context }: Reconciliation, { startedAt }: OperationState): number {
  const { syncTimeout } = context.settings();
  return syncTimeout === 0 ? Infinity : Date.parse(startedAt) + syncTimeout - context.clock.now();
}

/** Milliseconds until the retry of a failed attempt is due; 0 if there is nothing to wait for. */
function retryWait({ context, status, key }: Reconciliation, state: OperationState): number {
  if (state.phase !== 'Running' || !state.finishedAt) return 0;
  if (isHeldUp(status, state)) {
    const finished = Date.parse(state.finishedAt);
    const delay = heldUpFor(key, status, state, finished);
    return Math.max(0, finished + delay - context.clock.now());
  }
  const delay = retryDelay(state.operation.retry, Math.max(0, (state.retryCount ?? 1) - 1));
  return typeof delay === 'number' ? Math.max(0, Date.parse(state.finishedAt) + delay - context.clock.now()) : 0;
}

/** As the rule of surroundings has it, and at least what a server has asked for. */
function heldUpFor(key: string, status: ApplicationStatus, { startedAt }: OperationState, now: number): number {
  const delay = surroundingsDelay(key, { started: Date.parse(startedAt), now });
  return Math.max(delay, askedDelay(failuresOf(status)));
}

/** Whether the surroundings alone keep an automated sync from its end: that uses up no retries. */
function isHeldUp(status: ApplicationStatus, { operation }: OperationState): boolean {
  return operation.initiatedBy?.automated === true && isOfSurroundings(failuresOf(status));
}

function beginRetry({ status }: Reconciliation, state: OperationState): void {
  const heldUp = isHeldUp(status, state);
  if (state.operation.retry?.refresh && state.operation.sync) {
    const { revision: _one, revisions: _several, ...rest } = state.operation.sync;
    state.operation = { ...state.operation, sync: rest };
  }
  if (!heldUp) state.message = `Retrying operation. Attempt #${state.retryCount}`;
  delete state.finishedAt;
  delete state.syncResult;
}

/** One step: render what is to be synced, plan, do what can be done now. */
async function advance(work: Reconciliation, state: OperationState): Promise<void> {
  const { next, context } = work;
  const { sync } = state.operation;
  const cluster = work.cluster as ClusterHandle;
  if (!sync)
    return fail(
      work,
      state,
      diagnose(operationInvalid, {
        message: 'Invalid operation request: no operation specified',
        place: { field: 'operation.sync' },
        remedies: ['Set operation.sync'],
      }),
    );
  const from = sourcesOf(sync).length > 0 ? sync : next.spec;
  const sources = sourcesOf(from);
  if (sources.length === 0)
    return fail(
      work,
      state,
      diagnose(operationInvalid, {
        message: 'There is no source to sync',
        place: { field: 'spec.source' },
        remedies: ['Set spec.source'],
      }),
    );
  // The first step fixes the commit: every later one, also after a restart, deploys the same.
  const fixed = revisionsOf(state.syncResult);
  const revisions = fixed.length > 0 ? fixed : revisionsOf(sync);
  const askRemote = revisions.filter(Boolean).length < sources.length && !state.operation.initiatedBy?.automated;
  const render = async () => {
    const { rendered } = await renderGoing(work, {
      step: 'sync',
      key: JSON.stringify([state.startedAt, revisions, sources]),
      render: (more) =>
        context.renderer.render(next, sources, cluster, { ...more, revisions, askRemote, record: true }),
    });
    return rendered;
  };
  const local = localManifests(sync);
  const recorded = restoredRender(state.operation);
  if (recorded !== undefined) return restore(work, state, recorded);
  if (!local) await rotateGenerated(work, state, render);
  const rendered = local ? renderLocally(local, []) : await render();
  const several = hasSources(from);
  state.syncResult = {
    ...state.syncResult,
    // A required field, empty where there are several.
    revision: '',
    ...revisionFields(several, rendered.revisions),
    ...(several ? { sources } : { source: sources[0] }),
  } as NonNullable<OperationState['syncResult']>;
  const [untrusted] = local ? [] : await untrustedOf(work, sources, rendered.renders);
  if (untrusted) return fail(work, state, untrusted);
  if (!local) compareAnew(work, rendered);
  await runStep(work, state, sync, rendered);
  // Written before the end of the operation is: a crash in between repeats it.
  if (isWholeSync(state) && !local) await context.generated.settle(next, rendered, work.memory.rendered);
}

/** One step of a sync of recorded manifests: their repository is not asked, and was trusted when they were recorded. */
async function restore(work: Reconciliation, state: OperationState, render: string): Promise<void> {
  const { head, rendered } = await work.context.recorded.load(work.next, render);
  const several = hasSources(state.operation.sync ?? {});
  state.syncResult = {
    ...state.syncResult,
    revision: '',
    ...revisionFields(several, head.revisions),
    ...(several ? { sources: [...head.sources] } : { source: head.sources[0] }),
  } as NonNullable<OperationState['syncResult']>;
  await runStep(work, state, state.operation.sync as SyncOperation, rendered);
}

/** What of a revision that is to be synced is not signed as the project wants it. */
function untrustedOf(
  { next, project, context, signal }: Reconciliation,
  sources: readonly ApplicationSource[],
  renders: RenderedSources['renders'],
): Promise<Diagnosis[]> {
  return context.integrity.problems({ application: next, project }, sources, renders, signal);
}

/** The same revisions gave something else than what is compared, since a chart looked up something that has changed. */
function compareAnew({ memory }: Reconciliation, { revisions, renders }: RenderedSources): void {
  const { rendered } = memory;
  if (!rendered || !deepEqual(rendered.revisions, revisions)) return;
  if (renders.some(({ digest }, index) => digest !== rendered.renders[index]?.digest)) memory.outdated();
}

/** Whether everything was synced, so that what is live is what the revision says. */
function isWholeSync({ phase, operation: { sync } }: OperationState): boolean {
  return phase === 'Succeeded' && sync !== undefined && !sync.dryRun && !sync.resources?.length;
}

async function runStep(
  work: Reconciliation,
  state: OperationState,
  sync: SyncOperation,
  rendered: RenderedSources,
): Promise<void> {
  const { next, status, context, key, project, signal } = work;
  const cluster = work.cluster as ClusterHandle;
  const comparison = await compareObjects(work, rendered.objects);
  const plan = planSync(comparison, { ...syncOptionsOf(next, state, sync), ...ownParts(cluster, context) });
  recordBegin(work, { state, plan, comparison, rendered });
  if (plan.refusals.length > 0) return fail(work, state, plan.refusals[0] as Diagnosis);
  const verdict = await askGuard(work, state, { comparison, plan });
  if (verdict === 'wait') return;
  if (verdict !== 'go') return fail(work, state, verdict);
  const deployment = { application: next, project: project as EffectiveProject, cluster, settings: context.settings() };
  const client = clientOf(deployment).as({ component: 'controller', application: key, purpose: 'sync' });
  const before: SyncState = {
    phase: state.phase as SyncState['phase'],
    message: state.message ?? '',
    resources: (state.syncResult?.resources ?? []) as unknown as SyncState['resources'],
    diagnoses: failuresOf(status),
    waitingFor: [],
  };
  const keep = (reached: SyncState): void => {
    // an attempt that goes on says nothing yet of what the last one has failed with
    const silent = reached.phase === 'Running' && reached.diagnoses.length === 0;
    const findings = silent
      ? failuresOf(status)
      : reached.diagnoses.map((finding) => withKindOwner(finding, context.kindOwner));
    const now = timestamp(context.clock.now());
    keepFindings(status, findings, now);
    keepWarnings(status, reached.written ?? [], now);
    state.phase = reached.phase;
    state.message = reached.message;
    state.syncResult = { ...state.syncResult, resources: reached.resources } as unknown as NonNullable<
      OperationState['syncResult']
    >;
  };
  const hooks = plan.tasks.some(({ hook }) => hook);
  let storedAt = context.clock.now();
  // A hook is let go only after its result is stored: after a crash it must not run again. Applying is found done when it
  // is done again, so without hooks progress is only stored for those who watch a long sync.
  const onProgress = async (reached: SyncState): Promise<void> => {
    keep(reached);
    if (!hooks && context.clock.now() - storedAt < progressInterval) return;
    storedAt = context.clock.now();
    await work.checkpoint();
  };
  const { clock } = context;
  const waveDelay = context.syncWaveDelay();
  const request = { plan, client, cache: cluster.cache, state: before, clock, signal, waveDelay, onProgress };
  keep(state.phase === 'Terminating' ? await terminateSync(request) : await stepSync(request));
  if (next.spec.syncPolicy?.managedNamespaceMetadata && state.syncResult)
    state.syncResult.managedNamespaceMetadata = next.spec.syncPolicy.managedNamespaceMetadata;
}

/** Ends an operation that is to be terminated and has done nothing yet: it need not wait for its manifests. */
function isTerminated({ memory }: Reconciliation, state: OperationState): boolean {
  if (state.phase !== 'Terminating' || state.syncResult?.resources?.length) return false;
  memory.going?.sync?.abort.abort(new Error('the operation is terminated'));
  state.phase = 'Failed';
  state.message = 'Operation terminated';
  return true;
}

/** The render goes on by itself; the operation says what it waits for. */
function waitForRender({ status, context }: Reconciliation, state: OperationState, waits?: Diagnosis): StepOutcome {
  if (waits) {
    state.message = waits.message;
    keepFindings(status, [{ ...waits, waiting: true }], timestamp(context.clock.now()));
  }
  return 'continue';
}

function fail({ status, context }: Reconciliation, state: OperationState, diagnosis: Diagnosis): void {
  state.phase = 'Error';
  state.message = formatDiagnosis(diagnosis);
  keepFindings(status, [diagnosis], timestamp(context.clock.now()));
}

/**
 * Anyone who synced to another commit than the one that is compared may have seen the repository later than we: it is asked
 * before the application is called OutOfSync. As upstream not after automated syncs, which take what was compared.
 */
function askAgain({ memory }: Reconciliation, { operation, syncResult }: OperationState): void {
  if (operation.initiatedBy?.automated || !operation.sync || operation.sync.dryRun) return;
  if (deepEqual(revisionsOf(syncResult), memory.rendered?.revisions)) return;
  memory.outdated({ askRemote: true });
}

/** The next attempt follows when the surroundings may have been mended; the retries of the commit are not touched. */
function holdOn(work: Reconciliation, state: OperationState, now: string): void {
  const { context, key } = work;
  const delay = heldUpFor(key, work.status, state, context.clock.now());
  const at = timestamp(context.clock.now() + delay).slice(11, 19);
  state.phase = 'Running';
  state.finishedAt = now;
  state.message = `${state.message}. No commit can mend this: trying again at ${at}, for as long as it lasts.`;
  work.requeueIn(delay);
}

/** What follows from the phase that the step ended in: wait, retry, or the end with history and announcement. */
function conclude(work: Reconciliation, state: OperationState): void {
  const { next, status, context } = work;
  const now = timestamp(context.clock.now());
  if (state.phase === 'Running' || state.phase === 'Terminating') {
    work.requeueIn(requeuePeriod);
    return;
  }
  if (state.phase === 'Succeeded') keepFindings(status, [], now);
  const terminated = work.before.status?.operationState?.phase === 'Terminating';
  if (state.phase !== 'Succeeded' && !terminated && isHeldUp(status, state)) {
    holdOn(work, state, now);
    return;
  }
  const limit = state.operation.retry?.limit ?? 0;
  const retried = state.retryCount ?? 0;
  if (state.phase !== 'Succeeded' && !terminated && (limit < 0 || retried < limit)) {
    const delay = retryDelay(state.operation.retry, retried);
    if (typeof delay === 'number') {
      state.phase = 'Running';
      state.finishedAt = now;
      state.retryCount = retried + 1;
      state.message = `${state.message}. Retrying attempt #${state.retryCount} at ${timestamp(context.clock.now() + delay).slice(11, 19)}.`;
      work.requeueIn(delay);
      return;
    }
    state.phase = 'Error';
    state.message = `${state.message} (failed to retry: ${delay.invalid})`;
  }
  if (terminated && timeLeft(work, state) <= 0) {
    state.message = `${state.message}, triggered by controller sync timeout`;
    const told = findingsOf(work.before.status ?? {}).filter(({ code }) => code === syncTimedOut.code);
    const rest = failuresOf(status).filter(({ code }) => code !== syncTimedOut.code);
    keepFindings(status, [...told, ...rest], now);
  } else if (retried > 0 && state.phase !== 'Succeeded') state.message = `${state.message} (retried ${retried} times).`;
  state.finishedAt = now;
  delete next.operation;
  askAgain(work, state);
  // A deletion has waited for this end.
  if (next.metadata.deletionTimestamp) work.requeueIn(0);
  const sync = state.operation.sync;
  if (isWholeSync(state)) recordHistory(next, status, state, now);
  const revision = revisionsOf(state.syncResult).join(', ');
  const what = sync?.resources?.length ? 'Partial sync operation' : 'Sync operation';
  work.announcements.push(
    state.phase === 'Succeeded'
      ? { type: 'Normal', reason: 'OperationCompleted', message: `${what} to ${revision} succeeded` }
      : { type: 'Warning', reason: 'OperationCompleted', message: `${what} to ${revision} failed: ${state.message}` },
  );
}
