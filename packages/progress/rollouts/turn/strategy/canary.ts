import type { RolloutStatus } from '@tiphys/api';
import { canaryCounts, isAtDesiredCounts, isProgressed } from '../../decide/canary-counts.ts';
import { reasons } from '../../decide/conditions.ts';
import { stepText } from '../../decide/phase.ts';
import { isWithinWindow } from '../../decide/rollback.ts';
import type { WorkloadDriver } from '../../driven/driver.ts';
import type { Pod } from '../../objects/kinds.ts';
import { available, hashOf, totalActual, totalAvailable, wanted } from '../../objects/replica-set.ts';
import { currentStep, haltReason, pauseCondition, pauseSeconds, replicasOf, stepsOf } from '../../objects/rollout.ts';
import { stepHash } from '../../template/hashes.ts';
import { isChanged } from '../changes.ts';
import { forgetOldRevisions } from '../history.ts';
import { syncEphemeralMetadata } from '../replicas/ephemeral.ts';
import { scaleCanary } from '../replicas/replica-sets.ts';
import { evict, restart } from '../replicas/restart.ts';
import { switchCanaryServices } from '../replicas/services.ts';
import { baseStatus, finish, formatSelector, promote, reset } from '../status/finish.ts';
import { awaitedMember } from '../together.ts';
import type { Turn } from '../turn.ts';
import { analyse } from './analysis.ts';
import { experiment } from './experiments.ts';
import { isPluginStepOver, runStepPlugins } from './step-plugins.ts';
import { route } from './traffic.ts';

/** One pass over a canary. */
export async function canary(turn: Turn): Promise<void> {
  if (isChanged(turn)) return writeStatus(turn);
  if ((await restart(turn)) > 0) return;
  if (!turn.driver) await manageObjects(turn);
  // not everything is served by the wanted revision yet: nothing may be scaled down or called done
  if (turn.found.endWeightUnverified) return;
  await experiment(turn);
  await analyse(turn);
  const behind = awaitedMember(turn);
  if (behind !== undefined) turn.found.memberAwaited = behind;
  if (turn.pauses.hasAdded) return writeStatus(turn);
  if (await (turn.driver ? drive(turn, turn.driver) : scaleCanary(turn))) return writeStatus(turn);
  if (pauseAtStep(turn)) return writeStatus(turn);
  await runStepPlugins(turn);
  return writeStatus(turn);
}

/** What a Rollout does to ReplicaSets, Services and routers before its pods are counted. */
async function manageObjects(turn: Turn): Promise<void> {
  await syncEphemeralMetadata(turn);
  await forgetOldRevisions(turn);
  await switchCanaryServices(turn);
  await route(turn);
}

/** Has the workload's own controller replace the pods that the step asks for. */
async function drive(turn: Turn, driver: WorkloadDriver): Promise<boolean> {
  if (haltReason(turn.rollout)) return false;
  const { now, rollout, context } = turn;
  const driving = {
    now,
    rollout,
    client: context.cluster.client,
    evict: (pod: Pod) => evict(turn, pod),
    event: turn.event.bind(turn),
    requeueIn: turn.requeueIn.bind(turn),
  };
  return driver.drive(driving, canaryCounts(rollout, turn.sets).canary);
}

/** Pauses at a pause step; true while it lasts. */
function pauseAtStep(turn: Turn): boolean {
  const { step } = currentStep(turn.rollout);
  if (turn.rollout.spec.paused || turn.status.promoteFull || !step?.pause) return false;
  const condition = pauseCondition(turn.rollout, 'CanaryPauseStep');
  if (!condition) {
    if (!turn.status.controllerPause) turn.pauses.add('CanaryPauseStep');
  } else if (step.pause.duration !== undefined)
    turn.requeueIn(Date.parse(condition.startTime) + pauseSeconds(step.pause) * 1000 - turn.now + 1);
  return true;
}

async function writeStatus(turn: Turn): Promise<void> {
  const { rollout, status: before } = turn;
  const steps = stepsOf(rollout);
  const status = canaryStatus(turn);
  const { step, index } = currentStep(rollout);
  if (isChanged(turn)) {
    reset(turn, status);
    if (steps.length > 0) skipSteps(turn, status);
    return finish(turn, status);
  }
  const inWindow = isWithinWindow(rollout, turn.sets);
  if (before.promoteFull || inWindow) {
    turn.pauses.clear();
    turn.pauses.removeAbort();
  }
  const isSkipped = (before.promoteFull || inWindow) && steps.length > 0;
  const reached = isSkipped ? steps.length : index;
  const reason = promotionReason(turn);
  if (reason !== undefined) {
    await promote(turn, status, reason);
    return finish(turn, status);
  }
  if (turn.pauses.isAborted) {
    if (steps.length > 0) status.currentStepIndex = status.stableRS === status.currentPodHash ? steps.length : 0;
    return finish(turn, status);
  }
  let next = reached;
  if (step && next !== undefined && !isSkipped && isStepOver(turn)) {
    next += 1;
    delete status.canary?.currentStepAnalysisRunStatus;
    turn.event('Normal', reasons.stepCompleted, `Rollout step ${next}/${steps.length} completed (${stepText(step)})`);
    turn.pauses.remove('CanaryPauseStep');
  }
  if (next !== undefined) status.currentStepIndex = next;
  return finish(turn, status);
}

function canaryStatus(turn: Turn): RolloutStatus {
  const { rollout, found, status: before } = turn;
  const { stablePingPong, stepPluginStatuses } = before.canary ?? {};
  const plugins = found.stepPlugins ?? stepPluginStatuses;
  return {
    ...baseStatus(turn),
    stableRS: before.stableRS ?? '',
    availableReplicas: totalAvailable(turn.sets.all),
    HPAReplicas: totalActual(turn.sets.all),
    selector: formatSelector(rollout.spec.selector),
    currentStepHash: stepHash(rollout.spec.strategy.canary?.steps),
    canary: {
      ...(found.weights ? { weights: found.weights } : {}),
      ...(stablePingPong ? { stablePingPong } : {}),
      ...(plugins && plugins.length > 0 ? { stepPluginStatuses: plugins } : {}),
      ...(found.stepRun ? { currentStepAnalysisRunStatus: found.stepRun } : {}),
      ...(found.backgroundRun ? { currentBackgroundAnalysisRunStatus: found.backgroundRun } : {}),
      ...(found.currentExperiment ? { currentExperiment: found.currentExperiment } : {}),
    },
  };
}

/** A way back to what is stable, or to pods that still run within the window, needs no steps. */
function skipSteps(turn: Turn, status: RolloutStatus): void {
  const isStable = turn.status.stableRS === hashOf(turn.desired);
  if (!isStable && !(isWithinWindow(turn.rollout, turn.sets) && wanted(turn.desired) > 0)) return;
  const text = isStable ? 'Rollback to stable ReplicaSets' : 'Rollback to active ReplicaSets within RollbackWindow';
  turn.event('Normal', 'SkipSteps', text);
  status.currentStepIndex = stepsOf(turn.rollout).length;
}

/** Why the wanted revision becomes the stable one now; undefined if it does not. */
function promotionReason(turn: Turn): string | undefined {
  const { rollout, desired } = turn;
  if (!turn.stable) return 'Initial deploy';
  if (turn.pauses.isAborted || isHeld(turn)) return undefined;
  const replicas = replicasOf(rollout);
  if (available(desired) < replicas && !isProgressed(rollout, desired, replicas)) return undefined;
  if (turn.status.promoteFull) return 'Full promotion requested';
  if (turn.isFastRollback) return isWithinWindow(rollout, turn.sets) ? 'Rollback within window' : 'Fast rollback';
  const count = stepsOf(rollout).length;
  const areDone = count === 0 || currentStep(rollout).index === count;
  return areDone ? `Completed all ${count} canary steps` : undefined;
}

/** Something outside of the pods is waited for. */
function isHeld({ found }: Turn): boolean {
  return found.endpointsAwaited !== undefined || found.memberAwaited !== undefined;
}

function isStepOver(turn: Turn): boolean {
  const { step, index } = currentStep(turn.rollout);
  if (!step || index === undefined || turn.rollout.spec.paused || isHeld(turn)) return false;
  if (step.pause) return turn.pauses.hasCompletedStep(turn.pass.clock.now());
  const { weights } = turn.found;
  if (step.setCanaryScale) return isAtDesiredCounts(turn.rollout, turn.sets, weights);
  if (step.setWeight !== undefined)
    return isAtDesiredCounts(turn.rollout, turn.sets, weights) && weights?.verified !== false;
  if (step.experiment) return turn.experiment?.status?.phase === 'Successful';
  if (step.analysis) return turn.runs.step?.status?.phase === 'Successful';
  return step.plugin ? isPluginStepOver(turn, index) : Boolean(step.setHeaderRoute ?? step.setMirrorRoute);
}
