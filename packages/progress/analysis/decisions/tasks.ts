import type { AnalysisRun, Measurement, Metric } from '../model/types.ts';
import { requireDuration } from './duration.ts';
import { effectiveCount } from './limits.ts';
import { isCompleted, isTerminating, lastMeasurement, resultOf } from './phases.ts';

/** How long after an error a measurement is taken again, in milliseconds. */
const errorRetry = 10_000;

/** A measurement to take, or one that is under way to resume or terminate. The index is the metric's in the spec. */
export interface MeasurementTask {
  readonly index: number;
  readonly metric: string;
  readonly unfinished?: Measurement;
}

/**
 * What to measure now. A terminating run takes no further measurement but ends those under way. `metrics` have their
 * arguments resolved; `now` is in milliseconds since the epoch. `isReady` tells of a measurement under way that its outcome is known
 * before the time at which it wanted to be looked at.
 */
export function measurementTasks(
  run: AnalysisRun,
  metrics: readonly Metric[],
  now: number,
  isReady: (measurement: Measurement) => boolean = () => false,
): MeasurementTask[] {
  return metrics.flatMap((metric, index) => {
    const last = lastMeasurement(run, metric.name);
    const due = last && !last.finishedAt && isReady(last) ? now : dueTime(run, metric, now);
    if (due === undefined || due > now) return [];
    return [{ index, metric: metric.name, ...(last && !last.finishedAt ? { unfinished: last } : {}) }];
  });
}

/** When to look at the run again, in milliseconds since the epoch; undefined if only a change of it or of a Job can matter. */
export function nextMeasurement(run: AnalysisRun, metrics: readonly Metric[], now: number): number | undefined {
  const times = metrics
    .filter(({ name }) => !waitsForOthers(lastMeasurement(run, name)))
    .map((metric) => dueTime(run, metric, now))
    .filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** A measurement under way that does not say when to look again: anyone who takes it tells. */
function waitsForOthers(measurement: Measurement | undefined): boolean {
  return measurement !== undefined && !measurement.finishedAt && measurement.resumeAt === undefined;
}

/** When a metric is to be measured, resumed or terminated next; undefined: never as things are. */
function dueTime(run: AnalysisRun, metric: Metric, now: number): number | undefined {
  const result = resultOf(run, metric.name);
  if (isCompleted(result?.phase)) return undefined;
  const terminating = isTerminating(run);
  const last = result?.measurements?.at(-1);
  if (last && !last.finishedAt) {
    if (terminating) return now;
    return last.resumeAt === undefined ? now : Date.parse(last.resumeAt);
  }
  if (terminating) return undefined;
  if (!last) return firstTime(run, metric, now);
  const count = effectiveCount(metric);
  if (count !== undefined && (result?.count ?? 0) >= count) return undefined;
  const interval = last.phase !== 'Error' && metric.interval ? requireDuration(metric.interval) : errorRetry;
  return Date.parse(last.finishedAt as string) + interval;
}

function firstTime(run: AnalysisRun, { initialDelay }: Metric, now: number): number {
  if (!initialDelay) return now;
  // the delay counts from the status' start, which the first reconciliation writes
  const start = run.status?.startedAt === undefined ? now : Date.parse(run.status.startedAt);
  return start + requireDuration(initialDelay);
}
