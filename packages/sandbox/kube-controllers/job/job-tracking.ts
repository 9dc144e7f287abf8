import { conditionOf, timestamp } from '../machinery/conditions.ts';
import type { Condition, Pod } from '../machinery/workload-model.ts';
import { completionIndex, formatIndexes, parseIndexes } from './completion-indexes.ts';
import { isIndexed, type JobStatus } from './job-model.ts';
import { reasonOf, type Verdict } from './job-verdict.ts';
import { hasValidIndex, isTracked, type JobView } from './job-view.ts';
import { isPodFailed, judgeFailure } from './pod-failures.ts';

/** Pods that a status may name as not yet counted. */
const mostUncounted = 500;

/**
 * The first half of counting ended pods: names them in the status. Only after that is written may their finalizer go,
 * and only after that they are counted, so that a pod counts once whatever fails in between.
 */
export function nameEndedPods(
  view: JobView,
  status: JobStatus,
  verdict: Verdict | undefined,
): { status: JobStatus; release: Pod[] } {
  const { job, pods } = view;
  const succeeded = [...(status.uncountedTerminatedPods?.succeeded ?? [])];
  const failed = [...(status.uncountedTerminatedPods?.failed ?? [])];
  const indexes = parseIndexes(status.completedIndexes, job.spec.completions ?? 0);
  const release: Pod[] = [];
  for (const pod of inOrder(view, pods)) {
    if (succeeded.length + failed.length >= mostUncounted) break;
    if (!isTracked(pod) || !mayRelease(view, pod, verdict)) continue;
    release.push(pod);
    const uid = pod.metadata.uid ?? '';
    if (pod.status?.phase === 'Succeeded' && !failed.includes(uid)) {
      if (!isIndexed(job)) addOnce(succeeded, uid);
      else if (hasValidIndex(job, pod)) indexes.add(completionIndex(pod) as number);
    } else if (isPodFailed(pod, job) || verdict?.type === 'FailureTarget') {
      if (hasValidIndex(job, pod) && judgeFailure(job, pod).counts) addOnce(failed, uid);
    }
  }
  return {
    release,
    status: {
      ...status,
      uncountedTerminatedPods: uncounted(succeeded, failed),
      ...(isIndexed(job) ? indexCounts(view, indexes) : {}),
    },
  };
}

/** The second half: what is named and has lost its finalizer is counted. */
export function countReleasedPods(status: JobStatus, stillTracked: ReadonlySet<string>, indexed: boolean): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const leftSucceeded = succeeded.filter((uid) => stillTracked.has(uid));
  const leftFailed = failed.filter((uid) => stillTracked.has(uid));
  const counts = {
    succeeded: (status.succeeded ?? 0) + (indexed ? 0 : succeeded.length - leftSucceeded.length),
    failed: (status.failed ?? 0) + failed.length - leftFailed.length,
  };
  return withCounts({ ...status, uncountedTerminatedPods: uncounted(leftSucceeded, leftFailed) }, counts);
}

/** Counts of 0 are absent from a status, but for `ready` and `terminating`. */
export function withCounts(status: JobStatus, counts: Pick<JobStatus, 'active' | 'succeeded' | 'failed'>): JobStatus {
  const next = { ...status };
  for (const key of ['active', 'succeeded', 'failed'] as const) {
    const count = counts[key];
    if (count === undefined) continue;
    if (count > 0) next[key] = count;
    else delete next[key];
  }
  return next;
}

/** A condition with its times; one that would begin as False is left out. */
export function withJobCondition(
  conditions: readonly Condition[],
  next: Pick<Condition, 'type' | 'status' | 'reason' | 'message'>,
  now: string,
): Condition[] {
  const known = conditionOf(conditions, next.type);
  if (!known && next.status === 'False') return [...conditions];
  if (known?.status === next.status && known.reason === next.reason && known.message === next.message)
    return [...conditions];
  const condition: Condition = {
    type: next.type,
    status: next.status,
    lastProbeTime: now,
    lastTransitionTime: now,
    ...reasonOf(next),
  };
  return known ? conditions.map((each) => (each === known ? condition : each)) : [...conditions, condition];
}

/** The status of a job that has ended; undefined while pods are uncounted or terminate. */
export function finishedStatus(
  status: JobStatus,
  verdict: Verdict,
  terminating: number,
  clock: Parameters<typeof timestamp>[0],
): { status: JobStatus; condition: Condition } | undefined {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  if (succeeded.length + failed.length > 0 || terminating > 0) return undefined;
  const type = verdict.type === 'FailureTarget' ? 'Failed' : 'Complete';
  const now = timestamp(clock);
  const condition = { type, status: 'True' as const, ...reasonOf(verdict) };
  const conditions = withJobCondition(status.conditions ?? [], condition, now);
  return { condition, status: { ...status, conditions, ...(type === 'Complete' ? { completionTime: now } : {}) } };
}

function mayRelease({ job, keptForIndex }: JobView, pod: Pod, verdict: Verdict | undefined): boolean {
  if (job.metadata.deletionTimestamp || verdict || pod.status?.phase === 'Succeeded') return true;
  if (!isPodFailed(pod, job)) return false;
  return keptForIndex.get(completionIndex(pod) ?? -1) !== pod;
}

function inOrder({ job }: JobView, pods: readonly Pod[]): readonly Pod[] {
  if (!isIndexed(job)) return pods;
  return [...pods].sort((a, b) => (completionIndex(a) ?? -1) - (completionIndex(b) ?? -1));
}

function indexCounts({ failedIndexes }: JobView, indexes: ReadonlySet<number>): Partial<JobStatus> {
  return {
    ...(indexes.size > 0 ? { succeeded: indexes.size, completedIndexes: formatIndexes(indexes) } : {}),
    ...(failedIndexes ? { failedIndexes: formatIndexes(failedIndexes) } : {}),
  };
}

function uncounted(succeeded: string[], failed: string[]): NonNullable<JobStatus['uncountedTerminatedPods']> {
  return { ...(succeeded.length > 0 ? { succeeded } : {}), ...(failed.length > 0 ? { failed } : {}) };
}

function addOnce(list: string[], uid: string): void {
  if (!list.includes(uid)) list.push(uid);
}

/** Whether the job's pods were named or counted already when it is looked at again. */
export function trackedUids(pods: readonly Pod[]): Set<string> {
  return new Set(pods.filter(isTracked).map((pod) => pod.metadata.uid ?? ''));
}
