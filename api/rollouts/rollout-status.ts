import type { Diagnosis } from '@tiphys/diagnosis';
import type { AnalysisPhase, DurationText, Time } from './shared-types.ts';

export type RolloutPhase = 'Healthy' | 'Degraded' | 'Progressing' | 'Paused';

export interface RolloutStatus {
  abort?: boolean;
  pauseConditions?: PauseCondition[];
  controllerPause?: boolean;
  abortedAt?: Time;
  currentPodHash?: string;
  currentStepHash?: string;
  replicas?: number;
  updatedReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  currentStepIndex?: number;
  collisionCount?: number;
  /** `metadata.generation` as text. */
  observedGeneration?: string;
  conditions?: RolloutCondition[];
  canary?: CanaryStatus;
  blueGreen?: BlueGreenStatus;
  HPAReplicas?: number;
  /** Label selector as text, for the scale subresource. */
  selector?: string;
  stableRS?: string;
  restartedAt?: Time;
  promoteFull?: boolean;
  phase?: RolloutPhase;
  message?: string;
  workloadObservedGeneration?: string;
  alb?: AlbStatus;
  albs?: AlbStatus[];
  duration?: DurationStatus;
  /** What is wrong, and what to do. Not part of upstream's schema. */
  diagnoses?: Diagnosis[];
}

export type PauseReason = 'InconclusiveAnalysisRun' | 'InconclusiveExperiment' | 'CanaryPauseStep' | 'BlueGreenPause';

export interface PauseCondition {
  reason: PauseReason;
  startTime: Time;
}

export type RolloutConditionType =
  | 'InvalidSpec'
  | 'Available'
  | 'Progressing'
  | 'ReplicaFailure'
  | 'Paused'
  | 'Completed'
  | 'Healthy';

export interface RolloutCondition {
  type: RolloutConditionType;
  status: 'True' | 'False' | 'Unknown';
  lastUpdateTime: Time;
  lastTransitionTime: Time;
  reason: string;
  message: string;
}

export interface BlueGreenStatus {
  previewSelector?: string;
  activeSelector?: string;
  scaleUpPreviewCheckPoint?: boolean;
  prePromotionAnalysisRunStatus?: AnalysisRunReference;
  postPromotionAnalysisRunStatus?: AnalysisRunReference;
}

export interface CanaryStatus {
  currentStepAnalysisRunStatus?: AnalysisRunReference;
  currentBackgroundAnalysisRunStatus?: AnalysisRunReference;
  currentExperiment?: string;
  weights?: TrafficWeights;
  stablePingPong?: 'ping' | 'pong';
  stepPluginStatuses?: StepPluginStatus[];
}

/** An AnalysisRun that a Rollout made, as it was last seen. */
export interface AnalysisRunReference {
  name: string;
  status: AnalysisPhase | '';
  message?: string;
}

export interface TrafficWeights {
  canary: WeightDestination;
  stable: WeightDestination;
  additional?: WeightDestination[];
  verified?: boolean;
}

export interface WeightDestination {
  weight: number;
  serviceName?: string;
  podTemplateHash?: string;
}

export type StepPluginPhase = 'Running' | 'Successful' | 'Failed' | 'Error';
export type StepPluginOperation = 'Run' | 'Terminate' | 'Abort';

export interface StepPluginStatus {
  index: number;
  name: string;
  operation: StepPluginOperation;
  phase?: StepPluginPhase;
  message?: string;
  startedAt?: Time;
  updatedAt?: Time;
  finishedAt?: Time;
  backoff?: DurationText;
  executions?: number;
  disabled?: boolean;
  /** What the plugin wants to have again at its next call. */
  status?: unknown;
}

export interface AlbStatus {
  loadBalancer?: AwsResource;
  canaryTargetGroup?: AwsResource;
  stableTargetGroup?: AwsResource;
  ingress?: string;
}

export interface AwsResource {
  name: string;
  arn: string;
  fullName: string;
}

export type CompletionStatus = 'Promoted' | 'FastPromoted' | 'Aborted' | 'Superseded' | 'RolledBack' | 'FastRolledBack';

export interface DurationStatus {
  rolloutStartedAt?: Time;
  manualPauseStartedAt?: Time;
  totalManualPauseDurationSeconds?: number;
  finishedAt?: Time;
  completionStatus?: CompletionStatus;
}
