import type { AnalysisPhase, AnalysisRun, Measurement, MetricResult } from '../model/types.ts';

/** From best to worst. */
const order: readonly AnalysisPhase[] = ['Successful', 'Running', 'Pending', 'Inconclusive', 'Error', 'Failed'];

export function isCompleted(phase: AnalysisPhase | '' | undefined): boolean {
  return phase === 'Successful' || phase === 'Failed' || phase === 'Error' || phase === 'Inconclusive';
}

export function isWorse(current: AnalysisPhase, next: AnalysisPhase): boolean {
  return order.indexOf(next) > order.indexOf(current);
}

export function worstPhase(one: AnalysisPhase, other: AnalysisPhase): AnalysisPhase {
  return isWorse(one, other) ? other : one;
}

/** Whether a run ends: it was told to, or a metric that is not a dry run has failed, erred or been inconclusive. */
export function isTerminating(run: AnalysisRun): boolean {
  if (run.spec.terminate) return true;
  return (run.status?.metricResults ?? []).some(
    ({ dryRun, phase }) => !dryRun && isCompleted(phase) && phase !== 'Successful',
  );
}

export function resultOf(run: AnalysisRun, metric: string): MetricResult | undefined {
  return run.status?.metricResults?.find(({ name }) => name === metric);
}

/** The measurement that was started last. */
export function lastMeasurement(run: AnalysisRun, metric: string): Measurement | undefined {
  return resultOf(run, metric)?.measurements?.at(-1);
}
