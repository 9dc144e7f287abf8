import { type StepOutcome, timestamp } from '@tiphys/controller';
import { type Diagnosis, diagnosisOf } from '@tiphys/diagnosis';
import { isNotFound } from '@tiphys/kubernetes';
import { assessRun } from '../decisions/assess.ts';
import { isCompleted } from '../decisions/phases.ts';
import { resolveWithoutSecrets } from '../decisions/resolve-metric.ts';
import { expiryTime, trimMeasurements } from '../decisions/retention.ts';
import { measurementTasks, nextMeasurement } from '../decisions/tasks.ts';
import { matchRules, validateMetrics } from '../decisions/validate.ts';
import { takeMeasurements } from '../measuring/measure.ts';
import { explainRun } from '../model/diagnoses.ts';
import type { AnalysisPhase, AnalysisRunStatus, MeasurementRetention, Metric, MetricResult } from '../model/types.ts';
import { providerOf } from '../providers/index.ts';
import { isJobDone } from '../providers/job.ts';
import type { ProviderContext } from '../providers/provider.ts';
import type { AnalysisPass } from './pass.ts';

/** Deletes a completed run whose time to live is over, and leaves every completed run alone. */
export async function retire(pass: AnalysisPass): Promise<StepOutcome> {
  if (pass.before.metadata.deletionTimestamp) return 'stop';
  if (!isCompleted(pass.before.status?.phase)) return 'continue';
  const expiry = expiryTime(pass.before);
  if (expiry === undefined) return 'stop';
  const left = expiry - pass.clock.now();
  if (left > 0) {
    pass.requeueIn(left);
    return 'stop';
  }
  const { apiVersion, kind, metadata } = pass.before;
  const { namespace = '', name = '', uid = '' } = metadata;
  try {
    await pass.context.client.delete({ apiVersion, kind, namespace, name }, { preconditions: { uid } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return 'stop';
}

/** Measures what is due, judges the run, and asks for the pass at which the next measurement is due. */
export async function analyse(pass: AnalysisPass): Promise<StepOutcome> {
  const plan = planned(pass);
  if (!plan) return 'stop';
  const { metrics, dryRun, retention } = plan;
  const context = providerContext(pass);
  const tasks = measurementTasks(pass.next, metrics, pass.clock.now(), (measurement) =>
    isJobDone(measurement, context.jobs),
  );
  let results: MetricResult[];
  try {
    results = await takeMeasurements(tasks, context, dryRun);
  } catch (error) {
    pass.signal.throwIfAborted();
    complete(pass, 'Unable to resolve metric arguments', diagnosisOf(error));
    return 'stop';
  }
  setStatus(pass, { ...pass.status, metricResults: merged(pass.status.metricResults ?? [], results) });
  assess(pass, metrics, dryRun);
  await trim(pass, metrics, retention);
  const next = nextMeasurement(pass.next, metrics, pass.clock.now());
  if (next !== undefined && !isCompleted(pass.status.phase)) pass.requeueIn(next - pass.clock.now());
  return 'continue';
}

interface Plan {
  /** With their arguments, but for those of Secrets. */
  readonly metrics: readonly Metric[];
  readonly dryRun: ReadonlySet<string>;
  readonly retention: ReadonlyMap<string, MeasurementRetention>;
}

/** What the spec says, resolved; undefined if it says something wrong, which ends the run. */
function planned(pass: AnalysisPass): Plan | undefined {
  const { spec } = pass.before;
  let what = 'Unable to resolve metric arguments';
  try {
    const metrics = resolveWithoutSecrets(spec.metrics, spec.args);
    what = 'Analysis spec invalid';
    validateMetrics(metrics);
    const dryRun = new Set(matchRules('dryRun', spec.dryRun ?? [], metrics).keys());
    const retention = matchRules('measurementRetention', spec.measurementRetention ?? [], metrics);
    return { metrics, dryRun, retention };
  } catch (error) {
    complete(pass, what, diagnosisOf(error));
    return undefined;
  }
}

/** Ends a run that can measure nothing. */
function complete(pass: AnalysisPass, what: string, cause: Diagnosis): void {
  setStatus(pass, { ...pass.status, phase: 'Error', message: `${what}: ${cause.message}` });
  const told = explainRun(pass.next);
  setStatus(pass, { ...pass.status, ...(told ? { diagnoses: [{ ...told, causes: [cause] }] } : {}) });
  tellCompletion(pass, 'Error');
}

function assess(pass: AnalysisPass, metrics: readonly Metric[], dryRun: ReadonlySet<string>): void {
  const now = timestamp(pass.clock.now());
  const { status, phase, message, verdicts } = assessRun(pass.next, metrics, dryRun);
  setStatus(pass, { ...status, startedAt: status.startedAt ?? now });
  for (const verdict of verdicts)
    pass.event(
      eventType(verdict.phase),
      `Metric${verdict.phase}`,
      `Metric '${verdict.metric}' Completed. Result: ${verdict.phase}`,
    );
  if (phase === pass.status.phase) return;
  setStatus(pass, { ...pass.status, phase, message });
  if (!isCompleted(phase)) return;
  setStatus(pass, { ...pass.status, completedAt: pass.status.completedAt ?? now });
  const told = explainRun(pass.next);
  if (told) setStatus(pass, { ...pass.status, diagnoses: [told] });
  tellCompletion(pass, phase);
}

function tellCompletion(pass: AnalysisPass, phase: AnalysisPhase): void {
  pass.event(eventType(phase), `AnalysisRun${phase}`, `Analysis Completed. Result: ${phase}`);
}

function eventType(phase: AnalysisPhase): 'Normal' | 'Warning' {
  return phase === 'Failed' || phase === 'Error' ? 'Warning' : 'Normal';
}

async function trim(
  pass: AnalysisPass,
  metrics: readonly Metric[],
  retention: ReadonlyMap<string, MeasurementRetention>,
): Promise<void> {
  const results: MetricResult[] = [];
  for (const result of pass.status.metricResults ?? []) {
    const { result: trimmed, trimmedTo } = trimMeasurements(result, retention.get(result.name));
    const metric = metrics.find(({ name }) => name === result.name);
    if (trimmedTo !== undefined && metric) {
      const provider = pass.context.answers ? undefined : providerOf(metric);
      if (provider?.kind === 'task') await provider.garbageCollect?.(metric, providerContext(pass), trimmedTo);
    }
    results.push(trimmed);
  }
  setStatus(pass, { ...pass.status, metricResults: results });
}

function merged(earlier: readonly MetricResult[], later: readonly MetricResult[]): MetricResult[] {
  const byName = new Map([...earlier, ...later].map((result) => [result.name, result]));
  return [...byName.values()];
}

/** Replaces the status: what is undefined or empty is left out, as Go's `omitempty` has it. */
function setStatus(pass: AnalysisPass, status: AnalysisRunStatus): void {
  const kept = Object.entries(status).filter(
    ([key, value]) => value !== undefined && !(key === 'message' && value === ''),
  );
  for (const key of Object.keys(pass.status)) delete (pass.status as unknown as Record<string, unknown>)[key];
  Object.assign(pass.status, Object.fromEntries(kept));
}

function providerContext({ next, context, clock, signal }: AnalysisPass): ProviderContext {
  const { answers, ...rest } = context;
  return { ...rest, ...(answers ? { answers } : {}), run: next, clock, signal };
}

/** The way through one pass over an AnalysisRun. */
export const analysisSteps = [retire, analyse] as const;
