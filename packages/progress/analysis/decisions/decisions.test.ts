import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnosisOf } from '@tiphys/diagnosis';
import type { AnalysisPhase, AnalysisRun, Metric, MetricResult } from '../model/types.ts';
import { analysisRun } from '../testing/index.ts';
import { assessRun } from './assess.ts';
import { requireDuration } from './duration.ts';
import { recordMeasurement } from './record.ts';
import { resolveMetric } from './resolve-metric.ts';
import { expiryTime, trimMeasurements } from './retention.ts';
import { measurementTasks, nextMeasurement } from './tasks.ts';
import { matchRules, validateMetrics } from './validate.ts';

const metric = (fields: Partial<Metric> = {}): Metric => ({ name: 'm', provider: { web: { url: '' } }, ...fields });
const start = Date.parse('2030-01-01T00:00:00Z');
const at = (seconds: number) => new Date(start + seconds * 1000).toISOString().replace('.000', '');

function measured(phases: readonly AnalysisPhase[], fields: Partial<MetricResult> = {}): MetricResult {
  let result: MetricResult = { name: 'm', phase: 'Running', ...fields };
  for (const phase of phases)
    result = recordMeasurement(result, { phase, finishedAt: at(0), message: `was ${phase}` }, { replacesLast: false });
  return result;
}

function withResults(run: AnalysisRun, results: MetricResult[], fields = {}): AnalysisRun {
  return { ...run, status: { phase: 'Running', startedAt: at(0), metricResults: results, ...fields } };
}

const faults: readonly [Partial<Metric>, string][] = [
  [{ consecutiveSuccessLimit: -1 }, 'consecutiveSuccessLimit must be >= 0'],
  [{ failureLimit: -2 }, 'failureLimit must be >= 0, or -1 to be disabled'],
  [{ failureLimit: -1 }, 'failureLimit and consecutiveSuccessLimit cannot both be disabled'],
  [{ inconclusiveLimit: -1 }, 'inconclusiveLimit must be >= 0'],
  [{ consecutiveErrorLimit: '-1' }, 'consecutiveErrorLimit must be >= 0'],
  [{ count: 1, failureLimit: 2 }, 'count (1) must be >= failureLimit + consecutiveSuccessLimit (2 + 0) if both >= 0'],
  [{ count: 1, failureLimit: -1, consecutiveSuccessLimit: 2 }, 'count must be >= consecutiveSuccessLimit'],
  [{ count: 1, inconclusiveLimit: 2 }, 'count must be >= inconclusiveLimit'],
  [{ count: 2 }, 'interval must be specified when count > 1'],
  [{ interval: '5x' }, 'invalid interval string: time: unknown unit "x" in duration "5x"'],
  [{ initialDelay: 'soon' }, 'invalid startDelay string: time: invalid duration "soon"'],
  [{ provider: {} }, 'no provider specified'],
  [{ provider: { web: { url: '' }, plugin: { 'a/b': {} } } }, 'multiple providers specified'],
];

for (const [fields, fault] of faults)
  test(`a metric is refused: ${fault}`, () => {
    assert.throws(
      () => validateMetrics([metric(fields)]),
      (error) => diagnosisOf(error).message === `metrics[0]: ${fault}`,
    );
  });

test('metrics need names of their own, and there must be one', () => {
  assert.throws(() => validateMetrics([]), /no metrics specified/);
  assert.throws(() => validateMetrics([metric(), metric()]), /metrics\[1\]: duplicate name 'm'/);
  validateMetrics([metric({ count: '2', interval: '5s', failureLimit: '1' })]);
});

test('rules match metrics by unanchored expressions, and must match one', () => {
  const metrics = [metric({ name: 'error-rate' }), metric({ name: 'latency' })];
  assert.deepEqual([...matchRules('dryRun', [{ metricName: 'error.*' }], metrics).keys()], ['error-rate']);
  assert.deepEqual([...matchRules('dryRun', [{ metricName: '.*' }], metrics).keys()], ['error-rate', 'latency']);
  for (const metricName of ['x', '*'])
    assert.throws(
      () => matchRules('dryRun', [{ metricName }], metrics),
      /dryRun\[0\]: Rule didn't match any metric name\(s\)/,
    );
});

const verdicts: readonly {
  name: string;
  metric?: Partial<Metric>;
  phases: AnalysisPhase[];
  phase: AnalysisPhase;
  message?: string;
}[] = [
  { name: 'one success is enough without count and interval', phases: ['Successful'], phase: 'Successful' },
  {
    name: 'one failure is too much by default',
    phases: ['Failed'],
    phase: 'Failed',
    message: 'Metric "m" assessed Failed due to failed (1) > failureLimit (0): "Error Message: was Failed"',
  },
  { name: 'an interval alone goes on', metric: { interval: '5s' }, phases: ['Successful'], phase: 'Running' },
  {
    name: 'failures within the limit do not matter in the end',
    metric: { interval: '5s', count: 3, failureLimit: 1 },
    phases: ['Failed', 'Successful', 'Successful'],
    phase: 'Successful',
  },
  {
    name: 'inconclusive measurements have a limit of their own',
    metric: { interval: '5s', inconclusiveLimit: 1 },
    phases: ['Inconclusive', 'Inconclusive'],
    phase: 'Inconclusive',
    message:
      'Metric "m" assessed Inconclusive due to inconclusive (2) > inconclusiveLimit (1): "Error Message: was Inconclusive"',
  },
  {
    name: 'four errors in a row are borne',
    phases: ['Error', 'Error', 'Error', 'Error'],
    phase: 'Running',
  },
  {
    name: 'five are not',
    phases: ['Error', 'Error', 'Error', 'Error', 'Error'],
    phase: 'Error',
    message:
      'Metric "m" assessed Error due to consecutiveErrors (5) > consecutiveErrorLimit (4): "Error Message: was Error"',
  },
  {
    name: 'a success in between begins the count of errors anew',
    metric: { interval: '5s', consecutiveErrorLimit: 1 },
    phases: ['Error', 'Successful', 'Error'],
    phase: 'Running',
  },
  {
    name: 'successes in a row end an endless metric',
    metric: { interval: '5s', consecutiveSuccessLimit: 2, failureLimit: -1 },
    phases: ['Successful', 'Failed', 'Successful', 'Successful'],
    phase: 'Successful',
  },
  {
    name: 'the count without enough successes in a row is inconclusive',
    metric: { interval: '5s', count: 3, consecutiveSuccessLimit: 2, failureLimit: 1 },
    phases: ['Successful', 'Failed', 'Successful'],
    phase: 'Inconclusive',
  },
  {
    name: 'and failed if failures have no limit',
    metric: { interval: '5s', count: 3, consecutiveSuccessLimit: 2, failureLimit: -1 },
    phases: ['Successful', 'Failed', 'Successful'],
    phase: 'Failed',
  },
];

for (const { name, metric: fields, phases, phase, message = '' } of verdicts)
  test(`verdict: ${name}`, () => {
    const metrics = [metric(fields)];
    const assessment = assessRun(withResults(analysisRun(metrics), [measured(phases)]), metrics, new Set());
    assert.equal(assessment.phase, phase);
    assert.equal(assessment.message, message);
    assert.equal(assessment.status.metricResults?.[0]?.phase, phase);
    assert.equal(assessment.verdicts.length, phase === 'Running' ? 0 : 1);
  });

test('a dry run has no say, and tells what would have been', () => {
  const metrics = [metric(), metric({ name: 'dry' })];
  const results = [measured(['Successful']), { ...measured(['Failed']), name: 'dry', dryRun: true }];
  const assessment = assessRun(withResults(analysisRun(metrics), results), metrics, new Set(['dry']));
  assert.equal(assessment.phase, 'Successful');
  assert.deepEqual(assessment.status.runSummary, { count: 1, successful: 1 });
  assert.deepEqual(assessment.status.dryRunSummary, { count: 1, failed: 1 });
  assert.equal(
    assessment.status.metricResults?.[1]?.message,
    'Metric assessed Failed due to failed (1) > failureLimit (0)',
  );
});

test('a terminated run ends with what it has', () => {
  const metrics = [metric({ interval: '5s' }), metric({ name: 'never' })];
  const run = withResults(analysisRun(metrics, { terminate: true }), [measured(['Successful'])]);
  const { phase, message } = assessRun(run, metrics, new Set());
  assert.deepEqual({ phase, message }, { phase: 'Successful', message: 'Run Terminated' });
  assert.deepEqual(measurementTasks(run, metrics, start), []);
});

const dues: readonly { name: string; metric: Partial<Metric>; results: MetricResult[]; due: number | undefined }[] = [
  { name: 'a new metric now', metric: {}, results: [], due: 0 },
  { name: 'after its delay', metric: { initialDelay: '30s' }, results: [], due: 30 },
  { name: 'after its interval', metric: { interval: '1m' }, results: [measured(['Successful'])], due: 60 },
  { name: 'ten seconds after an error', metric: { interval: '1m' }, results: [measured(['Error'])], due: 10 },
  {
    name: 'never after its count',
    metric: { interval: '1m', count: 1 },
    results: [measured(['Successful'])],
    due: undefined,
  },
  { name: 'never after its verdict', metric: {}, results: [measured(['Failed'], { phase: 'Failed' })], due: undefined },
  {
    name: 'under way, when it says',
    metric: {},
    results: [{ name: 'm', phase: 'Running', measurements: [{ phase: 'Running', startedAt: at(0), resumeAt: at(7) }] }],
    due: 7,
  },
  {
    name: 'under way and told by others',
    metric: {},
    results: [{ name: 'm', phase: 'Running', measurements: [{ phase: 'Running', startedAt: at(0) }] }],
    due: undefined,
  },
];

for (const { name, metric: fields, results, due } of dues)
  test(`measured next: ${name}`, () => {
    const metrics = [metric(fields)];
    const run = withResults(analysisRun(metrics), results);
    assert.equal(nextMeasurement(run, metrics, start), due === undefined ? undefined : start + due * 1000);
    if (due === undefined) return;
    assert.equal(measurementTasks(run, metrics, start + due * 1000).length, 1);
    if (due > 0) assert.equal(measurementTasks(run, metrics, start + due * 1000 - 1).length, 0);
  });

test('a terminating run ends what is under way before its time', () => {
  const metrics = [metric()];
  const unfinished = { phase: 'Running' as const, startedAt: at(0), resumeAt: at(60) };
  const run = withResults(analysisRun(metrics, { terminate: true }), [
    { name: 'm', phase: 'Running', measurements: [unfinished] },
  ]);
  assert.deepEqual(measurementTasks(run, metrics, start), [{ index: 0, metric: 'm', unfinished }]);
});

test('arguments are put into every text of a metric, keys included', () => {
  const wanted = metric({
    provider: { web: { url: 'http://{{ args.host }}/', jsonBody: { '{{args.host}}': ['"{{args.q}}"'] } } },
  });
  const resolved = resolveMetric(wanted, [
    { name: 'host', value: 'a' },
    { name: 'q', value: '"\n' },
  ]);
  assert.deepEqual(resolved.provider.web, { url: 'http://a/', jsonBody: { a: ['""\n"'] } });
  assert.throws(() => resolveMetric(wanted, [{ name: 'host', value: 'a' }]), /failed to resolve \{\{args\.q\}\}/);
  assert.throws(() => resolveMetric(wanted, [{ name: 'host' }]), /argument "host" was not supplied/);
  assert.throws(() => resolveMetric(metric({ successCondition: '{{x' }), []), /Cannot find end tag="}}"/);
});

test('measurements are kept by rule, ten otherwise; runs by their time to live', () => {
  const result = measured(Array.from({ length: 12 }, () => 'Successful'));
  assert.equal(trimMeasurements(result, undefined).result.measurements?.length, 10);
  assert.equal(trimMeasurements(result, { metricName: 'm', limit: 3 }).trimmedTo, 3);
  assert.equal(trimMeasurements(result, { metricName: 'm', limit: 30 }).trimmedTo, undefined);
  const ttl = (phase: AnalysisPhase, ttlStrategy: object) =>
    expiryTime(withResults(analysisRun([], { ttlStrategy }), [], { phase, completedAt: at(0) }));
  assert.equal(ttl('Failed', { secondsAfterFailure: 5, secondsAfterCompletion: 9 }), start + 6000);
  assert.equal(ttl('Error', { secondsAfterFailure: 5, secondsAfterCompletion: 9 }), start + 10_000);
  assert.equal(ttl('Successful', { secondsAfterFailure: 5 }), undefined);
  assert.equal(ttl('Running', { secondsAfterCompletion: 9 }), undefined);
  assert.equal(requireDuration('1h1m1.5s'), 3_661_500);
});
