import type { CompletionStatus, DurationStatus, Rollout, RolloutStatus } from '@tiphys/api';
import { timestamp } from '@tiphys/controller';
import { conditionOf, reasons } from './conditions.ts';
import { isManualPause } from './pauses.ts';

/** What the duration of an update is computed from. */
export interface DurationFacts {
  /** As it was read. */
  readonly rollout: Rollout;
  /** What is about to be written. */
  readonly status: RolloutStatus;
  readonly now: number;
  /** Another template, or other steps, than those that were worked on. */
  readonly isChanged: boolean;
  /** The wanted revision is an earlier one; `fast` if it needs no steps. */
  readonly rollback: 'none' | 'stepwise' | 'fast';
  readonly isAborted: boolean;
  /** The wanted revision has all its pods available. */
  readonly hasReachedReplicas: boolean;
}

/** When the update began, how long it waited for people, when and how it ended. */
export function durationOf(facts: DurationFacts): DurationStatus | undefined {
  const { rollout, status } = facts;
  if (conditionOf(status, 'InvalidSpec')) return status.duration;
  const isCompleted = (status.stableRS ?? '') === (status.currentPodHash ?? '') && facts.hasReachedReplicas;
  const earlier = rollout.status?.duration;
  let duration = status.duration && { ...status.duration };
  if (duration && earlier?.rolloutStartedAt && !isOver(earlier)) {
    if (facts.isChanged) duration = replaced(duration, facts);
    if (!isOver(duration) && (isCompleted || facts.isAborted)) {
      const outcome = duration.completionStatus ?? (isCompleted ? 'Promoted' : 'Aborted');
      duration = ended(duration, outcome, facts.now);
      if (isCompleted) return duration;
    }
  }
  let wasPaused = earlier?.manualPauseStartedAt !== undefined;
  if (!duration || (isOver(duration) && !isCompleted)) {
    wasPaused = false;
    const isRetry = !facts.isAborted && conditionOf(rollout.status, 'Progressing')?.reason === reasons.aborted;
    if ((facts.isChanged && !isCompleted) || isRetry) duration = { rolloutStartedAt: timestamp(facts.now) };
  }
  return duration && !isOver(duration) ? withPauses(duration, facts, wasPaused) : duration;
}

/** Whether the update has ended. */
export function isOver(duration: DurationStatus | undefined): boolean {
  return duration?.rolloutStartedAt !== undefined && duration.finishedAt !== undefined;
}

/** An update in the midst of which something else was asked for: the way back is part of it, another revision ends it. */
function replaced(duration: DurationStatus, { rollback, now }: DurationFacts): DurationStatus {
  if (rollback === 'none') return ended(duration, 'Superseded', now);
  return { ...duration, completionStatus: rollback === 'fast' ? 'FastRolledBack' : 'RolledBack' };
}

function ended(duration: DurationStatus, completionStatus: CompletionStatus, now: number): DurationStatus {
  return { ...pauseEnded(duration, now), finishedAt: timestamp(now), completionStatus };
}

function pauseEnded(duration: DurationStatus, now: number): DurationStatus {
  const { manualPauseStartedAt, ...rest } = duration;
  if (manualPauseStartedAt === undefined) return duration;
  const seconds = Math.trunc((now - Date.parse(manualPauseStartedAt)) / 1000);
  return { ...rest, totalManualPauseDurationSeconds: (rest.totalManualPauseDurationSeconds ?? 0) + seconds };
}

function withPauses(
  duration: DurationStatus,
  { rollout, status, now }: DurationFacts,
  wasPaused: boolean,
): DurationStatus {
  const isPaused =
    Boolean(rollout.spec.paused) || (status.pauseConditions ?? []).some(({ reason }) => isManualPause(rollout, reason));
  if (wasPaused && !isPaused) return pauseEnded(duration, now);
  if (!wasPaused && isPaused && duration.manualPauseStartedAt === undefined)
    return { ...duration, manualPauseStartedAt: timestamp(now) };
  return duration;
}
