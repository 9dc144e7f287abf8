import type { Rollout } from '@tiphys/api';
import { timestamp } from '@tiphys/kubernetes';

export const rolloutActions = ['promote', 'abort', 'retry', 'restart'] as const;
export type RolloutAction = (typeof rolloutActions)[number];

/** Merge patches, in this order: of the object, then of its status. */
export interface RolloutPatches {
  readonly object?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

export interface ActionRequest {
  readonly action: RolloutAction;
  /** Of a promotion: past all steps, pauses and analyses. */
  readonly full: boolean;
  /** Milliseconds. */
  readonly now: number;
}

/** What the `kubectl argo rollouts` plugin writes for the same verb; empty if there is nothing to be done. */
export function patchesOf(rollout: Rollout, { action, full, now }: ActionRequest): RolloutPatches {
  if (action === 'abort') return { status: { status: { abort: true } } };
  if (action === 'retry') return { status: { status: { abort: false } } };
  if (action === 'restart') return { object: { spec: { restartAt: timestamp(now) } } };
  return full ? promoteFully(rollout) : promote(rollout);
}

function promoteFully({ status = {} }: Rollout): RolloutPatches {
  return status.currentPodHash === status.stableRS ? {} : { status: { status: { promoteFull: true } } };
}

function promote(rollout: Rollout): RolloutPatches {
  const status = statusOfPromotion(rollout);
  return {
    ...(rollout.spec.paused ? { object: { spec: { paused: false } } } : {}),
    ...(status ? { status: { status } } : {}),
  };
}

/** A pause is ended; without one the step at hand, such as an analysis, is skipped; an inconclusive one needs both. */
function statusOfPromotion({ spec, status = {} }: Rollout): Readonly<Record<string, unknown>> | undefined {
  const held = status.pauseConditions ?? [];
  const steps = spec.strategy.canary?.steps ?? [];
  const next = Math.min((status.currentStepIndex ?? 0) + 1, steps.length);
  const isInconclusive = status.canary?.currentStepAnalysisRunStatus?.status === 'Inconclusive';
  if (isInconclusive && held.length > 0 && status.controllerPause && steps.length > 0)
    return { pauseConditions: null, controllerPause: false, currentStepIndex: next };
  if (held.length > 0) return { pauseConditions: null };
  return steps.length > 0 ? { pauseConditions: null, currentStepIndex: next } : undefined;
}
