import type { Measurement, MetricResult } from '../model/types.ts';
import { isCompleted } from './phases.ts';

/** A metric's result with a measurement added, or with its last one replaced, and counted if it is complete. */
export function recordMeasurement(
  result: MetricResult,
  measurement: Measurement,
  options: { replacesLast: boolean },
): MetricResult {
  const earlier = result.measurements ?? [];
  const measurements = [...(options.replacesLast ? earlier.slice(0, -1) : earlier), measurement];
  const counted = isCompleted(measurement.phase) ? counters(result, measurement) : {};
  return { ...result, ...counted, measurements };
}

function counters(result: MetricResult, { phase }: Measurement): Partial<MetricResult> {
  const plus = (value: number | undefined) => (value ?? 0) + 1;
  switch (phase) {
    case 'Successful':
      return {
        successful: plus(result.successful),
        count: plus(result.count),
        consecutiveError: 0,
        consecutiveSuccess: plus(result.consecutiveSuccess),
      };
    case 'Failed':
      return { failed: plus(result.failed), count: plus(result.count), consecutiveError: 0, consecutiveSuccess: 0 };
    case 'Inconclusive':
      return {
        inconclusive: plus(result.inconclusive),
        count: plus(result.count),
        consecutiveError: 0,
        consecutiveSuccess: 0,
      };
    default:
      return {
        error: plus(result.error),
        consecutiveError: plus(result.consecutiveError),
        consecutiveSuccess: 0,
      };
  }
}
