import { conditionOf } from '../machinery/conditions.ts';
import type { Condition } from '../machinery/workload-model.ts';
import { parseIndexes } from './completion-indexes.ts';
import { isIndexed } from './job-model.ts';
import type { JobView } from './job-view.ts';
import { isPodFailed, judgeFailure, restartedTooOften } from './pod-failures.ts';

/** Why a job is about to end. `type` is the interim condition: `FailureTarget` or `SuccessCriteriaMet`. */
export type Verdict = Pick<Condition, 'reason' | 'message'> & { type: 'FailureTarget' | 'SuccessCriteriaMet' };

/** The first criterion that ends the job, in the real controller's order; undefined while it goes on. */
export function judgeJob(view: JobView, now: number): Verdict | undefined {
  const { job } = view;
  for (const type of ['SuccessCriteriaMet', 'FailureTarget'] as const) {
    const known = conditionOf(job.status?.conditions, type);
    if (known?.status === 'True') return { type, ...reasonOf(known) };
  }
  return failure(view, now) ?? indexFailure(view) ?? success(view);
}

function failure({ job, pods, failed }: JobView, now: number): Verdict | undefined {
  for (const pod of pods) {
    const why = isPodFailed(pod, job) ? judgeFailure(job, pod).failsJob : undefined;
    if (why) return { type: 'FailureTarget', reason: 'PodFailurePolicy', message: why };
  }
  if (failed > (job.spec.backoffLimit ?? 6) || restartedTooOften(job, pods))
    return {
      type: 'FailureTarget',
      reason: 'BackoffLimitExceeded',
      message: 'Job has reached the specified backoff limit',
    };
  const left = deadlineLeft(job, now);
  if (left !== undefined && left <= 0)
    return {
      type: 'FailureTarget',
      reason: 'DeadlineExceeded',
      message: 'Job was active longer than specified deadline',
    };
  return undefined;
}

/** Milliseconds until `activeDeadlineSeconds` is over; undefined when there is none, or the job does not run. */
export function deadlineLeft({ spec, status }: JobView['job'], now: number): number | undefined {
  if (spec.activeDeadlineSeconds === undefined || !status?.startTime || spec.suspend) return undefined;
  return Date.parse(status.startTime) + spec.activeDeadlineSeconds * 1000 - now;
}

function indexFailure({ job, failedIndexes, succeededIndexes }: JobView): Verdict | undefined {
  if (!failedIndexes) return undefined;
  const { maxFailedIndexes, completions = 0 } = job.spec;
  if (maxFailedIndexes !== undefined && failedIndexes.size > maxFailedIndexes)
    return {
      type: 'FailureTarget',
      reason: 'MaxFailedIndexesExceeded',
      message: 'Job has exceeded the specified maximal number of failed indexes',
    };
  if (failedIndexes.size > 0 && failedIndexes.size + succeededIndexes.size >= completions)
    return { type: 'FailureTarget', reason: 'FailedIndexes', message: 'Job has failed indexes' };
  return undefined;
}

function success({ job, succeededIndexes }: JobView): Verdict | undefined {
  if (!isIndexed(job) || succeededIndexes.size === 0) return undefined;
  const { completions = 0, successPolicy } = job.spec;
  const index = successPolicy?.rules.findIndex(({ succeededIndexes: wanted, succeededCount }) => {
    if (wanted === undefined) return succeededCount !== undefined && succeededIndexes.size >= succeededCount;
    const required = parseIndexes(wanted, completions);
    const met = [...required].filter((each) => succeededIndexes.has(each)).length;
    return required.size > 0 && (met === required.size || (succeededCount !== undefined && met >= succeededCount));
  });
  if (index === undefined || index < 0) return undefined;
  return { type: 'SuccessCriteriaMet', reason: 'SuccessPolicy', message: `Matched rules at index ${index}` };
}

/** Enough pods have succeeded and none runs any more. */
export function isComplete({ job, succeeded }: JobView, active: number): boolean {
  if (active > 0) return false;
  return job.spec.completions === undefined ? succeeded > 0 : succeeded >= job.spec.completions;
}

export const completionsReached: Verdict = {
  type: 'SuccessCriteriaMet',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
};

export function reasonOf({ reason, message }: Pick<Condition, 'reason' | 'message'>) {
  return { ...(reason === undefined ? {} : { reason }), ...(message === undefined ? {} : { message }) };
}
