import type { IntOrString, Metric } from '../model/types.ts';

/** The number of a field that may be a text; 0 for a text that is none. */
export function intValue(value: IntOrString): number {
  if (typeof value === 'number') return value;
  return /^[+-]?\d+$/.test(value) ? Number(value) : 0;
}

/** How many measurements a metric wants; undefined: until somebody ends it. */
export function effectiveCount({ count, interval }: Metric): number | undefined {
  const wanted = count === undefined ? 0 : intValue(count);
  if (wanted !== 0) return wanted;
  return interval ? undefined : 1;
}

/** The limits of a metric with upstream's defaults. */
export function limitsOf(metric: Metric): {
  failure: number;
  inconclusive: number;
  consecutiveError: number;
  consecutiveSuccess: number;
} {
  return {
    failure: intValue(metric.failureLimit ?? 0),
    inconclusive: intValue(metric.inconclusiveLimit ?? 0),
    consecutiveError: intValue(metric.consecutiveErrorLimit ?? 4),
    consecutiveSuccess: intValue(metric.consecutiveSuccessLimit ?? 0),
  };
}
