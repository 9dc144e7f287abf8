import { conditionOf } from '../machinery/conditions.ts';
import type { ContainerStatus, Pod } from '../machinery/workload-model.ts';
import { indexFailures, indexIgnoredFailures, type Job, type PodFailureRule } from './job-model.ts';

/** What the pod failure policy says of a failed pod. */
export interface FailureVerdict {
  action?: PodFailureRule['action'];
  /** Counts towards the back-off limits. */
  counts: boolean;
  /** Why the whole job fails. */
  failsJob?: string;
}

/** Ended badly; a pod that is being deleted too, unless only failed pods are replaced. */
export function isPodFailed(pod: Pod, job: Job): boolean {
  if (pod.status?.phase === 'Failed') return true;
  if (replacesFailedOnly(job)) return false;
  return Boolean(pod.metadata.deletionTimestamp) && pod.status?.phase !== 'Succeeded';
}

/** New pods come only when the former ones have ended, not while they terminate. */
export function replacesFailedOnly({ spec }: Job): boolean {
  return spec.podReplacementPolicy === 'Failed' || spec.podFailurePolicy !== undefined;
}

/** The first rule of `podFailurePolicy` that fits (`matchPodFailurePolicy`). */
export function judgeFailure(job: Job, pod: Pod): FailureVerdict {
  for (const [index, rule] of (job.spec.podFailurePolicy?.rules ?? []).entries()) {
    const what = rule.onExitCodes ? exitMatch(rule, pod) : conditionMatch(rule, pod);
    if (what === undefined) continue;
    const { action } = rule;
    if (action === 'Ignore') return { action, counts: false };
    if (action === 'FailJob')
      return { action, counts: true, failsJob: `${what} matching ${action} rule at index ${index}` };
    return { action, counts: true };
  }
  return { counts: true };
}

function exitMatch({ onExitCodes }: PodFailureRule, pod: Pod): string | undefined {
  const { containerName, operator, values = [] } = onExitCodes ?? { operator: 'In' };
  const fits = ({ name, state }: ContainerStatus) => {
    const code = state.terminated?.exitCode ?? 0;
    if (code === 0 || (containerName !== undefined && containerName !== name)) return false;
    return values.includes(code) === (operator === 'In');
  };
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  const container = containerStatuses.find(fits) ?? initContainerStatuses.find(fits);
  const { namespace, name } = pod.metadata;
  return container
    ? `Container ${container.name} for pod ${namespace}/${name} failed with exit code ${container.state.terminated?.exitCode}`
    : undefined;
}

function conditionMatch({ onPodConditions = [] }: PodFailureRule, pod: Pod): string | undefined {
  const found = pod.status?.conditions?.find((condition) =>
    onPodConditions.some(({ type, status = 'True' }) => type === condition.type && status === condition.status),
  );
  return found ? `Pod ${pod.metadata.namespace}/${pod.metadata.name} has condition ${found.type}` : undefined;
}

/** Restarts of containers beyond the back-off limit: with restartPolicy OnFailure pods don't fail, they restart. */
export function restartedTooOften({ spec }: Job, pods: readonly Pod[]): boolean {
  if (spec.template.spec.restartPolicy !== 'OnFailure') return false;
  let restarts = 0;
  for (const { status } of pods) {
    if (status?.phase !== 'Running' && status?.phase !== 'Pending') continue;
    for (const container of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])])
      restarts += container.restartCount;
  }
  const limit = spec.backoffLimit ?? 6;
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

/** When the pod ended, in milliseconds: its containers, else its readiness, its deletion, its creation. */
export function finishedAt(pod: Pod): number {
  const ends = (pod.status?.containerStatuses ?? []).map(({ state }) => Date.parse(state.terminated?.finishedAt ?? ''));
  if (ends.length > 0 && ends.every((end) => !Number.isNaN(end))) return Math.max(...ends);
  const ready = conditionOf(pod.status?.conditions, 'Ready');
  if (ready?.status === 'False' && ready.lastTransitionTime) return Date.parse(ready.lastTransitionTime);
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = pod.metadata;
  if (deletionTimestamp) return Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
  return Date.parse(creationTimestamp ?? '');
}

const firstBackoff = 10_000;
const longestBackoff = 600_000;

/** How long after so many failures in a row no pod is created, in milliseconds from now; 0 when one may be. */
export function backoffLeft(failures: number, lastFailure: number | undefined, now: number): number {
  if (failures === 0 || lastFailure === undefined) return 0;
  const backoff = Math.min(firstBackoff * 2 ** Math.min(failures - 1, 10), longestBackoff);
  return Math.max(0, lastFailure + backoff - now);
}

export function failuresOfIndex(pod: Pod): number {
  return numberIn(pod, indexFailures);
}

export function allFailuresOfIndex(pod: Pod): number {
  return numberIn(pod, indexFailures) + numberIn(pod, indexIgnoredFailures);
}

export function numberIn(pod: Pod, annotation: string): number {
  const text = pod.metadata.annotations?.[annotation] ?? '';
  return /^\d+$/.test(text) ? Number(text) : 0;
}
