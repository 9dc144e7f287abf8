import type { CanaryStep, Rollout, RolloutPhase, RolloutStatus } from '@tiphys/api';
import { isFullyPromoted, replicasOf } from '../objects/rollout.ts';
import { reasons } from './conditions.ts';

export interface Phase {
  readonly phase: RolloutPhase;
  readonly message: string;
}

const progressing = (message: string): Phase => ({ phase: 'Progressing', message });

/** The one word for a Rollout, with a sentence; `rollout.status` is the state that is spoken of. */
export function phaseOf(rollout: Rollout): Phase {
  return degraded(rollout) ?? paused(rollout) ?? unfinished(rollout) ?? { phase: 'Healthy', message: '' };
}

function degraded({ status }: Rollout): Phase | undefined {
  for (const { type, reason, message } of status?.conditions ?? []) {
    if (type === 'InvalidSpec') return { phase: 'Degraded', message: `${type}: ${message}` };
    if (reason === reasons.aborted || reason === reasons.timedOut)
      return { phase: 'Degraded', message: `${reason}: ${message}` };
  }
  return undefined;
}

function paused({ spec, status }: Rollout): Phase | undefined {
  if (spec.paused) return { phase: 'Paused', message: 'manually paused' };
  const [first] = status?.pauseConditions ?? [];
  return first && { phase: 'Paused', message: first.reason };
}

function unfinished(rollout: Rollout): Phase | undefined {
  const { spec, status = {} } = rollout;
  const isRestarted = spec.restartAt === undefined || isSameTime(spec.restartAt, status.restartedAt);
  if (!isRestarted) return progressing('rollout is restarting');
  const { updatedReplicas = 0, availableReplicas = 0 } = status;
  if (updatedReplicas < replicasOf(rollout)) return progressing('more replicas need to be updated');
  if (availableReplicas < updatedReplicas) return progressing('updated replicas are still becoming available');
  if (spec.strategy.blueGreen) return unfinishedBlueGreen(rollout, status);
  return spec.strategy.canary ? unfinishedCanary(rollout, status) : undefined;
}

function isSameTime(one: string, other: string | undefined): boolean {
  return other !== undefined && Date.parse(one) === Date.parse(other);
}

function isStable(rollout: Rollout): boolean {
  return (rollout.status?.stableRS ?? '') !== '' && isFullyPromoted(rollout);
}

function unfinishedBlueGreen(
  rollout: Rollout,
  { blueGreen = {}, currentPodHash = '' }: RolloutStatus,
): Phase | undefined {
  const { activeSelector = '', postPromotionAnalysisRunStatus: run } = blueGreen;
  if (activeSelector === '' || activeSelector !== currentPodHash) return progressing('active service cutover pending');
  if (isStable(rollout)) return undefined;
  const isAnalysed = ['Successful', 'Failed', 'Error', 'Inconclusive'].includes(run?.status ?? '');
  if (rollout.spec.strategy.blueGreen?.postPromotionAnalysis && !isAnalysed)
    return progressing('waiting for analysis to complete');
  return progressing('waiting for post-promotion verification to complete');
}

function unfinishedCanary(rollout: Rollout, { replicas = 0, updatedReplicas = 0 }: RolloutStatus): Phase | undefined {
  if (!rollout.spec.strategy.canary?.trafficRouting && replicas > updatedReplicas)
    return progressing('old replicas are pending termination');
  return isStable(rollout) ? undefined : progressing('waiting for all steps to complete');
}

/** A step for people, as Events tell it. */
export function stepText({ setWeight, pause, experiment, analysis, setCanaryScale, ...step }: CanaryStep): string {
  if (setWeight !== undefined) return `setWeight: ${setWeight}`;
  if (pause) return pause.duration === undefined ? 'pause' : `pause: ${pause.duration}`;
  if (experiment) return 'experiment';
  if (analysis) return 'analysis';
  if (setCanaryScale?.weight !== undefined) return `setCanaryScale{weight: ${setCanaryScale.weight}}`;
  if (setCanaryScale?.matchTrafficWeight) return 'setCanaryScale{matchTrafficWeight: true}';
  if (setCanaryScale?.replicas !== undefined) return `setCanaryScale{replicas: ${setCanaryScale.replicas}}`;
  if (step.plugin) return `plugin: ${step.plugin.name}`;
  if (step.setHeaderRoute) return `setHeaderRoute: ${step.setHeaderRoute.name ?? ''}`;
  if (step.setMirrorRoute) return `setMirrorRoute: ${step.setMirrorRoute.name}`;
  return 'invalid';
}
