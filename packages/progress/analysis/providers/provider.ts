import type { Client, Clock, KubeObject } from '@tiphys/kubernetes';
import type { PluginHost } from '@tiphys/step-plugins';
import type { AnalysisRun, Measurement, Metric } from '../model/types.ts';

/** What providers need of the controller. */
export interface ProviderContext {
  readonly run: AnalysisRun;
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Namespace of the control plane, where profiles' Secrets are. */
  readonly namespace: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly plugins: PluginHost;
  /** The Jobs and Pods of metrics, as informers have them. */
  readonly jobs: JobView;
  /** What is measured instead of asking any provider: for simulations. */
  readonly answers?: (metric: Metric) => Reading;
}

export interface JobView {
  job(namespace: string, name: string): KubeObject | undefined;
  jobsOf(runUid: string): KubeObject[];
  podsOf(job: KubeObject): KubeObject[];
}

/** What a query answered: the text for the status, and what conditions judge. */
export interface Reading {
  readonly value: string;
  /** Null for no data. */
  readonly result: unknown;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** A provider that answers at once. */
export interface QueryProvider {
  readonly kind: 'query';
  query(metric: Metric, context: ProviderContext): Promise<Reading>;
  /** What is reported with the metric's result. */
  metadata?(metric: Metric): Record<string, string>;
}

/** A provider whose measurements take their time and judge themselves. */
export interface TaskProvider {
  readonly kind: 'task';
  run(metric: Metric, context: ProviderContext): Promise<Measurement>;
  resume(metric: Metric, context: ProviderContext, measurement: Measurement): Promise<Measurement>;
  terminate(metric: Metric, context: ProviderContext, measurement: Measurement): Promise<Measurement>;
  /** Called when measurements beyond `limit` are dropped from the status. */
  garbageCollect?(metric: Metric, context: ProviderContext, limit: number): Promise<void>;
  metadata?(metric: Metric, context: ProviderContext): Promise<Record<string, string>>;
}

export type Provider = QueryProvider | TaskProvider;
