import { timestamp } from '../model/time.ts';
import { type PodRequest, PodRequestError } from './pod-request.ts';

/** `activeDeadlineSeconds` of the pod; `too-late` if the workflow's time is over. Throws if the template's own time is over. */
export function activeDeadline(request: PodRequest): number | undefined | 'too-late' {
  const { template, workflowDeadline, isOnExit, now, timeoutDeadline, nodeName } = request;
  let seconds = wholeSeconds(template.activeDeadlineSeconds);
  if (workflowDeadline !== undefined && !isOnExit) {
    const left = Math.floor((workflowDeadline - now) / 1000);
    if (left <= 0) return 'too-late';
    seconds = Math.min(seconds ?? left, left);
  }
  if (isPaused(request)) seconds = undefined;
  if (timeoutDeadline === undefined) return seconds;
  const left = Math.floor((timeoutDeadline - now) / 1000);
  if (left <= 1) throw new PodRequestError(`${nodeName} exceeded its deadline`);
  return Math.min(seconds ?? left, left);
}

function wholeSeconds(value: number | string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (!Number.isInteger(seconds)) throw new PodRequestError(`value '${value}' cannot be resolved to an int`);
  return seconds;
}

/** True if somebody wants to look into the container before or after it runs: no time is short enough for that. */
function isPaused({ mainContainers }: PodRequest): boolean {
  return mainContainers.some(({ env }) =>
    env?.some(({ name }) => name === 'ARGO_DEBUG_PAUSE_BEFORE' || name === 'ARGO_DEBUG_PAUSE_AFTER'),
  );
}

/** When the executor must have ended, as it reads it; year 1 means never. */
export function executorDeadline({ workflowDeadline, attemptsDeadline, isOnExit }: PodRequest): string {
  const times = [isOnExit ? undefined : workflowDeadline, attemptsDeadline].filter((time) => time !== undefined);
  return times.length > 0 ? timestamp(Math.min(...times)) : '0001-01-01T00:00:00Z';
}
