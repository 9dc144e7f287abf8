import { type Diagnosis, diagnosisOf, formatDiagnosis, within } from '@tiphys/diagnosis';
import { ApiError, isNotFound, type KubeObject } from '@tiphys/kubernetes';
import { predict } from '../difference/compare-object.ts';
import { placeOf } from '../difference/desired-state.ts';
import { healthOf } from '../health/health.ts';
import { hookFinalizer } from '../model/annotations.ts';
import { type ApplyContext, applyObject, nameOf } from './apply/apply-object.ts';
import { mergePatch } from './apply/merge-patch.ts';
import { withNearestField } from './apply/nearest-field.ts';
import { withAdvice } from './apply/refusal-advice.ts';
import { serverWarnings } from './apply/server-warnings.ts';
import { removeHookFinalizer } from './deletion/hook-cleanup.ts';
import { inParallel } from './in-parallel.ts';
import { type LiveObjects, refOf } from './live-objects.ts';
import type { SyncTask } from './model.ts';
import { withNamespaceState } from './namespace-state.ts';
import type { StepRequest } from './step-request.ts';
import { isPrune } from './task-order.ts';
import { isPending, type Progress, type TaskRun } from './task-run.ts';

export type RunState =
  | { readonly kind: 'done' }
  | { readonly kind: 'confirm' | 'deleting'; readonly runs: readonly TaskRun[] };

const parallel = 10;

/** Executes the tasks of one wave: prunes, then old hooks out of the way, then kind after kind in order. */
export async function runTasks(
  runs: readonly TaskRun[],
  progress: Progress,
  live: LiveObjects,
  request: StepRequest,
): Promise<RunState> {
  const prunes = runs.filter(({ task }) => isPrune(task));
  const creates = runs.filter(({ task }) => !isPrune(task));
  const unconfirmed = prunes.filter(({ task }) => task.needsConfirmation && !isConfirmed(request));
  if (unconfirmed.length > 0) return { kind: 'confirm', runs: unconfirmed };
  await inParallel(prunes, parallel, (run) => prune(run, progress, live, request));
  if (prunes.some(({ status }) => status === 'SyncFailed')) return { kind: 'done' };
  const deleting = await clearHooks(creates, progress, live, request);
  if (deleting.length > 0) return { kind: 'deleting', runs: deleting };
  for (const group of byKind(creates.filter(isPending))) {
    await inParallel(group, parallel, (run) => apply(run, progress, live, request));
  }
  return { kind: 'done' };
}

/** The approval must be given after the operation began, so that an old one confirms nothing. */
function isConfirmed({ plan }: StepRequest): boolean {
  const { deletionApprovedAt, startedAt } = plan.options;
  return (
    deletionApprovedAt !== undefined &&
    Date.parse(deletionApprovedAt) >= Math.floor(Date.parse(startedAt) / 1000) * 1000
  );
}

function byKind(runs: readonly TaskRun[]): TaskRun[][] {
  const groups: TaskRun[][] = [];
  for (const run of runs) {
    const last = groups.at(-1);
    if (last?.[0]?.task.key.kind === run.task.key.kind) last.push(run);
    else groups.push([run]);
  }
  return groups;
}

async function prune(run: TaskRun, progress: Progress, live: LiveObjects, request: StepRequest): Promise<void> {
  const { task } = run;
  const { plan, client, signal } = request;
  if (task.action === 'skip-prune') {
    progress.set(
      run,
      'PruneSkipped',
      'Succeeded',
      task.reason === 'Prune=false' ? 'ignored (no prune)' : 'ignored (requires pruning)',
    );
    return;
  }
  if (plan.options.dryRun) {
    progress.set(run, 'Pruned', 'Succeeded', 'pruned (dry run)');
    return;
  }
  try {
    const object = await live.get(task);
    if (object && !object.metadata.deletionTimestamp) {
      const uid = object.metadata.uid;
      await client.delete(refOf(task), {
        propagationPolicy: plan.propagationPolicy,
        signal,
        ...(uid ? { preconditions: { uid } } : {}),
      });
      request.cache.forget(task.key, plan.propagationPolicy === 'Foreground' ? '-' : uid);
    }
    progress.set(run, 'Pruned', 'Succeeded', 'pruned');
  } catch (error) {
    signal.throwIfAborted();
    if (isNotFound(error)) {
      live.gone(task.key);
      progress.set(run, 'Pruned', 'Succeeded', 'pruned');
    } else await failed(run, error, progress, request);
  }
}

/** Objects of former runs of hooks go before the hooks are made anew; says which are not gone yet. */
async function clearHooks(
  runs: readonly TaskRun[],
  progress: Progress,
  live: LiveObjects,
  request: StepRequest,
): Promise<TaskRun[]> {
  if (request.plan.options.dryRun) return [];
  const deleting: TaskRun[] = [];
  await inParallel(
    runs.filter((run) => run.task.hook && isPending(run)),
    parallel,
    async (run) => {
      const { task } = run;
      try {
        const old = await live.get(task);
        if (!old) return;
        if (isOfThisOperation(old, request)) {
          progress.set(run, 'Synced', 'Running', `${nameOf(old)} created`);
          return;
        }
        await removeHookFinalizer(task, old, live, request);
        if (!task.deletePolicies.includes('BeforeHookCreation') && !mustRunAgain(task, old)) return;
        const { uid, deletionTimestamp } = old.metadata;
        if (!deletionTimestamp) {
          await request.client.delete(refOf(task), {
            propagationPolicy: request.plan.propagationPolicy,
            signal: request.signal,
            ...(uid ? { preconditions: { uid } } : {}),
          });
        }
        if (await live.fresh(task)) deleting.push(run);
      } catch (error) {
        request.signal.throwIfAborted();
        if (isNotFound(error)) live.gone(task.key);
        else await failed(run, error, progress, request);
      }
    },
  );
  return deleting;
}

/**
 * Whether a hook's object was made by this very operation, whose results were lost before they were stored: it is newer
 * than the operation, and its finalizer says that nobody has seen its result. It must not run twice.
 */
function isOfThisOperation({ metadata }: KubeObject, { plan }: StepRequest): boolean {
  const { creationTimestamp = '', deletionTimestamp, finalizers } = metadata;
  const started = Math.floor(Date.parse(plan.options.startedAt) / 1000) * 1000;
  return !deletionTimestamp && finalizers?.includes(hookFinalizer) === true && Date.parse(creationTimestamp) >= started;
}

/**
 * A job or pod that ran to its end for an earlier operation cannot run again: where its definition is the same, it makes
 * way for a new one whatever its policy. One that changed is applied over it, as upstream, and the server decides.
 */
function mustRunAgain({ desired }: SyncTask, old: KubeObject): boolean {
  if (!desired || !['Job', 'Pod', 'Workflow'].includes(old.kind)) return false;
  const status = healthOf(old)?.status;
  if (status !== 'Healthy' && status !== 'Degraded') return false;
  const changes = mergePatch(old, predict(desired, old, false)) ?? {};
  return Object.keys(changes).every((field) => field === 'metadata');
}

async function apply(run: TaskRun, progress: Progress, live: LiveObjects, request: StepRequest): Promise<void> {
  const { task } = run;
  const { plan, client, clock, signal } = request;
  const dryRun = plan.options.dryRun === true;
  const warnings: string[] = [];
  const context: ApplyContext = {
    client,
    clock,
    signal,
    dryRun,
    migrateFrom: plan.migrateFrom,
    propagationPolicy: plan.propagationPolicy,
    onWarning: (text) => void warnings.push(text),
  };
  if (dryRun && (task.hook || task.skipDryRun)) {
    progress.set(run, 'Synced', 'Succeeded', `${task.reason} (dry run)`);
    return;
  }
  let before: KubeObject | undefined;
  try {
    before = await live.get(task);
    const { message, object } = await applyObject(
      task,
      task.action === 'hook' && before?.metadata.deletionTimestamp ? undefined : before,
      context,
    );
    if (object && !dryRun) live.wrote(task.key, object);
    if (!dryRun && object !== before) {
      const served = warnings.length > 0 ? await versionsOf(task, request) : [];
      const told = serverWarnings(task, warnings, served);
      progress.warned(run, await Promise.all(told.map((one) => withNearestField(one, task.desired, request))));
    }
    progress.set(run, 'Synced', dryRun ? 'Succeeded' : 'Running', message);
  } catch (error) {
    signal.throwIfAborted();
    await failed(run, error, progress, request, before);
  }
}

/** Versions of the task's kind. A definition may be younger than the cache's last discovery: then the server is asked. */
async function versionsOf({ key, version }: SyncTask, { cache, client }: StepRequest): Promise<readonly string[]> {
  const known = cache.versionsOf(key.group, key.kind);
  if (known.some((other) => other !== version)) return known;
  try {
    client.discovery.invalidate();
    const resources = await client.discovery.resources();
    return resources.filter(({ group, kind }) => group === key.group && kind === key.kind).map((one) => one.version);
  } catch {
    // the object is written: without the list the advice names no version, and nothing else is lost
    return known;
  }
}

async function failed(
  run: TaskRun,
  error: unknown,
  progress: Progress,
  request: StepRequest,
  live?: KubeObject,
): Promise<void> {
  const advised = withAdvice(diagnosisOf(within(error, { place: placeOf(run.task) })), run.task, live);
  const told = await withNearestField(advised, run.task.desired, request);
  const diagnosis = await withNamespaceState(told, run.task.key.namespace, request);
  progress.set(run, 'SyncFailed', 'Failed', resultMessage(error, diagnosis), diagnosis);
}

/** The API server's own words, which people search for and scripts match, with the place; else the diagnosis' own. */
function resultMessage(error: unknown, diagnosis: Diagnosis): string {
  const said = error instanceof ApiError ? (error.body as { message?: string } | undefined)?.message : undefined;
  if (!said) return formatDiagnosis(diagnosis);
  const { file, line } = diagnosis.place ?? {};
  return file ? `${said} (${file}${line ? `:${line}` : ''})` : said;
}
