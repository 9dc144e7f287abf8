import type { CanaryStep, IntOrString, PauseCondition, PauseReason, Rollout } from '@tiphys/api';
import { goDuration } from '@tiphys/go';

/** Defaults of Argo Rollouts, and what follows from the fields of a Rollout alone. */

const defaultScaleDownDelay = 30;

export function replicasOf({ spec }: Rollout): number {
  return spec.replicas ?? 1;
}

export function revisionHistoryLimit({ spec }: Rollout): number {
  return spec.revisionHistoryLimit ?? 10;
}

export function progressDeadlineSeconds({ spec }: Rollout): number {
  return spec.progressDeadlineSeconds ?? 600;
}

export function maxTrafficWeight({ spec }: Rollout): number {
  return spec.strategy.canary?.trafficRouting?.maxTrafficWeight ?? 100;
}

export function stepsOf({ spec }: Rollout): readonly CanaryStep[] {
  return spec.strategy.canary?.steps ?? [];
}

/** The step at hand, and its index; no step if all are done, no index if there are no steps. */
export function currentStep(rollout: Rollout): { step?: CanaryStep; index?: number } {
  const steps = stepsOf(rollout);
  if (steps.length === 0) return {};
  const index = rollout.status?.currentStepIndex ?? 0;
  const step = steps[index];
  return step ? { step, index } : { index };
}

/** Everything is promoted: the pods that are wanted are the stable ones. */
export function isFullyPromoted({ status }: Rollout): boolean {
  return (status?.stableRS ?? '') === (status?.currentPodHash ?? '');
}

export function pauseCondition({ status }: Rollout, reason: PauseReason): PauseCondition | undefined {
  return status?.pauseConditions?.find((condition) => condition.reason === reason);
}

/** Why nothing may go on; undefined if it may. */
export function haltReason(rollout: Rollout): string | undefined {
  if (rollout.spec.paused) return 'user paused';
  return pauseCondition(rollout, 'InconclusiveAnalysisRun') ? 'inconclusive analysis' : undefined;
}

/** Seconds that old pods stay after a switch, for nodes to learn of it; 0 where nothing routes. */
export function scaleDownDelaySeconds({ spec: { strategy } }: Rollout): number {
  if (strategy.canary)
    return strategy.canary.trafficRouting ? (strategy.canary.scaleDownDelaySeconds ?? defaultScaleDownDelay) : 0;
  return strategy.blueGreen?.scaleDownDelaySeconds ?? defaultScaleDownDelay;
}

/** Seconds that new pods stay after an abort; undefined keeps them. */
export function abortScaleDownDelaySeconds(rollout: Rollout): number | undefined {
  const { strategy } = rollout.spec;
  if (!strategy.blueGreen && !strategy.canary?.trafficRouting) return 0;
  const given = (strategy.blueGreen ?? strategy.canary)?.abortScaleDownDelaySeconds;
  return given === 0 ? undefined : (given ?? defaultScaleDownDelay);
}

/** Whether the Rollout itself tells how long new pods stay after an abort. */
export function hasExplicitAbortDelay({ spec: { strategy } }: Rollout): boolean {
  const given = strategy.blueGreen
    ? strategy.blueGreen.abortScaleDownDelaySeconds
    : strategy.canary?.trafficRouting && strategy.canary.abortScaleDownDelaySeconds;
  return typeof given === 'number' && given !== 0;
}

/** How many old ReplicaSets may wait for their deadline at once. */
export function scaleDownRevisionLimit({ spec: { strategy } }: Rollout): number {
  return (strategy.blueGreen ?? strategy.canary)?.scaleDownDelayRevisionLimit ?? Number.MAX_SAFE_INTEGER;
}

/** A number, or a text that tells a percentage of `total`, with or without its sign; what is neither counts as 0. */
export function scaledValue(value: IntOrString, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const percent = value.replaceAll('%', '');
  if (!/^[+-]?\d{1,9}$/.test(percent)) return 0;
  return (round === 'up' ? Math.ceil : Math.floor)((Number(percent) * total) / 100);
}

function givenUnavailable({ spec: { strategy } }: Rollout): IntOrString {
  return strategy.blueGreen?.maxUnavailable ?? strategy.canary?.maxUnavailable ?? '25%';
}

function fenceposts(rollout: Rollout): { surge: number; unavailable: number } {
  const replicas = replicasOf(rollout);
  const surge = scaledValue(rollout.spec.strategy.canary?.maxSurge ?? '25%', replicas, 'up');
  const unavailable = scaledValue(givenUnavailable(rollout), replicas, 'down');
  // with neither nothing could ever be replaced
  return surge === 0 && unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
}

/** Pods beyond `replicas` that an update may have. */
export function maxSurge(rollout: Rollout): number {
  return rollout.spec.strategy.canary ? fenceposts(rollout).surge : 0;
}

/** Pods that may be missing during an update. */
export function maxUnavailable(rollout: Rollout): number {
  const replicas = replicasOf(rollout);
  if (replicas === 0) return 0;
  const unavailable = rollout.spec.strategy.canary
    ? fenceposts(rollout).unavailable
    : scaledValue(givenUnavailable(rollout), replicas, 'down');
  return Math.min(unavailable, replicas);
}

/** Seconds of a pause; 0 without a duration, -1 for one that cannot be read. */
export function pauseSeconds({ duration }: { duration?: IntOrString }): number {
  if (duration === undefined) return 0;
  if (typeof duration === 'number') return duration;
  if (/^[+-]?\d{1,10}$/.test(duration)) return Number(duration);
  const milliseconds = goDuration(duration);
  return milliseconds === undefined ? -1 : Math.trunc(milliseconds / 1000);
}

/** True while a `setCanaryScale` may not be obeyed because of an abort, or there is none: the canary follows its weight. */
export function canaryScale(rollout: Rollout): { weight?: number; replicas?: number } | undefined {
  if (!rollout.spec.strategy.canary?.trafficRouting) return undefined;
  if (rollout.status?.abort && abortScaleDownDelaySeconds(rollout) !== undefined) return undefined;
  const { step, index = 0 } = currentStep(rollout);
  if (!step) return undefined;
  const last = stepsOf(rollout)
    .slice(0, index + 1)
    .findLast(({ setCanaryScale }) => setCanaryScale)?.setCanaryScale;
  return last && !last.matchTrafficWeight ? last : undefined;
}

/** The weight that the steps so far have set. */
export function weightOfSteps(rollout: Rollout): number {
  if (rollout.status?.abort) return 0;
  const { step, index = 0 } = currentStep(rollout);
  if (!step) return maxTrafficWeight(rollout);
  return lastWeight(rollout, index);
}

/** The last `setWeight` of the steps up to and with `index`; 0 if there is none. */
export function lastWeight(rollout: Rollout, index: number): number {
  return (
    stepsOf(rollout)
      .slice(0, index + 1)
      .findLast(({ setWeight }) => setWeight !== undefined)?.setWeight ?? 0
  );
}

const driven = new Set(['apps/v1/StatefulSet', 'apps/v1/DaemonSet']);

/** Whether a Rollout drives a workload that keeps its pods, instead of making ReplicaSets of its template. */
export function isDriven({ spec: { workloadRef } }: Rollout): boolean {
  return workloadRef !== undefined && driven.has(`${workloadRef.apiVersion}/${workloadRef.kind}`);
}
