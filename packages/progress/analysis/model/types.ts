import type { Diagnosis } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';

/** A number, or a text of digits that an argument may have made. */
export type IntOrString = number | string;

export type AnalysisPhase = 'Pending' | 'Running' | 'Successful' | 'Failed' | 'Error' | 'Inconclusive';

export interface AnalysisTemplateRef {
  templateName: string;
  /** The template is a ClusterAnalysisTemplate. */
  clusterScope?: boolean;
}

export interface Argument {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef?: { name: string; key: string }; fieldRef?: { fieldPath: string } };
}

/** An argument as Rollouts and Experiments give it. */
export interface AnalysisRunArgument {
  name: string;
  value?: string;
  valueFrom?: { podTemplateHashValue?: 'Stable' | 'Latest'; fieldRef?: { fieldPath: string } };
}

/** The name is an unanchored regular expression over names of metrics. */
export interface DryRun {
  metricName: string;
}

/** The name is an unanchored regular expression over names of metrics. */
export interface MeasurementRetention {
  metricName: string;
  limit: number;
}

export interface TtlStrategy {
  secondsAfterCompletion?: number;
  secondsAfterFailure?: number;
  secondsAfterSuccess?: number;
}

export interface Metric {
  name: string;
  /** Go duration between measurements; absent: one measurement. */
  interval?: string;
  initialDelay?: string;
  count?: IntOrString;
  successCondition?: string;
  failureCondition?: string;
  /** 0 if absent; -1 switches it off. */
  failureLimit?: IntOrString;
  /** 0 if absent. */
  inconclusiveLimit?: IntOrString;
  /** 4 if absent. */
  consecutiveErrorLimit?: IntOrString;
  /** 0 (off) if absent. */
  consecutiveSuccessLimit?: IntOrString;
  provider: MetricProvider;
}

export interface MetricProvider {
  prometheus?: PrometheusMetric;
  kayenta?: KayentaMetric;
  web?: WebMetric;
  datadog?: DatadogMetric;
  wavefront?: { address?: string; query?: string };
  newRelic?: { profile?: string; query: string; timeout?: number };
  job?: { metadata?: KubeObject['metadata']; spec: Record<string, unknown> };
  cloudWatch?: CloudWatchMetric;
  graphite?: { address?: string; query?: string };
  influxdb?: { profile?: string; query?: string };
  skywalking?: { address?: string; query?: string; interval?: string };
  /** Configuration by the name of a metric plugin; exactly one. */
  plugin?: Record<string, unknown>;
}

export interface Header {
  key: string;
  value: string;
}

export interface Authentication {
  sigv4?: { region?: string; profile?: string; roleArn?: string };
  oauth2?: { tokenUrl?: string; clientId?: string; clientSecret?: string; scopes?: string[] };
  basicAuth?: { username?: string; password?: string };
}

export interface PrometheusMetric {
  address?: string;
  query?: string;
  authentication?: Authentication;
  /** Seconds. */
  timeout?: number;
  insecure?: boolean;
  headers?: Header[];
  /** `start` and `end` are expressions such as `now() - duration("1h")`. */
  rangeQuery?: { start?: string; end?: string; step?: string };
}

export interface WebMetric {
  method?: 'GET' | 'POST' | 'PUT' | '';
  url: string;
  headers?: Header[];
  body?: string;
  timeoutSeconds?: number;
  jsonPath?: string;
  insecure?: boolean;
  jsonBody?: unknown;
  authentication?: Authentication;
}

export interface DatadogMetric {
  interval?: string;
  query?: string;
  queries?: Record<string, string>;
  formula?: string;
  apiVersion?: string;
  aggregator?: string;
  secretRef?: { name?: string; namespaced?: boolean };
  requestTimeout?: string;
}

export interface CloudWatchMetric {
  interval?: string;
  metricDataQueries: CloudWatchMetricDataQuery[];
}

export interface CloudWatchMetricDataQuery {
  id?: string;
  expression?: string;
  label?: string;
  metricStat?: {
    metric?: { dimensions?: { name?: string; value?: string }[]; metricName?: string; namespace?: string };
    period?: IntOrString;
    stat?: string;
    unit?: string;
  };
  period?: IntOrString;
  returnData?: boolean;
}

export interface KayentaMetric {
  address: string;
  application: string;
  canaryConfigName: string;
  metricsAccountName: string;
  configurationAccountName: string;
  storageAccountName: string;
  threshold: { pass: number; marginal: number };
  scopes: { name: string; controlScope: KayentaScope; experimentScope: KayentaScope }[];
  lookback?: boolean;
}

export interface KayentaScope {
  scope: string;
  region: string;
  step: number;
  start?: string;
  end?: string;
}

export interface AnalysisTemplateSpec {
  metrics?: Metric[];
  args?: Argument[];
  dryRun?: DryRun[];
  measurementRetention?: MeasurementRetention[];
  templates?: AnalysisTemplateRef[];
}

/** An AnalysisTemplate or a ClusterAnalysisTemplate. */
export interface AnalysisTemplate extends KubeObject {
  spec: AnalysisTemplateSpec;
}

export interface AnalysisRunSpec {
  metrics: Metric[];
  args?: Argument[];
  terminate?: boolean;
  dryRun?: DryRun[];
  measurementRetention?: MeasurementRetention[];
  ttlStrategy?: TtlStrategy;
}

export interface RunSummary {
  count?: number;
  successful?: number;
  failed?: number;
  inconclusive?: number;
  error?: number;
}

export interface Measurement {
  phase: AnalysisPhase;
  message?: string;
  startedAt?: string;
  finishedAt?: string;
  value?: string;
  metadata?: Record<string, string>;
  resumeAt?: string;
}

export interface MetricResult {
  name: string;
  phase: AnalysisPhase;
  measurements?: Measurement[];
  message?: string;
  count?: number;
  successful?: number;
  failed?: number;
  inconclusive?: number;
  error?: number;
  consecutiveError?: number;
  consecutiveSuccess?: number;
  dryRun?: boolean;
  metadata?: Record<string, string>;
}

export interface AnalysisRunStatus {
  /** Absent (or empty) before the first reconciliation. */
  phase: AnalysisPhase | '';
  message?: string;
  metricResults?: MetricResult[];
  startedAt?: string;
  runSummary?: RunSummary;
  dryRunSummary?: RunSummary;
  completedAt?: string;
  /** What kept it from being successful. */
  diagnoses?: Diagnosis[];
}

export interface AnalysisRun extends KubeObject {
  spec: AnalysisRunSpec;
  status?: AnalysisRunStatus;
}
