import { diagnosisOf, formatDiagnosis, within } from '@tiphys/diagnosis';
import { isConflict, isNotFound, type KubeObject } from '@tiphys/kubernetes';
import { placeOf } from '../../difference/desired-state.ts';
import { hookFinalizer } from '../../model/annotations.ts';
import { type LiveObjects, refOf } from '../live-objects.ts';
import type { SyncTask } from '../model.ts';
import type { StepRequest } from '../step-request.ts';
import type { Progress, TaskRun } from '../task-run.ts';

type Request = Pick<StepRequest, 'client' | 'signal' | 'plan'>;

const attempts = 5;

/** Lets go of a hook whose result is known: takes its finalizer away. */
export async function releaseHook(
  run: TaskRun,
  progress: Progress,
  live: LiveObjects,
  request: Request,
): Promise<void> {
  try {
    const object = await live.get(run.task);
    if (object) await removeHookFinalizer(run.task, object, live, request);
  } catch (error) {
    request.signal.throwIfAborted();
    report(run, 'Failed to remove hook finalizer', error, progress);
  }
}

export async function removeHookFinalizer(
  task: SyncTask,
  object: KubeObject,
  live: LiveObjects,
  { client, signal }: Request,
): Promise<void> {
  let current: KubeObject | undefined = object;
  for (let attempt = 1; current?.metadata.finalizers?.includes(hookFinalizer); attempt++) {
    const { finalizers, resourceVersion } = current.metadata;
    try {
      const written = await client.patch(
        refOf(task),
        'merge',
        { metadata: { resourceVersion, finalizers: finalizers.filter((name) => name !== hookFinalizer) } },
        { signal },
      );
      // an object that was only held by the finalizer is gone now
      if (written.metadata.deletionTimestamp && !written.metadata.finalizers?.length) live.gone(task.key);
      else live.wrote(task.key, written);
      return;
    } catch (error) {
      if (isNotFound(error)) return live.gone(task.key);
      if (!isConflict(error) || attempt >= attempts) throw error;
      current = await live.fresh(task);
    }
  }
}

/** Deletes a hook's object as its policy asks. */
export async function deleteHook(run: TaskRun, progress: Progress, live: LiveObjects, request: Request): Promise<void> {
  const { task } = run;
  try {
    const object = await live.get(task);
    if (!object) return;
    await removeHookFinalizer(task, object, live, request);
    if (object.metadata.deletionTimestamp) return;
    const { uid } = object.metadata;
    await request.client.delete(refOf(task), {
      propagationPolicy: request.plan.propagationPolicy,
      signal: request.signal,
      ...(uid ? { preconditions: { uid } } : {}),
    });
  } catch (error) {
    request.signal.throwIfAborted();
    if (isNotFound(error)) live.gone(task.key);
    else report(run, 'failed to delete resource', error, progress);
  }
}

function report(run: TaskRun, what: string, error: unknown, progress: Progress): void {
  const diagnosis = diagnosisOf(within(error, { place: placeOf(run.task) }));
  progress.set(run, run.status, 'Error', `${what}: ${formatDiagnosis(diagnosis)}`, diagnosis);
}
