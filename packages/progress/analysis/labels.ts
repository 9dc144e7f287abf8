export const podHashLabel = 'rollouts-pod-template-hash';
const instanceIdLabel = 'argo-rollouts.argoproj.io/controller-instance-id';

/** Why a Rollout runs an analysis: the value of label `rollout-type`. */
export type AnalysisType = 'Step' | 'Background' | 'PrePromotion' | 'PostPromotion';

/** The labels of an AnalysisRun that a Rollout makes; the step's index for `Step` alone. */
export function analysisLabels(wanted: {
  type: AnalysisType;
  podHash: string;
  instanceId?: string;
  stepIndex?: number;
}): Record<string, string> {
  return {
    [podHashLabel]: wanted.podHash,
    'rollout-type': wanted.type,
    ...(wanted.stepIndex === undefined ? {} : { 'step-index': String(wanted.stepIndex) }),
    ...(wanted.instanceId ? { [instanceIdLabel]: wanted.instanceId } : {}),
  };
}
