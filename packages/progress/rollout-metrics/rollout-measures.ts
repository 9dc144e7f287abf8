import { type RequestRecord, requestFacts } from '@tiphys/kubernetes';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type ShownObjects, showGauges } from './gauges.ts';

/** The kinds whose passes are measured, by the prefix of their metrics. */
export type MeasuredKind = 'rollout' | 'analysis_run' | 'experiment';

/** `status.duration` of a Rollout. */
export interface RolloutDuration {
  readonly rolloutStartedAt?: string;
  readonly finishedAt?: string;
  readonly completionStatus?: string;
  readonly totalManualPauseDurationSeconds?: number;
}

const words: Readonly<Record<MeasuredKind, readonly [string, string]>> = {
  rollout: ['Rollout', 'rollout'],
  analysis_run: ['Analysis Run', 'analysis run'],
  experiment: ['Experiments', 'experiment'],
};
const passBuckets = [0.01, 0.15, 0.25, 0.5, 1];
const totalBuckets = [30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800];
const progressionBuckets = [30, 60, 120, 300, 600, 900, 1800, 3600];
const pauseBuckets = [0, 60, 300, 600, 1800, 3600, 7200, 14400, 28800];
/** Kinds with other names at each update: a line for each name would be kept for ever. */
const unnamed = new Set(['events', 'replicasets', 'pods', 'analysisruns', 'experiments', 'jobs']);
const own = ['namespace', 'name'] as const;

/** What the controllers of Rollouts measure, under Argo Rollouts' names. One for each registry. */
export class RolloutMeasures {
  readonly #passes = new Map<string, Histogram>();
  readonly #errors = new Map<string, Counter>();
  readonly #events: Counter;
  readonly #requests: Counter;
  readonly #durations: readonly [Histogram, Histogram, Histogram];

  constructor(registry: Registry, objects: ShownObjects, version: string) {
    const registers = [registry];
    showGauges(registry, objects);
    for (const [kind, [title, word]] of Object.entries(words)) {
      const labelNames = [...own];
      const help = `${title} reconciliation performance.`;
      this.#passes.set(
        kind,
        new Histogram({ name: `${kind}_reconcile`, help, labelNames, buckets: passBuckets, registers }),
      );
      const name = `${kind}_reconcile_error`;
      this.#errors.set(kind, new Counter({ name, help: `Error occurring during the ${word}`, labelNames, registers }));
    }
    this.#events = new Counter({
      name: 'rollout_events_total',
      help: 'Count of rollout events',
      labelNames: [...own, 'type', 'reason'],
      registers,
    });
    this.#requests = new Counter({
      name: 'controller_clientset_k8s_request_total',
      help: 'Number of kubernetes requests executed during application reconciliation.',
      labelNames: ['kind', 'namespace', 'name', 'verb', 'status_code'],
      registers,
    });
    const duration = (name: string, help: string, buckets: number[]) =>
      new Histogram({ name, help, labelNames: ['status'], buckets, registers });
    this.#durations = [
      duration('rollout_duration_seconds', 'Time of a rollout from its start to its end', totalBuckets),
      duration('rollout_progression_duration_seconds', 'The same without manual pauses', progressionBuckets),
      duration('rollout_manual_pause_duration_seconds', 'Time in manual pauses', pauseBuckets),
    ];
    new Gauge({
      name: 'argo_rollouts_controller_info',
      help: 'Running Argo-rollouts version',
      labelNames: ['version'],
      registers,
    }).set({ version }, 1);
    new Gauge({
      name: 'build_info',
      help: "A metric with a constant '1' value labeled by version from which Argo-Rollouts was built.",
      labelNames: ['version', 'goversion', 'goarch', 'commit'],
      registers,
    }).set({ version, goversion: '', goarch: process.arch, commit: '' }, 1);
  }

  /** A pass over an object. */
  passed(kind: MeasuredKind, object: { namespace: string; name: string }, milliseconds: number): void {
    this.#passes.get(kind)?.observe(object, milliseconds / 1000);
  }

  /** A pass that failed and is tried again. */
  failed(kind: MeasuredKind, object: { namespace: string; name: string }): void {
    this.#errors.get(kind)?.inc(object);
  }

  /** A Kubernetes Event about a Rollout, an Experiment or an AnalysisRun. */
  event(object: { namespace: string; name: string }, { type, reason }: { type: string; reason: string }): void {
    this.#events.inc({ ...object, type, reason });
  }

  /** A request to the Kubernetes API. */
  requested({ method, path, watch, status }: Pick<RequestRecord, 'method' | 'path' | 'watch' | 'status'>): void {
    const { verb, kind, namespace, name } = requestFacts(method, path, watch);
    const status_code = String(status);
    if (verb === 'Unknown' || !kind) {
      const none = 'Unknown';
      this.#requests.inc({ kind: none, namespace: none, name: none, verb: none, status_code });
    } else
      this.#requests.inc({
        kind,
        namespace,
        name: verb === 'List' || unnamed.has(kind) ? 'N/A' : name,
        verb,
        status_code,
      });
  }

  /** A rollout that came to its end; one that has not is not measured. */
  finished({
    rolloutStartedAt,
    finishedAt,
    completionStatus,
    totalManualPauseDurationSeconds = 0,
  }: RolloutDuration): void {
    if (!rolloutStartedAt || !finishedAt || !completionStatus) return;
    const total = (Date.parse(finishedAt) - Date.parse(rolloutStartedAt)) / 1000;
    const figures = [total, total - totalManualPauseDurationSeconds, totalManualPauseDurationSeconds];
    for (const [index, histogram] of this.#durations.entries())
      histogram.observe({ status: completionStatus }, figures[index] as number);
  }

  /** Drops what is counted of an object that is gone. */
  forget(kind: MeasuredKind, object: { namespace: string; name: string }): void {
    this.#passes.get(kind)?.remove(object);
    this.#errors.get(kind)?.remove(object);
  }
}
