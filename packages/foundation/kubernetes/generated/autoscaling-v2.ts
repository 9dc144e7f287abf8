/** Made of the recorded OpenAPI by `npm run generate`: io.k8s.api.autoscaling.v2 as JSON has it. */

import type * as metaV1 from './meta-v1.ts';

export interface ContainerResourceMetricSource {
  container?: string;
  name?: string;
  target?: MetricTarget;
}

export interface ContainerResourceMetricStatus {
  container?: string;
  current?: MetricValueStatus;
  name?: string;
}

export interface CrossVersionObjectReference {
  apiVersion?: string;
  kind?: string;
  name?: string;
}

export interface ExternalMetricSource {
  metric?: MetricIdentifier;
  target?: MetricTarget;
}

export interface ExternalMetricStatus {
  current?: MetricValueStatus;
  metric?: MetricIdentifier;
}

export interface HPAScalingPolicy {
  periodSeconds?: number;
  type?: string;
  value?: number;
}

export interface HPAScalingRules {
  policies?: HPAScalingPolicy[];
  selectPolicy?: string;
  stabilizationWindowSeconds?: number;
  tolerance?: string;
}

export interface HorizontalPodAutoscaler {
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  spec?: HorizontalPodAutoscalerSpec;
  status?: HorizontalPodAutoscalerStatus;
}

export interface HorizontalPodAutoscalerBehavior {
  scaleDown?: HPAScalingRules;
  scaleUp?: HPAScalingRules;
}

export interface HorizontalPodAutoscalerCondition {
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status?: string;
  type?: string;
}

export interface HorizontalPodAutoscalerList {
  apiVersion?: string;
  items?: HorizontalPodAutoscaler[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface HorizontalPodAutoscalerSpec {
  behavior?: HorizontalPodAutoscalerBehavior;
  maxReplicas?: number;
  metrics?: MetricSpec[];
  minReplicas?: number;
  scaleTargetRef?: CrossVersionObjectReference;
}

export interface HorizontalPodAutoscalerStatus {
  conditions?: HorizontalPodAutoscalerCondition[];
  currentMetrics?: MetricStatus[];
  currentReplicas?: number;
  desiredReplicas?: number;
  lastScaleTime?: string;
  observedGeneration?: number;
}

export interface MetricIdentifier {
  name?: string;
  selector?: metaV1.LabelSelector;
}

export interface MetricSpec {
  containerResource?: ContainerResourceMetricSource;
  external?: ExternalMetricSource;
  object?: ObjectMetricSource;
  pods?: PodsMetricSource;
  resource?: ResourceMetricSource;
  type?: string;
}

export interface MetricStatus {
  containerResource?: ContainerResourceMetricStatus;
  external?: ExternalMetricStatus;
  object?: ObjectMetricStatus;
  pods?: PodsMetricStatus;
  resource?: ResourceMetricStatus;
  type?: string;
}

export interface MetricTarget {
  averageUtilization?: number;
  averageValue?: string;
  type?: string;
  value?: string;
}

export interface MetricValueStatus {
  averageUtilization?: number;
  averageValue?: string;
  value?: string;
}

export interface ObjectMetricSource {
  describedObject?: CrossVersionObjectReference;
  metric?: MetricIdentifier;
  target?: MetricTarget;
}

export interface ObjectMetricStatus {
  current?: MetricValueStatus;
  describedObject?: CrossVersionObjectReference;
  metric?: MetricIdentifier;
}

export interface PodsMetricSource {
  metric?: MetricIdentifier;
  target?: MetricTarget;
}

export interface PodsMetricStatus {
  current?: MetricValueStatus;
  metric?: MetricIdentifier;
}

export interface ResourceMetricSource {
  name?: string;
  target?: MetricTarget;
}

export interface ResourceMetricStatus {
  current?: MetricValueStatus;
  name?: string;
}
