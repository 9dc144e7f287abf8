import type {
  AnalysisTemplateRef,
  DryRun,
  DurationText,
  ExtraMetadata,
  IntOrString,
  LabelSelector,
  MeasurementRetention,
  PodTemplate,
  Time,
} from './shared-types.ts';
import type { TrafficRouting } from './traffic-routing.ts';

export interface RolloutSpec {
  /** 1 if absent. */
  replicas?: number;
  /** Absent if it comes from `workloadRef`. */
  selector?: LabelSelector;
  /** Absent if it comes from `workloadRef`. */
  template?: PodTemplate;
  workloadRef?: WorkloadRef;
  minReadySeconds?: number;
  rollbackWindow?: { revisions?: number };
  strategy: { blueGreen?: BlueGreenStrategy; canary?: CanaryStrategy };
  /** 10 if absent. */
  revisionHistoryLimit?: number;
  paused?: boolean;
  /** 600 if absent. */
  progressDeadlineSeconds?: number;
  progressDeadlineAbort?: boolean;
  restartAt?: Time;
  analysis?: { successfulRunHistoryLimit?: number; unsuccessfulRunHistoryLimit?: number };
}

export type ScaleDown = 'never' | 'onsuccess' | 'progressively';

export interface WorkloadRef {
  apiVersion?: string;
  kind?: string;
  name?: string;
  scaleDown?: ScaleDown;
}

export interface AntiAffinity {
  preferredDuringSchedulingIgnoredDuringExecution?: { weight: number };
  requiredDuringSchedulingIgnoredDuringExecution?: Record<string, never>;
}

export interface BlueGreenStrategy {
  activeService: string;
  previewService?: string;
  previewReplicaCount?: number;
  /** True if absent. */
  autoPromotionEnabled?: boolean;
  autoPromotionSeconds?: number;
  maxUnavailable?: IntOrString;
  /** 30 if absent. */
  scaleDownDelaySeconds?: number;
  scaleDownDelayRevisionLimit?: number;
  prePromotionAnalysis?: RolloutAnalysis;
  postPromotionAnalysis?: RolloutAnalysis;
  antiAffinity?: AntiAffinity;
  previewMetadata?: ExtraMetadata;
  activeMetadata?: ExtraMetadata;
  /** 30 if absent; 0 keeps the pods. */
  abortScaleDownDelaySeconds?: number;
}

export interface CanaryStrategy {
  canaryService?: string;
  stableService?: string;
  steps?: CanaryStep[];
  trafficRouting?: TrafficRouting;
  /** 25% if absent. */
  maxUnavailable?: IntOrString;
  /** 25% if absent. */
  maxSurge?: IntOrString;
  analysis?: BackgroundAnalysis;
  antiAffinity?: AntiAffinity;
  canaryMetadata?: ExtraMetadata;
  stableMetadata?: ExtraMetadata;
  scaleDownDelaySeconds?: number;
  scaleDownDelayRevisionLimit?: number;
  abortScaleDownDelaySeconds?: number;
  dynamicStableScale?: boolean;
  pingPong?: { pingService: string; pongService: string };
  minPodsPerReplicaSet?: number;
  replicaProgressThreshold?: { type: 'Percent' | 'Pods'; value: number };
}

/** One step; exactly one of its fields is set. */
export interface CanaryStep {
  setWeight?: number;
  pause?: { duration?: IntOrString };
  experiment?: ExperimentStep;
  analysis?: RolloutAnalysis;
  setCanaryScale?: SetCanaryScale;
  setHeaderRoute?: SetHeaderRoute;
  setMirrorRoute?: SetMirrorRoute;
  plugin?: { name: string; config?: unknown };
}

export interface SetCanaryScale {
  weight?: number;
  replicas?: number;
  matchTrafficWeight?: boolean;
}

export interface StringMatch {
  exact?: string;
  prefix?: string;
  regex?: string;
}

export interface SetHeaderRoute {
  name?: string;
  match?: { headerName: string; headerValue?: StringMatch }[];
}

export interface RouteMatch {
  method?: StringMatch;
  path?: StringMatch;
  headers?: Record<string, StringMatch>;
}

export interface SetMirrorRoute {
  name: string;
  match?: RouteMatch[];
  /** 100 if absent. */
  percentage?: number;
}

export interface RolloutAnalysis {
  templates?: AnalysisTemplateRef[];
  args?: AnalysisRunArgument[];
  dryRun?: DryRun[];
  measurementRetention?: MeasurementRetention[];
  analysisRunMetadata?: ExtraMetadata;
}

export interface BackgroundAnalysis extends RolloutAnalysis {
  startingStep?: number;
}

/** An argument as a Rollout gives it. */
export interface AnalysisRunArgument {
  name: string;
  value?: string;
  valueFrom?: { podTemplateHashValue?: 'Stable' | 'Latest'; fieldRef?: { fieldPath: string } };
}

export interface ExperimentStep {
  templates: ExperimentStepTemplate[];
  duration?: DurationText;
  analyses?: ExperimentStepAnalysis[];
  dryRun?: DryRun[];
  analysisRunMetadata?: ExtraMetadata;
  scaleDownDelaySeconds?: number;
}

export interface ExperimentStepTemplate {
  name: string;
  specRef: 'canary' | 'stable';
  replicas?: number;
  metadata?: ExtraMetadata;
  selector?: LabelSelector;
  weight?: number;
  service?: { name?: string };
}

export interface ExperimentStepAnalysis {
  name: string;
  templateName: string;
  clusterScope?: boolean;
  args?: AnalysisRunArgument[];
  requiredForCompletion?: boolean;
}
