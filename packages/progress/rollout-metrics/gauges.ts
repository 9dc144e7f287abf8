import { type AnalysisRun, type AnalysisTemplate, matchRules, resultOf } from '@tiphys/analysis';
import type { KubeObject } from '@tiphys/kubernetes';
import { Gauge, type Registry } from 'prom-client';
import { metricType, rolloutPhase, routerOf, strategyOf } from './facts.ts';

/** What the gauges show at a scrape. */
export interface ShownObjects {
  rollouts(): Iterable<KubeObject>;
  experiments(): Iterable<KubeObject>;
  analysisRuns(): Iterable<AnalysisRun>;
  /** Namespaced and cluster-wide. */
  templates(): Iterable<AnalysisTemplate>;
}

/** Puts the gauges of all objects into a registry. */
export function showGauges(registry: Registry, objects: ShownObjects): void {
  rolloutGauges(registry, objects);
  experimentGauges(registry, objects);
  analysisGauges(registry, objects);
  templateGauges(registry, objects);
}

const own = ['namespace', 'name'] as const;
const analysisPhases = ['Pending', 'Error', 'Failed', 'Successful', 'Running', 'Inconclusive'] as const;
const experimentPhases = ['Pending', 'Error', 'Successful', 'Running', 'Inconclusive'] as const;
const rolloutPhases = ['Completed', 'Progressing', 'Paused', 'Timeout', 'Error', 'Abort'] as const;

type Show = (values: Record<string, string>, value: number) => void;

/** A gauge that is filled at each scrape; what is not shown any more is gone. */
function gauge(
  registry: Registry,
  description: { name: string; help: string; labels?: readonly string[] },
  fill: (show: Show) => void,
): void {
  const made = new Gauge({
    name: description.name,
    help: description.help,
    labelNames: [...own, ...(description.labels ?? [])],
    registers: [registry],
    collect() {
      made.reset();
      fill((labels, value) => made.set(labels, value));
    },
  });
}

function nameOf({ metadata }: KubeObject): { namespace: string; name: string } {
  return { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}

interface ReplicaFigures {
  replicas?: number;
  availableReplicas?: number;
  updatedReplicas?: number;
}

function rolloutGauges(registry: Registry, { rollouts }: ShownObjects): void {
  const each = (show: (rollout: KubeObject) => void) => {
    for (const rollout of rollouts()) show(rollout);
  };
  gauge(
    registry,
    { name: 'rollout_info', help: 'Information about rollout.', labels: ['strategy', 'traffic_router', 'phase'] },
    (show) =>
      each((rollout) => {
        const [strategy, traffic_router] = [strategyOf(rollout), routerOf(rollout)];
        show({ ...nameOf(rollout), strategy, traffic_router, phase: rolloutPhase(rollout) }, 1);
      }),
  );
  const figures: Record<string, [string, (figures: ReplicaFigures, desired: number) => number]> = {
    available: ['available', ({ availableReplicas = 0 }) => availableReplicas],
    unavailable: ['unavailable', ({ replicas = 0, availableReplicas = 0 }) => replicas - availableReplicas],
    desired: ['desired', (_, desired) => desired],
    updated: ['updated', ({ updatedReplicas = 0 }) => updatedReplicas],
  };
  for (const [name, [word, figure]] of Object.entries(figures))
    gauge(
      registry,
      { name: `rollout_info_replicas_${name}`, help: `The number of ${word} replicas per rollout.` },
      (show) =>
        each((rollout) => {
          const { replicas = 1 } = (rollout.spec ?? {}) as { replicas?: number };
          show(nameOf(rollout), figure((rollout.status ?? {}) as ReplicaFigures, replicas));
        }),
    );
  gauge(
    registry,
    {
      name: 'rollout_phase',
      help: 'Information on the state of the rollout (DEPRECATED - use rollout_info)',
      labels: ['strategy', 'phase'],
    },
    (show) =>
      each((rollout) => {
        const current = rolloutPhase(rollout);
        for (const phase of rolloutPhases)
          show({ ...nameOf(rollout), strategy: strategyOf(rollout), phase }, current === phase ? 1 : 0);
      }),
  );
}

function phaseOf({ status }: KubeObject): string {
  return ((status ?? {}) as { phase?: string }).phase ?? '';
}

/** One series a phase, of which the current one is 1; no phase yet counts as Pending. */
function showPhases(phases: readonly string[], current: string, show: (phase: string, value: number) => void): void {
  for (const phase of phases) show(phase, (current || 'Pending') === phase ? 1 : 0);
}

function experimentGauges(registry: Registry, { experiments }: ShownObjects): void {
  const labels = ['phase'];
  gauge(registry, { name: 'experiment_info', help: 'Information about Experiment.', labels }, (show) => {
    for (const experiment of experiments()) show({ ...nameOf(experiment), phase: phaseOf(experiment) }, 1);
  });
  const help = 'Information on the state of the experiment (DEPRECATED - use experiment_info)';
  gauge(registry, { name: 'experiment_phase', help, labels }, (show) => {
    for (const experiment of experiments())
      showPhases(experimentPhases, phaseOf(experiment), (phase, value) =>
        show({ ...nameOf(experiment), phase }, value),
      );
  });
}

function analysisGauges(registry: Registry, { analysisRuns }: ShownObjects): void {
  const labels = ['phase'];
  gauge(registry, { name: 'analysis_run_info', help: 'Information about analysis run.', labels }, (show) => {
    for (const run of analysisRuns()) show({ ...nameOf(run), phase: phaseOf(run) }, 1);
  });
  const help = 'Information on the state of the Analysis Run (DEPRECATED - use analysis_run_info)';
  gauge(registry, { name: 'analysis_run_phase', help, labels }, (show) => {
    for (const run of analysisRuns())
      showPhases(analysisPhases, phaseOf(run), (phase, value) => show({ ...nameOf(run), phase }, value));
  });
  gauge(
    registry,
    {
      name: 'analysis_run_metric_type',
      help: 'Information on the type of a specific metric in the Analysis Runs',
      labels: ['metric', 'type'],
    },
    (show) => {
      for (const run of analysisRuns())
        for (const metric of run.spec.metrics)
          show({ ...nameOf(run), metric: metric.name, type: metricType(metric) }, 1);
    },
  );
  gauge(
    registry,
    {
      name: 'analysis_run_metric_phase',
      help: 'Information on the duration of a specific metric in the Analysis Run',
      labels: ['metric', 'type', 'dry_run', 'phase'],
    },
    (show) => {
      for (const run of analysisRuns()) showMetricPhases(run, show);
    },
  );
}

function showMetricPhases(run: AnalysisRun, show: Show): void {
  const dryRun = dryRunNames(run);
  for (const metric of run.spec.metrics) {
    const labels = {
      ...nameOf(run),
      metric: metric.name,
      type: metricType(metric),
      dry_run: String(dryRun.has(metric.name)),
    };
    showPhases(analysisPhases, resultOf(run, metric.name)?.phase ?? '', (phase, value) =>
      show({ ...labels, phase }, value),
    );
  }
}

function dryRunNames({ spec }: AnalysisRun): ReadonlySet<string> {
  try {
    return new Set(matchRules('dryRun', spec.dryRun ?? [], spec.metrics).keys());
  } catch {
    // a rule that matches nothing is the run's error, told in its status
    return new Set();
  }
}

function templateGauges(registry: Registry, { templates }: ShownObjects): void {
  gauge(registry, { name: 'analysis_template_info', help: 'Information about analysis templates.' }, (show) => {
    for (const template of templates()) show(nameOf(template), 1);
  });
  gauge(
    registry,
    {
      name: 'analysis_template_metric_info',
      help: 'Information on metrics in analysis templates.',
      labels: ['type', 'metric'],
    },
    (show) => {
      for (const template of templates())
        for (const metric of template.spec.metrics ?? [])
          show({ ...nameOf(template), type: metricType(metric), metric: metric.name }, 1);
    },
  );
}
