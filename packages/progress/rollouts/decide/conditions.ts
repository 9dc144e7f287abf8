import type { Rollout, RolloutCondition, RolloutConditionType, RolloutStatus } from '@tiphys/api';
import { timestamp } from '@tiphys/controller';
import { progressDeadlineSeconds, replicasOf, stepsOf } from '../objects/rollout.ts';

/** Reasons of conditions and Events, as dashboards and health checks know them. */
export const reasons = {
  invalidSpec: 'InvalidSpec',
  available: 'AvailableReason',
  replicaSetUpdated: 'ReplicaSetUpdated',
  replicaSetCreateError: 'ReplicaSetCreateError',
  newReplicaSet: 'NewReplicaSetCreated',
  foundReplicaSet: 'FoundNewReplicaSet',
  newReplicaSetAvailable: 'NewReplicaSetAvailable',
  replicaSetNotAvailable: 'ReplicaSetNotAvailable',
  updated: 'RolloutUpdated',
  completed: 'RolloutCompleted',
  notCompleted: 'RolloutNotCompleted',
  healthy: 'RolloutHealthy',
  aborted: 'RolloutAborted',
  retry: 'RolloutRetry',
  paused: 'RolloutPaused',
  resumed: 'RolloutResumed',
  stepCompleted: 'RolloutStepCompleted',
  timedOut: 'ProgressDeadlineExceeded',
  scaling: 'ScalingReplicaSet',
} as const;

type ConditionStatus = RolloutCondition['status'];

export interface NewCondition {
  readonly type: RolloutConditionType;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
}

export function conditionOf(
  status: RolloutStatus | undefined,
  type: RolloutConditionType,
): RolloutCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** Sets a condition unless it says the same already; tells whether it changed. Its transition time stays with its status. */
export function setCondition(status: RolloutStatus, condition: NewCondition, now: number): boolean {
  const current = conditionOf(status, condition.type);
  if (current?.status === condition.status && current.reason === condition.reason) return false;
  replaceCondition(status, condition, now);
  return true;
}

/** Sets a condition with a new update time even if it says the same. */
export function replaceCondition(status: RolloutStatus, condition: NewCondition, now: number): void {
  const current = conditionOf(status, condition.type);
  const time = timestamp(now);
  removeCondition(status, condition.type);
  status.conditions = [
    ...(status.conditions ?? []),
    {
      type: condition.type,
      status: condition.status,
      lastUpdateTime: time,
      lastTransitionTime: current?.status === condition.status ? current.lastTransitionTime : time,
      reason: condition.reason,
      message: condition.message,
    },
  ];
}

export function removeCondition(status: RolloutStatus, type: RolloutConditionType): void {
  status.conditions = (status.conditions ?? []).filter((condition) => condition.type !== type);
}

/** Whether anything moved between the two states: the deadline starts anew then. */
export function isProgressing({ spec: { strategy }, status: before = {} }: Rollout, after: RolloutStatus): boolean {
  return (
    (strategy.blueGreen && hasSwitched(before, after)) ||
    (strategy.canary && hasStepped(before, after)) ||
    (after.updatedReplicas ?? 0) !== (before.updatedReplicas ?? 0) ||
    oldReplicas(after) < oldReplicas(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function hasSwitched({ blueGreen: before = {} }: RolloutStatus, { blueGreen: after = {} }: RolloutStatus): boolean {
  return (
    (before.activeSelector ?? '') !== (after.activeSelector ?? '') ||
    (before.previewSelector ?? '') !== (after.previewSelector ?? '')
  );
}

function hasStepped(before: RolloutStatus, after: RolloutStatus): boolean {
  const bothHaveSteps = before.currentStepIndex !== undefined && after.currentStepIndex !== undefined;
  return (
    (before.stableRS ?? '') !== (after.stableRS ?? '') ||
    (bothHaveSteps && before.currentStepIndex !== after.currentStepIndex) ||
    (before.currentStepHash ?? '') !== (after.currentStepHash ?? '')
  );
}

function oldReplicas({ replicas = 0, updatedReplicas = 0 }: RolloutStatus): number {
  return replicas - updatedReplicas;
}

/** Whether the strategy is through and every pod is available. */
export function isHealthy(rollout: Rollout, after: RolloutStatus): boolean {
  const replicas = replicasOf(rollout);
  return (
    (after.updatedReplicas ?? 0) === replicas &&
    (after.availableReplicas ?? 0) === replicas &&
    rollout.status?.observedGeneration === String(rollout.metadata.generation ?? 0) &&
    isStrategyThrough(rollout, after, replicas)
  );
}

function isStrategyThrough(rollout: Rollout, after: RolloutStatus, replicas: number): boolean {
  const { blueGreen, canary } = rollout.spec.strategy;
  const { currentPodHash = '', stableRS = '' } = after;
  if (canary) {
    const stepCount = stepsOf(rollout).length;
    const areStepsDone =
      stepCount === 0 || after.currentStepIndex === undefined || after.currentStepIndex === stepCount;
    return areStepsDone && stableRS !== '' && stableRS === currentPodHash && (after.replicas ?? 0) === replicas;
  }
  if (!blueGreen) return true;
  const { activeSelector = '', previewSelector = '' } = after.blueGreen ?? {};
  return activeSelector === currentPodHash && (!blueGreen.previewService || previewSelector === currentPodHash);
}

/** Whether the revision that is wanted is the stable one. */
export function isCompleted({ stableRS = '', currentPodHash = '' }: RolloutStatus): boolean {
  return stableRS !== '' && stableRS === currentPodHash;
}

/** Whether the deadline has passed since something last moved. Neither pauses nor aborts have a deadline. */
export function isTimedOut(rollout: Rollout, status: RolloutStatus, now: number): boolean {
  const condition = conditionOf(status, 'Progressing');
  if (!condition || condition.reason === reasons.aborted || condition.reason === reasons.paused) return false;
  if (condition.reason === reasons.timedOut) return true;
  return Date.parse(condition.lastUpdateTime) + progressDeadlineSeconds(rollout) * 1000 < now;
}
