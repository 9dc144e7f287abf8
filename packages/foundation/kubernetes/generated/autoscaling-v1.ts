/** Made of the recorded OpenAPI by `npm run generate`: io.k8s.api.autoscaling.v1 as JSON has it. */

import type * as metaV1 from './meta-v1.ts';

export interface CrossVersionObjectReference {
  apiVersion?: string;
  kind?: string;
  name?: string;
}

export interface HorizontalPodAutoscaler {
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  spec?: HorizontalPodAutoscalerSpec;
  status?: HorizontalPodAutoscalerStatus;
}

export interface HorizontalPodAutoscalerList {
  apiVersion?: string;
  items?: HorizontalPodAutoscaler[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface HorizontalPodAutoscalerSpec {
  maxReplicas?: number;
  minReplicas?: number;
  scaleTargetRef?: CrossVersionObjectReference;
  targetCPUUtilizationPercentage?: number;
}

export interface HorizontalPodAutoscalerStatus {
  currentCPUUtilizationPercentage?: number;
  currentReplicas?: number;
  desiredReplicas?: number;
  lastScaleTime?: string;
  observedGeneration?: number;
}

export interface Scale {
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  spec?: ScaleSpec;
  status?: ScaleStatus;
}

export interface ScaleSpec {
  replicas?: number;
}

export interface ScaleStatus {
  replicas?: number;
  selector?: string;
}
