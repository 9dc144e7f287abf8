import type {
  AnalysisPhase,
  AnalysisRun,
  AnalysisRunStatus,
  Metric,
  MetricResult,
  RunSummary,
} from '../model/types.ts';
import { effectiveCount, limitsOf } from './limits.ts';
import { isCompleted, isTerminating, isWorse } from './phases.ts';

/** A metric that reached its verdict, for a Kubernetes Event. */
export interface MetricVerdict {
  readonly metric: string;
  readonly phase: AnalysisPhase;
}

export interface Assessment {
  readonly status: AnalysisRunStatus;
  readonly phase: AnalysisPhase;
  readonly message: string;
  readonly verdicts: readonly MetricVerdict[];
}

interface Tally {
  worst: AnalysisPhase | undefined;
  message: string;
  complete: boolean;
  readonly run: RunSummary;
  readonly dryRun: RunSummary;
}

/**
 * Judges a run by what was measured: the phase of each metric, the summaries, and the worst phase once every metric is
 * complete or the run is terminating. Dry-run metrics have no say. The answered status has the run's old phase and message.
 */
export function assessRun(run: AnalysisRun, metrics: readonly Metric[], dryRun: ReadonlySet<string>): Assessment {
  const terminating = isTerminating(run);
  const tally: Tally = {
    worst: undefined,
    message: run.spec.terminate ? 'Run Terminated' : '',
    complete: true,
    run: {},
    dryRun: {},
  };
  const verdicts: MetricVerdict[] = [];
  const results = [...(run.status?.metricResults ?? [])];
  for (const metric of metrics) {
    const summary = dryRun.has(metric.name) ? tally.dryRun : tally.run;
    summary.count = (summary.count ?? 0) + 1;
    const at = results.findIndex(({ name }) => name === metric.name);
    const result = results[at];
    if (!result) {
      tally.complete = false;
      continue;
    }
    const phase = metricPhase(metric, result, terminating);
    const judged = result.phase === phase ? result : withPhase(result, phase);
    if (judged !== result && isCompleted(phase)) verdicts.push({ metric: metric.name, phase });
    results[at] = isCompleted(phase) ? tallied(tally, metric, judged, dryRun.has(metric.name)) : judged;
    if (!isCompleted(phase)) tally.complete = false;
  }
  const status: AnalysisRunStatus = {
    ...run.status,
    phase: run.status?.phase ?? '',
    metricResults: results,
    runSummary: tally.run,
    dryRunSummary: tally.dryRun,
  };
  return { status, verdicts, ...runPhase(tally, terminating) };
}

function withPhase(result: MetricResult, phase: AnalysisPhase): MetricResult {
  const { message: _, ...rest } = result;
  const message = result.measurements?.length ? result.measurements.at(-1)?.message : result.message;
  return { ...rest, phase, ...(message ? { message } : {}) };
}

function runPhase(tally: Tally, terminating: boolean): { phase: AnalysisPhase; message: string } {
  const message = tally.message.trim();
  if (terminating) return { phase: tally.worst ?? 'Successful', message };
  if (!tally.complete || tally.worst === undefined) return { phase: 'Running', message: '' };
  return { phase: tally.worst, message };
}

/** Counts a complete metric in; answers its result, which for a dry run tells what would have been. */
function tallied(tally: Tally, metric: Metric, result: MetricResult, isDryRun: boolean): MetricResult {
  const { phase } = result;
  const breach = breachedLimit(metric, result);
  const summary = isDryRun ? tally.dryRun : tally.run;
  const key = breach ? breach.counter : 'successful';
  summary[key] = (summary[key] ?? 0) + 1;
  if (isDryRun) {
    tally.worst ??= 'Successful';
    return breach ? { ...result, message: `Metric assessed ${phase} due to ${breach.message}` } : result;
  }
  if (tally.worst !== undefined && !isWorse(tally.worst, phase)) return result;
  tally.worst = phase;
  if (breach) {
    const detail = result.message ? `: "Error Message: ${result.message}"` : '';
    tally.message = `Metric "${metric.name}" assessed ${phase} due to ${breach.message}${detail}`;
  }
  return result;
}

function metricPhase(metric: Metric, result: MetricResult, terminating: boolean): AnalysisPhase {
  if (isCompleted(result.phase)) return result.phase;
  const last = result.measurements?.at(-1);
  if (!last) return terminating ? 'Successful' : 'Pending';
  if (!isCompleted(last.phase)) return 'Running';
  const breach = breachedLimit(metric, result);
  if (breach) return breach.phase;
  const { consecutiveSuccess, failure } = limitsOf(metric);
  if (consecutiveSuccess > 0 && (result.consecutiveSuccess ?? 0) >= consecutiveSuccess) return 'Successful';
  const count = effectiveCount(metric);
  if (count !== undefined && (result.count ?? 0) >= count) {
    if (consecutiveSuccess <= 0) return 'Successful';
    return failure >= 0 ? 'Inconclusive' : 'Failed';
  }
  return terminating ? 'Successful' : 'Running';
}

interface Breach {
  readonly phase: AnalysisPhase;
  readonly counter: 'failed' | 'inconclusive' | 'error';
  readonly message: string;
}

/** The limit that a metric went over; of several, errors tell most, then inconclusive measurements. */
function breachedLimit(metric: Metric, result: MetricResult): Breach | undefined {
  const { consecutiveError: errors = 0, inconclusive = 0, failed = 0 } = result;
  const limits = limitsOf(metric);
  if (errors > limits.consecutiveError)
    return {
      phase: 'Error',
      counter: 'error',
      message: `consecutiveErrors (${errors}) > consecutiveErrorLimit (${limits.consecutiveError})`,
    };
  if (inconclusive > limits.inconclusive)
    return {
      phase: 'Inconclusive',
      counter: 'inconclusive',
      message: `inconclusive (${inconclusive}) > inconclusiveLimit (${limits.inconclusive})`,
    };
  if (limits.failure >= 0 && failed > limits.failure)
    return { phase: 'Failed', counter: 'failed', message: `failed (${failed}) > failureLimit (${limits.failure})` };
  return undefined;
}
