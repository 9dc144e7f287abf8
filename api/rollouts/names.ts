/** Names of Argo Rollouts that existing installations, its kubectl plugin and dashboards depend on. */

export const apiVersion = 'argoproj.io/v1alpha1';

export const labels = {
  /** Of ReplicaSets, their pods and AnalysisRuns; also in the selectors of Services. */
  podTemplateHash: 'rollouts-pod-template-hash',
  instanceId: 'argo-rollouts.argoproj.io/controller-instance-id',
  /** Of AnalysisRuns: `Step`, `Background`, `PrePromotion` or `PostPromotion`. */
  rolloutType: 'rollout-type',
  stepIndex: 'step-index',
} as const;

export const annotations = {
  revision: 'rollout.argoproj.io/revision',
  revisionHistory: 'rollout.argoproj.io/revision-history',
  desiredReplicas: 'rollout.argoproj.io/desired-replicas',
  workloadGeneration: 'rollout.argoproj.io/workload-generation',
  ephemeralMetadata: 'rollout.argoproj.io/ephemeral-metadata',
  scaleDownDeadline: 'scale-down-deadline',
  restartedAfter: 'argo-rollouts.argoproj.io/restarted-after',
  managedByRollouts: 'argo-rollouts.argoproj.io/managed-by-rollouts',
  experimentName: 'experiment.argoproj.io/name',
  experimentTemplateName: 'experiment.argoproj.io/template-name',
  notificationEngine: 'rollout.argoproj.io/notification-engine',
} as const;

/** ConfigMap of the controller: plugins. */
export const configMap = 'argo-rollouts-config';
