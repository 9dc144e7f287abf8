import { diagnosisOf, formatDiagnosis, within } from '@tiphys/diagnosis';
import { isNotFound } from '@tiphys/kubernetes';
import { placeOf } from '../difference/desired-state.ts';
import { releaseHook } from './deletion/hook-cleanup.ts';
import { LiveObjects, refOf } from './live-objects.ts';
import type { SyncState } from './model.ts';
import type { StepRequest } from './step-request.ts';
import { isCompleted, isRunning, Progress, type TaskRun } from './task-run.ts';

/** Ends an operation: running hooks are let go and deleted, the results say `Terminated`. What was applied stays. */
export async function terminateSync(request: StepRequest): Promise<SyncState> {
  const progress = new Progress(request.plan, request.state?.resources ?? [], request.state?.diagnoses);
  const live = new LiveObjects(request.cache, request.client, request.signal);
  let clean = true;
  for (const run of progress.runs.filter(({ task }) => task.hook)) {
    if (isCompleted(run)) await releaseHook(run, progress, live, request);
    else if (isRunning(run)) clean = (await terminateHook(run, progress, live, request)) && clean;
  }
  return {
    phase: clean ? 'Failed' : 'Error',
    message: clean ? 'Operation terminated' : 'Operation termination had errors',
    resources: progress.results,
    diagnoses: progress.diagnoses,
    waitingFor: [],
  };
}

async function terminateHook(
  run: TaskRun,
  progress: Progress,
  live: LiveObjects,
  request: StepRequest,
): Promise<boolean> {
  const { task } = run;
  try {
    const object = await live.fresh(task);
    if (!object) {
      progress.set(run, run.status, 'Succeeded', 'Terminated');
      return true;
    }
    const health = request.cache.healthOf(object);
    const running = health?.status === 'Progressing' || health?.status === 'Suspended';
    const failed = health?.status === 'Degraded' || health?.status === 'Unknown';
    await releaseHook(run, progress, live, request);
    if (running || task.deletePolicies.includes('HookFailed')) {
      await request.client.delete(refOf(task), {
        propagationPolicy: request.plan.propagationPolicy,
        signal: request.signal,
      });
    }
    if (running) progress.set(run, run.status, 'Failed', 'Terminated');
    else progress.set(run, run.status, failed ? 'Failed' : 'Succeeded', health?.message ?? '');
    return true;
  } catch (error) {
    request.signal.throwIfAborted();
    if (isNotFound(error)) {
      progress.set(run, run.status, 'Failed', 'Terminated');
      return true;
    }
    const diagnosis = diagnosisOf(within(error, { place: placeOf(task) }));
    progress.set(run, run.status, 'Error', `Failed to delete: ${formatDiagnosis(diagnosis)}`, diagnosis);
    return false;
  }
}
