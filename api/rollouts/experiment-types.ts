import type { Diagnosis } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import type {
  AnalysisPhase,
  Argument,
  DryRun,
  DurationText,
  ExtraMetadata,
  LabelSelector,
  MeasurementRetention,
  PodTemplate,
  Time,
} from './shared-types.ts';

/** ReplicaSets that run beside a workload for a while, and analyses of them. */
export interface Experiment extends KubeObject {
  spec: ExperimentSpec;
  status?: ExperimentStatus;
}

export interface ExperimentSpec {
  templates: ExperimentTemplate[];
  /** From when all templates are available; absent: until the required analyses have ended. */
  duration?: DurationText;
  /** 600 if absent. */
  progressDeadlineSeconds?: number;
  terminate?: boolean;
  analyses?: ExperimentAnalysis[];
  /** 30 if absent. */
  scaleDownDelaySeconds?: number;
  dryRun?: DryRun[];
  measurementRetention?: MeasurementRetention[];
  analysisRunMetadata?: ExtraMetadata;
}

export interface ExperimentTemplate {
  name: string;
  /** 1 if absent. */
  replicas?: number;
  minReadySeconds?: number;
  selector?: LabelSelector;
  template: PodTemplate;
  /** Present: a Service is made for the pods; its name is the ReplicaSet's if it has none. */
  service?: { name?: string };
}

export interface ExperimentAnalysis {
  name: string;
  templateName: string;
  clusterScope?: boolean;
  args?: Argument[];
  requiredForCompletion?: boolean;
}

export interface ExperimentStatus {
  phase?: AnalysisPhase;
  message?: string;
  templateStatuses?: TemplateStatus[];
  availableAt?: Time;
  conditions?: ExperimentCondition[];
  analysisRuns?: ExperimentAnalysisRun[];
  diagnoses?: Diagnosis[];
}

export type TemplatePhase = 'Progressing' | 'Running' | 'Successful' | 'Failed' | 'Error';

export interface TemplateStatus {
  name: string;
  replicas: number;
  updatedReplicas: number;
  readyReplicas: number;
  availableReplicas: number;
  collisionCount?: number;
  status?: TemplatePhase;
  message?: string;
  lastTransitionTime?: Time;
  serviceName?: string;
  podTemplateHash?: string;
}

export interface ExperimentCondition {
  type: 'InvalidSpec' | 'Completed' | 'Progressing' | 'Running' | 'ReplicaFailure';
  status: 'True' | 'False' | 'Unknown';
  lastUpdateTime: Time;
  lastTransitionTime: Time;
  reason: string;
  message: string;
}

export interface ExperimentAnalysisRun {
  name: string;
  analysisRun: string;
  phase: AnalysisPhase;
  message?: string;
}
