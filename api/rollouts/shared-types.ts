/** What Rollout, Experiment and the Analysis kinds share. Field names, units and defaults are Argo Rollouts'. */

/** A time as Kubernetes writes it: RFC 3339 in UTC with whole seconds. */
export type Time = string;

/** A duration as Go writes it, such as `5m`. */
export type DurationText = string;

/** A number, or a percentage such as `25%`. */
export type IntOrString = number | string;

export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

/** Labels and annotations that are put on pods, or on AnalysisRuns. */
export interface ExtraMetadata {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

/** A pod template: the fields that are read here; whatever else it has is passed on. */
export interface PodTemplate {
  metadata?: ExtraMetadata & { [key: string]: unknown };
  spec?: PodSpec;
}

export interface PodSpec {
  affinity?: Record<string, unknown>;
  [key: string]: unknown;
}

export type AnalysisPhase = 'Pending' | 'Running' | 'Successful' | 'Failed' | 'Error' | 'Inconclusive';

/** The metric (a regular expression) is measured, and what it says changes nothing. */
export interface DryRun {
  metricName: string;
}

/** How many measurements of a metric are kept. */
export interface MeasurementRetention {
  metricName: string;
  limit: number;
}

export interface AnalysisTemplateRef {
  templateName: string;
  clusterScope?: boolean;
}

/** An argument of an AnalysisRun or a template, as analysis reads it. */
export interface Argument {
  name: string;
  value?: string;
  valueFrom?: {
    secretKeyRef?: { name: string; key: string };
    fieldRef?: { fieldPath: string };
  };
}
