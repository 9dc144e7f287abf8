/** Made of the recorded OpenAPI by `npm run generate`: io.k8s.api.policy.v1 as JSON has it. */

import type * as metaV1 from './meta-v1.ts';

export interface Eviction {
  apiVersion?: string;
  deleteOptions?: metaV1.DeleteOptions;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
}

export interface PodDisruptionBudget {
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  spec?: PodDisruptionBudgetSpec;
  status?: PodDisruptionBudgetStatus;
}

export interface PodDisruptionBudgetList {
  apiVersion?: string;
  items?: PodDisruptionBudget[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface PodDisruptionBudgetSpec {
  maxUnavailable?: number | string;
  minAvailable?: number | string;
  selector?: metaV1.LabelSelector;
  unhealthyPodEvictionPolicy?: string;
}

export interface PodDisruptionBudgetStatus {
  conditions?: metaV1.Condition[];
  currentHealthy?: number;
  desiredHealthy?: number;
  disruptedPods?: Record<string, string>;
  disruptionsAllowed?: number;
  expectedPods?: number;
  observedGeneration?: number;
}
