import { diagnosisOf } from '@tiphys/diagnosis';
import { RE2JS } from 're2js';
import { invalidAnalysis } from '../model/diagnoses.ts';
import type { Metric } from '../model/types.ts';
import { requireDuration } from './duration.ts';
import { intValue, limitsOf } from './limits.ts';

/** Throws upstream's sentence about the first thing that is wrong with metrics whose arguments are resolved. */
export function validateMetrics(metrics: readonly Metric[]): void {
  if (metrics.length === 0) throw invalidAnalysis('no metrics specified');
  const seen = new Set<string>();
  for (const [index, metric] of metrics.entries()) {
    if (seen.has(metric.name)) throw invalidAnalysis(`metrics[${index}]: duplicate name '${metric.name}'`);
    seen.add(metric.name);
    const fault = metricFault(metric);
    if (fault !== undefined) throw invalidAnalysis(`metrics[${index}]: ${fault}`);
  }
}

/** Upstream's sentence about the first thing that is wrong with a metric whose arguments are resolved. */
export function metricFault(metric: Metric): string | undefined {
  return limitFault(metric) ?? countFault(metric) ?? timeFault(metric) ?? providerFault(metric);
}

function limitFault(metric: Metric): string | undefined {
  const { failure, inconclusive, consecutiveError, consecutiveSuccess } = limitsOf(metric);
  if (consecutiveSuccess < 0) return 'consecutiveSuccessLimit must be >= 0';
  if (failure < -1) return 'failureLimit must be >= 0, or -1 to be disabled';
  if (consecutiveSuccess === 0 && failure === -1)
    return 'failureLimit and consecutiveSuccessLimit cannot both be disabled';
  if (inconclusive < 0) return 'inconclusiveLimit must be >= 0';
  if (consecutiveError < 0) return 'consecutiveErrorLimit must be >= 0';
  return undefined;
}

function countFault(metric: Metric): string | undefined {
  const count = intValue(metric.count ?? 0);
  if (count <= 0) return undefined;
  const { failure, inconclusive, consecutiveSuccess } = limitsOf(metric);
  if (failure >= 0 && count < failure + consecutiveSuccess)
    return `count (${count}) must be >= failureLimit + consecutiveSuccessLimit (${failure} + ${consecutiveSuccess}) if both >= 0`;
  if (failure < 0 && count < consecutiveSuccess) return 'count must be >= consecutiveSuccessLimit';
  if (count < inconclusive) return 'count must be >= inconclusiveLimit';
  if (count > 1 && !metric.interval) return 'interval must be specified when count > 1';
  return undefined;
}

function timeFault({ interval, initialDelay }: Metric): string | undefined {
  return durationFault('invalid interval string', interval) ?? durationFault('invalid startDelay string', initialDelay);
}

function durationFault(what: string, text: string | undefined): string | undefined {
  if (!text) return undefined;
  try {
    requireDuration(text);
    return undefined;
  } catch (error) {
    return `${what}: ${diagnosisOf(error).message}`;
  }
}

function providerFault({ provider }: Metric): string | undefined {
  const { plugin = {}, ...builtin } = provider ?? {};
  const named = Object.values(builtin).filter((configuration) => configuration !== undefined && configuration !== null);
  const count = named.length + Object.keys(plugin).length;
  if (count === 0) return 'no provider specified';
  if (count > 1) return 'multiple providers specified';
  return undefined;
}

/**
 * Rules by the name of the metrics that they match; a later rule wins. Throws if a rule matches none. `list` is the field, for
 * the message.
 */
export function matchRules<T extends { metricName: string }>(
  list: 'dryRun' | 'measurementRetention',
  rules: readonly T[],
  metrics: readonly Metric[],
): Map<string, T> {
  const matched = new Map<string, T>();
  for (const [index, rule] of rules.entries()) {
    const matches = nameMatcher(rule.metricName);
    const names = metrics.map(({ name }) => name).filter(matches);
    if (names.length === 0) throw invalidAnalysis(`${list}[${index}]: Rule didn't match any metric name(s)`);
    for (const name of names) matched.set(name, rule);
  }
  return matched;
}

/** An expression that cannot be compiled matches nothing, as upstream has it. */
function nameMatcher(pattern: string): (name: string) => boolean {
  try {
    const compiled = RE2JS.compile(pattern);
    return (name) => compiled.matcher(name).find();
  } catch {
    return () => false;
  }
}
