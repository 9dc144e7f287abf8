import type { AnalysisRun, MeasurementRetention, MetricResult } from '../model/types.ts';
import { isCompleted } from './phases.ts';

/** Measurements of a metric that are kept unless a rule says another number. */
const defaultLimit = 10;

/** A result with only its newest measurements, and how many of them are kept if any had to go. */
export function trimMeasurements(
  result: MetricResult,
  rule: MeasurementRetention | undefined,
): { result: MetricResult; trimmedTo: number | undefined } {
  const limit = rule && rule.limit > 0 ? rule.limit : defaultLimit;
  const measurements = result.measurements ?? [];
  if (measurements.length <= limit) return { result, trimmedTo: undefined };
  return { result: { ...result, measurements: measurements.slice(-limit) }, trimmedTo: limit };
}

/** When a complete run is to be deleted, in milliseconds since the epoch; undefined: never. */
export function expiryTime({ spec, status }: AnalysisRun): number | undefined {
  const ttl = spec.ttlStrategy;
  if (!ttl || !isCompleted(status?.phase) || status?.completedAt === undefined) return undefined;
  const byPhase =
    status.phase === 'Successful'
      ? ttl.secondsAfterSuccess
      : status.phase === 'Failed'
        ? ttl.secondsAfterFailure
        : undefined;
  const seconds = byPhase ?? ttl.secondsAfterCompletion;
  // upstream deletes once more than the whole seconds have passed
  return seconds === undefined ? undefined : Date.parse(status.completedAt) + (seconds + 1) * 1000;
}
