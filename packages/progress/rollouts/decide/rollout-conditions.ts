import type { Rollout, RolloutCondition, RolloutStatus } from '@tiphys/api';
import {
  available,
  isSaturated,
  ofHash,
  type ReplicaSet,
  type ReplicaSets,
  totalAvailable,
  wanted,
} from '../objects/replica-set.ts';
import { replicasOf } from '../objects/rollout.ts';
import {
  conditionOf,
  isCompleted,
  isHealthy,
  isProgressing,
  isTimedOut,
  reasons,
  removeCondition,
  replaceCondition,
  setCondition,
} from './conditions.ts';

export interface ConditionFacts {
  /** As it was read. */
  readonly rollout: Rollout;
  /** What is about to be written; its conditions are changed. */
  readonly status: RolloutStatus;
  readonly now: number;
  readonly sets: ReplicaSets;
  readonly revision: number;
  readonly isAborted: boolean;
  readonly abortMessage: string;
  /** False while something takes its time that has no deadline. */
  readonly mayTimeOut: boolean;
}

interface Told {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Sets the conditions that follow from the new status; gives what is to be told of them. */
export function decideConditions(facts: ConditionFacts): Told[] {
  const { status, now, isAborted } = facts;
  const becameUnhealthy = decideHealthy(facts);
  const told: Told[] = [];
  if (isAborted) told.push(...decideAborted(facts));
  else decideProgressing(facts, becameUnhealthy);
  decideAvailable(facts);
  const failureCondition = replicaFailure(facts.sets);
  if (failureCondition) setCondition(status, failureCondition, now);
  else removeCondition(status, 'ReplicaFailure');
  told.push(...decideCompleted(facts));
  return told;
}

/** Tells whether a healthy Rollout stopped being so. */
function decideHealthy({ rollout, status, now }: ConditionFacts): boolean {
  const isPaused = (status.pauseConditions ?? []).length > 0 || rollout.spec.paused;
  const healthy = { type: 'Healthy', reason: reasons.healthy } as const;
  if (!isPaused && isHealthy(rollout, status)) {
    setCondition(status, { ...healthy, status: 'True', message: 'Rollout is healthy' }, now);
    return false;
  }
  if (!conditionOf(rollout.status, 'Healthy')) return false;
  return setCondition(status, { ...healthy, status: 'False', message: 'Rollout is not healthy' }, now);
}

function decideAborted({ status, now, revision, abortMessage }: ConditionFacts): Told[] {
  const text = `Rollout aborted update to revision ${revision}`;
  const message = abortMessage ? `${text}: ${abortMessage}` : text;
  const condition = { type: 'Progressing', status: 'False', reason: reasons.aborted, message } as const;
  return setCondition(status, condition, now) ? [{ type: 'Warning', reason: reasons.aborted, message }] : [];
}

function decideProgressing(facts: ConditionFacts, becameUnhealthy: boolean): void {
  const { rollout, status, now, sets } = facts;
  const name = sets.desired?.metadata.name ?? '';
  if (isHealthy(rollout, status)) {
    const message = `ReplicaSet "${name}" has successfully progressed.`;
    setCondition(status, { type: 'Progressing', status: 'True', reason: reasons.newReplicaSetAvailable, message }, now);
    return;
  }
  if (isProgressing(rollout, status) || becameUnhealthy || hasRecovered(facts)) {
    const isLost = becameUnhealthy && isCompleted(status);
    const condition = {
      type: 'Progressing',
      status: 'True',
      reason: isLost ? reasons.replicaSetNotAvailable : reasons.replicaSetUpdated,
      message: isLost ? 'Rollout does not have minimum availability' : `ReplicaSet "${name}" is progressing.`,
    } as const;
    replaceCondition(status, condition, now);
    return;
  }
  if (!facts.mayTimeOut || !isTimedOut(rollout, status, now)) return;
  const message = `ReplicaSet "${name}" has timed out progressing.`;
  setCondition(status, { type: 'Progressing', status: 'False', reason: reasons.timedOut, message }, now);
}

/**
 * The deadline is about pods that do not come. Once all that are wanted are available it no longer stands, whatever else is waited
 * for: with upstream a blue-green Rollout could stay degraded until somebody restarted it.
 */
function hasRecovered({ status, sets: { desired } }: ConditionFacts): boolean {
  return (
    conditionOf(status, 'Progressing')?.reason === reasons.timedOut &&
    wanted(desired) > 0 &&
    available(desired) >= wanted(desired)
  );
}

function decideAvailable({ rollout, status, now, sets }: ConditionFacts): void {
  const replicas = replicasOf(rollout);
  const { blueGreen, canary } = rollout.spec.strategy;
  const isAvailable = blueGreen
    ? isSaturated(ofHash(sets.all, status.blueGreen?.activeSelector), replicas)
    : Boolean(canary) && totalAvailable(sets.all) >= replicas;
  setCondition(
    status,
    {
      type: 'Available',
      status: isAvailable ? 'True' : 'False',
      reason: reasons.available,
      message: isAvailable ? 'Rollout has minimum availability' : 'Rollout does not have minimum availability',
    },
    now,
  );
}

/** What a ReplicaSet says of pods that could not be made, the wanted revision's first. */
function replicaFailure({
  desired,
  all,
}: ReplicaSets): Omit<RolloutCondition, 'lastUpdateTime' | 'lastTransitionTime'> | undefined {
  const of = (set: ReplicaSet | undefined) => set?.status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
  const found = of(desired) ?? all.map(of).find((condition) => condition !== undefined);
  if (!found) return undefined;
  return { type: 'ReplicaFailure', status: found.status, reason: found.reason ?? '', message: found.message ?? '' };
}

function decideCompleted({ status, now, revision }: ConditionFacts): Told[] {
  const isThrough = isCompleted(status);
  const changed = setCondition(
    status,
    {
      type: 'Completed',
      status: isThrough ? 'True' : 'False',
      reason: reasons.completed,
      message: reasons.completed,
    },
    now,
  );
  if (isThrough || !changed) return [];
  const message = `Rollout not completed, started update to revision ${revision} (${status.currentPodHash})`;
  return [{ type: 'Normal', reason: reasons.notCompleted, message }];
}
