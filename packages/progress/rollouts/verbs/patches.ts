import type { Rollout } from '@tiphys/api';
import { failure } from '@tiphys/diagnosis';
import { timestamp } from '@tiphys/kubernetes';
import { currentStep, stepsOf } from '../objects/rollout.ts';
import { notPromotable } from './refusals.ts';

/** One merge patch; without a subresource, of the object itself. */
export interface VerbPatch {
  readonly subresource?: 'status';
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Promotion {
  /** To the end at once, past analyses, pauses and steps. */
  readonly full?: boolean;
  readonly skipCurrentStep?: boolean;
  readonly skipAllSteps?: boolean;
}

const ofStatus = (status: Readonly<Record<string, unknown>>): VerbPatch => ({
  subresource: 'status',
  body: { status },
});
const ofSpec = (spec: Readonly<Record<string, unknown>>): VerbPatch => ({ body: { spec } });

export const abortPatch: VerbPatch = ofStatus({ abort: true });
export const retryRolloutPatch: VerbPatch = ofStatus({ abort: false });
/** Experiments have no status subresource. */
export const retryExperimentPatch: VerbPatch = { body: { status: null } };
export const pausePatch: VerbPatch = ofSpec({ paused: true });
export const terminatePatch: VerbPatch = ofSpec({ terminate: true });

/** Pods that are older than `at` (milliseconds since the epoch) are replaced; Kubernetes keeps whole seconds. */
export function restartPatch(at: number): VerbPatch {
  return ofSpec({ restartAt: timestamp(at) });
}

/** What promotes a Rollout, in the order in which it is sent: status first. Throws if steps are skipped that do not exist. */
export function promotionPatches(rollout: Rollout, promotion: Promotion = {}): VerbPatch[] {
  const { full, skipCurrentStep, skipAllSteps } = promotion;
  if (skipCurrentStep || skipAllSteps) {
    refuseSkipping(rollout, promotion);
    return [ofStatus({ currentStepIndex: skipAllSteps ? stepsOf(rollout).length : nextStep(rollout) })];
  }
  const unpause = rollout.spec.paused ? [ofSpec({ paused: false })] : [];
  if (!full) return [...onwards(rollout), ...unpause];
  const { currentPodHash = '', stableRS = '' } = rollout.status ?? {};
  return [...(currentPodHash === stableRS ? [] : [ofStatus({ promoteFull: true })]), ...unpause];
}

/** Ends the pause at hand; without one, the step at hand: never both, unless an analysis was inconclusive. */
function onwards(rollout: Rollout): VerbPatch[] {
  const { pauseConditions = [], controllerPause, canary } = rollout.status ?? {};
  const next = nextStep(rollout);
  const isPaused = pauseConditions.length > 0;
  const isInconclusive = canary?.currentStepAnalysisRunStatus?.status === 'Inconclusive';
  if (isPaused && controllerPause && isInconclusive && rollout.spec.strategy.canary)
    // otherwise a pause that follows would find its pause over, and nobody could end it
    return next === undefined
      ? []
      : [ofStatus({ pauseConditions: null, controllerPause: false, currentStepIndex: next })];
  if (isPaused) return [ofStatus({ pauseConditions: null })];
  return next === undefined ? [] : [ofStatus({ pauseConditions: null, currentStepIndex: next })];
}

/** The index after the step at hand; undefined without steps. */
function nextStep(rollout: Rollout): number | undefined {
  const { index } = currentStep(rollout);
  return index === undefined ? undefined : Math.max(index, Math.min(index + 1, stepsOf(rollout).length));
}

function refuseSkipping(rollout: Rollout, { skipCurrentStep, skipAllSteps }: Promotion): void {
  const name = rollout.metadata.name ?? '';
  const place = { object: `Rollout ${rollout.metadata.namespace ?? ''}/${name}`, field: 'spec.strategy' };
  const refuse = (message: string) => {
    throw failure(notPromotable, { message, place, remedies: [`promote ${name} without it, or with --full`] });
  };
  if (skipCurrentStep && skipAllSteps) refuse('The current step and all steps cannot be skipped at once');
  if (rollout.spec.strategy.blueGreen) refuse(`${name} is promoted blue-green: it has no steps to skip`);
  if (stepsOf(rollout).length === 0) refuse(`${name} has no steps to skip`);
}
