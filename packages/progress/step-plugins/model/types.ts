import type { KubeObject } from '@tiphys/kubernetes';

export type StepPluginPhase = 'Running' | 'Successful' | 'Failed' | 'Error';

/** An answer of a step plugin. */
export interface StepPluginResult {
  /** Empty if the plugin says nothing: the phase stays as it is. */
  readonly phase: StepPluginPhase | '';
  readonly message: string;
  /** Milliseconds after which the plugin asks to be called again; 0: it does not say. */
  readonly requeueAfter: number;
  /** State of the plugin, kept in the Rollout's status and handed back with the next call. */
  readonly status: unknown;
}

/** What the controller hands a step plugin. */
export interface StepPluginContext {
  readonly pluginName: string;
  readonly status: unknown;
  readonly config: unknown;
}

export interface StepPlugin {
  /** False if the configuration disables it: the step is skipped. */
  readonly enabled: boolean;
  run(rollout: KubeObject, context: StepPluginContext): Promise<StepPluginResult>;
  terminate(rollout: KubeObject, context: StepPluginContext): Promise<StepPluginResult>;
  abort(rollout: KubeObject, context: StepPluginContext): Promise<StepPluginResult>;
  /** The plugin's own word. */
  type(): Promise<string>;
}

/** A traffic-router plugin, bound to nothing: each call is given the Rollout. */
export interface TrafficPlugin {
  updateHash(
    rollout: KubeObject,
    canaryHash: string,
    stableHash: string,
    additional: readonly unknown[],
  ): Promise<void>;
  setWeight(rollout: KubeObject, weight: number, additional: readonly unknown[]): Promise<void>;
  setHeaderRoute(rollout: KubeObject, route: unknown): Promise<void>;
  setMirrorRoute(rollout: KubeObject, route: unknown): Promise<void>;
  verifyWeight(rollout: KubeObject, weight: number, additional: readonly unknown[]): Promise<boolean | undefined>;
  removeManagedRoutes(rollout: KubeObject): Promise<void>;
  type(): Promise<string>;
}

/** A metric plugin. Measurements are those of an AnalysisRun's status. */
export interface MetricPlugin {
  run(analysisRun: KubeObject, metric: unknown): Promise<Record<string, unknown>>;
  resume(analysisRun: KubeObject, metric: unknown, measurement: unknown): Promise<Record<string, unknown>>;
  terminate(analysisRun: KubeObject, metric: unknown, measurement: unknown): Promise<Record<string, unknown>>;
  garbageCollect(analysisRun: KubeObject, metric: unknown, limit: number): Promise<void>;
  metadata(metric: unknown): Promise<Record<string, string>>;
  type(): Promise<string>;
}

/**
 * The plugins of `argo-rollouts-config`. A process is started at its first use and again after it died. Each method throws a
 * `DiagnosisError` for a plugin that is not configured.
 */
export interface PluginHost {
  step(name: string): Promise<StepPlugin>;
  traffic(name: string): Promise<TrafficPlugin>;
  metric(name: string): Promise<MetricPlugin>;
  /** Ends the processes. */
  close(): Promise<void>;
}
