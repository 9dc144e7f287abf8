import { timestamp } from '@tiphys/controller';
import { diagnosisOf } from '@tiphys/diagnosis';
import { isCompleted, isTerminating, resultOf } from '../decisions/phases.ts';
import { recordMeasurement } from '../decisions/record.ts';
import { resolveMetric } from '../decisions/resolve-metric.ts';
import type { MeasurementTask } from '../decisions/tasks.ts';
import { judge } from '../evaluation/condition.ts';
import { invalidAnalysis } from '../model/diagnoses.ts';
import type { Argument, Measurement, Metric, MetricResult } from '../model/types.ts';
import { providerOf } from '../providers/index.ts';
import type { Provider, ProviderContext, QueryProvider, TaskProvider } from '../providers/provider.ts';
import { readSecret } from '../providers/secrets.ts';
import { metadataWithoutSecrets, withoutSecrets } from './redact.ts';

/**
 * Takes, resumes or ends the measurements of a run, all at once, and answers the results of their metrics. What goes wrong with one
 * is its measurement's error; throws only if the arguments cannot be resolved.
 */
export async function takeMeasurements(
  tasks: readonly MeasurementTask[],
  context: ProviderContext,
  dryRun: ReadonlySet<string>,
): Promise<MetricResult[]> {
  const { args, secrets } = await readArguments(context);
  const metrics = tasks.map(({ index }) => resolveMetric(context.run.spec.metrics[index] as Metric, args));
  return Promise.all(
    tasks.map((task, at) => measureOne({ task, metric: metrics[at] as Metric, context, secrets, dryRun })),
  );
}

interface Work {
  readonly task: MeasurementTask;
  readonly metric: Metric;
  readonly context: ProviderContext;
  readonly secrets: readonly string[];
  readonly dryRun: ReadonlySet<string>;
}

async function measureOne({ task, metric, context, secrets, dryRun }: Work): Promise<MetricResult> {
  const started = timestamp(context.clock.now());
  const existing = resultOf(context.run, metric.name);
  const isNew = existing === undefined;
  let metadata: Record<string, string> = {};
  let measurement: Measurement;
  try {
    const { answers } = context;
    const provider: Provider = answers ? { kind: 'query', query: async () => answers(metric) } : providerOf(metric);
    if (isNew) metadata = await metadataOf(provider, metric, context);
    measurement = await taken(provider, metric, context, task.unfinished);
  } catch (error) {
    context.signal.throwIfAborted();
    const { message: _, ...unfinished } = task.unfinished ?? {};
    measurement = { startedAt: started, ...unfinished, phase: 'Error', message: diagnosisOf(error).message };
  }
  const finished =
    isCompleted(measurement.phase) && measurement.finishedAt === undefined
      ? { ...measurement, finishedAt: timestamp(context.clock.now()) }
      : measurement;
  const result = existing ?? newResult(metric.name, metadataWithoutSecrets(metadata, secrets), dryRun);
  const replacesLast = task.unfinished !== undefined;
  return recordMeasurement(result, withoutSecrets(finished, secrets), { replacesLast });
}

function newResult(name: string, metadata: Record<string, string>, dryRun: ReadonlySet<string>): MetricResult {
  return {
    name,
    phase: 'Running',
    ...(dryRun.has(name) ? { dryRun: true } : {}),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
}

async function metadataOf(
  provider: Provider,
  metric: Metric,
  context: ProviderContext,
): Promise<Record<string, string>> {
  return (await provider.metadata?.(metric, context)) ?? {};
}

function taken(
  provider: Provider,
  metric: Metric,
  context: ProviderContext,
  unfinished: Measurement | undefined,
): Promise<Measurement> {
  if (provider.kind === 'query') return asked(provider, metric, context);
  if (!unfinished) return provider.run(metric, context);
  if (!isTerminating(context.run)) return provider.resume(metric, context, unfinished);
  return ended(provider, metric, context, unfinished);
}

async function asked(provider: QueryProvider, metric: Metric, context: ProviderContext): Promise<Measurement> {
  const startedAt = timestamp(context.clock.now());
  const { value, result, metadata } = await provider.query(metric, context);
  const phase = judge(metric, result);
  return { phase, value, startedAt, ...(metadata && Object.keys(metadata).length > 0 ? { metadata } : {}) };
}

async function ended(
  provider: TaskProvider,
  metric: Metric,
  context: ProviderContext,
  unfinished: Measurement,
): Promise<Measurement> {
  const measurement = await provider.terminate(metric, context, unfinished);
  const { phase } = measurement;
  return phase === 'Successful' || phase === 'Inconclusive'
    ? { ...measurement, message: 'Metric Terminated' }
    : measurement;
}

/** The run's arguments with the values of their Secrets, and those values, which are shown nowhere. */
async function readArguments(context: ProviderContext): Promise<{ args: Argument[]; secrets: string[] }> {
  const secrets: string[] = [];
  const args: Argument[] = [];
  const namespace = context.run.metadata.namespace ?? '';
  for (const arg of context.run.spec.args ?? []) {
    const ref = arg.valueFrom?.secretKeyRef;
    if (!ref) {
      args.push(arg);
      continue;
    }
    const value = (await readSecret(context, { namespace, name: ref.name })).get(ref.key);
    if (value === undefined) throw invalidAnalysis(`key '${ref.key}' does not exist in secret '${ref.name}'`);
    secrets.push(value);
    args.push({ name: arg.name, value });
  }
  return { args, secrets };
}
