import { isPodActive, isPodReady, isPodTerminal } from '../machinery/pods.ts';
import type { Pod } from '../machinery/workload-model.ts';
import { completionIndex, parseIndexes } from './completion-indexes.ts';
import { isIndexed, type Job, trackingFinalizer } from './job-model.ts';
import { allFailuresOfIndex, failuresOfIndex, finishedAt, isPodFailed, judgeFailure } from './pod-failures.ts';

/** What a job and its pods amount to at one moment. */
export interface JobView {
  readonly job: Job;
  readonly pods: readonly Pod[];
  readonly active: readonly Pod[];
  readonly ready: number;
  /** Pods that are being deleted and have not ended. */
  readonly terminating: number;
  /** Ended and not yet counted anywhere in the status. */
  readonly newSucceeded: readonly Pod[];
  readonly newFailed: readonly Pod[];
  readonly succeeded: number;
  readonly failed: number;
  /** Of indexed jobs. */
  readonly succeededIndexes: ReadonlySet<number>;
  /** Of jobs with a back-off limit per index. */
  readonly failedIndexes: ReadonlySet<number> | undefined;
  /** Failed pods that stay until their index has another one, which takes the count of failures over. */
  readonly keptForIndex: ReadonlyMap<number, Pod>;
}

export function viewJob(job: Job, pods: readonly Pod[]): JobView {
  const active = pods.filter(isPodActive);
  const { uncountedTerminatedPods: uncounted, succeeded = 0, failed = 0 } = job.status ?? {};
  const fresh = (known: readonly string[] = []) =>
    pods.filter((pod) => isTracked(pod) && !known.includes(pod.metadata.uid ?? '') && hasValidIndex(job, pod));
  const newSucceeded = fresh(uncounted?.succeeded).filter((pod) => pod.status?.phase === 'Succeeded');
  const newFailed = fresh(uncounted?.failed).filter((pod) => isPodFailed(pod, job));
  const counting = newFailed.filter((pod) => judgeFailure(job, pod).counts).length;
  const succeededIndexes = succeededIndexesOf(job, pods);
  const failedIndexes = failedIndexesOf(job, pods);
  return {
    job,
    pods,
    active,
    ready: active.filter(isPodReady).length,
    terminating: pods.filter((pod) => pod.metadata.deletionTimestamp && !isPodTerminal(pod)).length,
    newSucceeded,
    newFailed,
    succeeded: isIndexed(job)
      ? succeededIndexes.size
      : succeeded + newSucceeded.length + (uncounted?.succeeded?.length ?? 0),
    failed: failed + counting + (uncounted?.failed?.length ?? 0),
    succeededIndexes,
    failedIndexes,
    keptForIndex: failedIndexes ? keptForIndex(job, pods, active, succeededIndexes, failedIndexes) : new Map(),
  };
}

export function isTracked(pod: Pod): boolean {
  return pod.metadata.finalizers?.includes(trackingFinalizer) ?? false;
}

export function hasValidIndex(job: Job, pod: Pod): boolean {
  return !isIndexed(job) || (completionIndex(pod) ?? Number.POSITIVE_INFINITY) < (job.spec.completions ?? 0);
}

function succeededIndexesOf(job: Job, pods: readonly Pod[]): Set<number> {
  if (!isIndexed(job)) return new Set();
  const indexes = parseIndexes(job.status?.completedIndexes, job.spec.completions ?? 0);
  for (const pod of pods)
    if (pod.status?.phase === 'Succeeded' && isTracked(pod) && hasValidIndex(job, pod))
      indexes.add(completionIndex(pod) as number);
  return indexes;
}

function failedIndexesOf(job: Job, pods: readonly Pod[]): Set<number> | undefined {
  const limit = job.spec.backoffLimitPerIndex;
  if (limit === undefined || !isIndexed(job)) return undefined;
  const indexes = parseIndexes(job.status?.failedIndexes, job.spec.completions ?? 0);
  for (const pod of pods) {
    if (!isTracked(pod) || !hasValidIndex(job, pod) || !isPodFailed(pod, job)) continue;
    const { action, counts } = judgeFailure(job, pod);
    if (action === 'FailIndex' || (counts && failuresOfIndex(pod) >= limit))
      indexes.add(completionIndex(pod) as number);
  }
  return indexes;
}

function keptForIndex(
  job: Job,
  pods: readonly Pod[],
  active: readonly Pod[],
  succeeded: ReadonlySet<number>,
  failed: ReadonlySet<number>,
): Map<number, Pod> {
  const running = new Set(active.map(completionIndex));
  const kept = new Map<number, Pod>();
  for (const pod of pods) {
    const index = completionIndex(pod);
    if (index === undefined || !isTracked(pod) || !hasValidIndex(job, pod) || !isPodFailed(pod, job)) continue;
    if (succeeded.has(index) || failed.has(index) || running.has(index)) continue;
    const other = kept.get(index);
    const later =
      !other || (allFailuresOfIndex(other) <= allFailuresOfIndex(pod) && finishedAt(pod) >= finishedAt(other));
    if (later) kept.set(index, pod);
  }
  return kept;
}
