import type { AnalysisRun } from '@tiphys/analysis';
import type { Experiment } from '@tiphys/api';
import { revisionOf } from './rollout-view.ts';

/** Measurements of a metric that are shown, the newest. */
const most = 200;

/** An AnalysisRun with its measurements; arguments and providers, which may name credentials, stay out. */
export function shownAnalysis(run: AnalysisRun) {
  const { metadata, spec, status } = run;
  const conditions = new Map((spec.metrics ?? []).map((metric) => [metric.name, metric]));
  return {
    name: metadata.name ?? '',
    revision: revisionOf(run),
    phase: status?.phase || 'Pending',
    message: status?.message ?? '',
    started: status?.startedAt ?? metadata.creationTimestamp ?? '',
    metrics: (status?.metricResults ?? []).map((result) => ({
      name: result.name,
      phase: result.phase,
      message: result.message ?? '',
      dryRun: result.dryRun === true,
      success: conditions.get(result.name)?.successCondition ?? '',
      failure: conditions.get(result.name)?.failureCondition ?? '',
      measurements: (result.measurements ?? [])
        .slice(-most)
        .map(({ phase, value, message, startedAt, finishedAt }) => ({
          phase,
          value: value ?? '',
          message: message ?? '',
          started: startedAt ?? '',
          finished: finishedAt ?? '',
        })),
    })),
  };
}

export function shownExperiment(experiment: Experiment) {
  const { metadata, status = {} } = experiment;
  return {
    name: metadata.name ?? '',
    revision: revisionOf(experiment),
    phase: status.phase ?? 'Pending',
    message: status.message ?? '',
    templates: (status.templateStatuses ?? []).map((template) => ({
      name: template.name,
      phase: template.status ?? 'Pending',
      pods: template.replicas,
      available: template.availableReplicas,
      message: template.message ?? '',
    })),
    runs: (status.analysisRuns ?? []).map(({ name, analysisRun, phase }) => ({ name, analysisRun, phase })),
  };
}
