import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { describeKey, type KubeObject, keyOf } from '@tiphys/kubernetes';
import { conditionFault } from '../evaluation/condition.ts';
import type { AnalysisTemplateSpec, Metric } from '../model/types.ts';
import { unclosed } from './unclosed.ts';
import { metricFault } from './validate.ts';

const analysisMistaken = defineDiagnosis(
  'AnalysisMistaken',
  'An AnalysisTemplate that is delivered can judge nothing as it is written',
);

interface Fault {
  /** Below the metric. */
  readonly field: string;
  readonly message: string;
  readonly remedy: string;
}

/** What is wrong in a template whatever its arguments will be. */
function check(object: KubeObject): Diagnosis[] {
  const { metrics } = (object.spec ?? {}) as AnalysisTemplateSpec;
  // of anything but a list the API server tells, by the schema
  return (Array.isArray(metrics) ? metrics : []).flatMap((metric, index) =>
    [...faultsOf(metric)].map(({ field, message, remedy }) =>
      diagnose(analysisMistaken, {
        message: `${object.kind} ${object.metadata.name} can judge nothing by its metric ${metric.name ?? index}: ${message}`,
        place: { object: describeKey(keyOf(object)), field: `spec.metrics[${index}]${field}` },
        remedies: [remedy],
      }),
    ),
  );
}

function* faultsOf(metric: Metric): Iterable<Fault> {
  // an argument may stand in any text, and make it right
  const fault = JSON.stringify(metric).includes('{{') ? undefined : metricFault(metric);
  if (fault !== undefined)
    yield { field: '', message: fault, remedy: 'Correct it: an analysis with it ends as an error' };
  for (const field of ['successCondition', 'failureCondition'] as const) {
    const condition = metric[field];
    const problem = condition && !condition.includes('{{') ? conditionFault(condition) : undefined;
    if (problem)
      yield {
        field: `.${field}`,
        message: `"${condition}" cannot be read: ${problem}`,
        remedy: 'Write an expression that is true or false, such as result[0] < 0.05',
      };
  }
  const query = metric.provider?.prometheus?.query;
  const problem = typeof query === 'string' ? unclosed(query) : undefined;
  if (problem)
    yield {
      field: '.provider.prometheus.query',
      message: `in its query ${problem}`,
      remedy: 'Correct the query: Prometheus refuses it as it is',
    };
}

/** By `group/Kind`: what is wrong in desired templates of analyses, told before anything is measured by them. */
export const analysisChecks: ReadonlyMap<string, typeof check> = new Map(
  ['AnalysisTemplate', 'ClusterAnalysisTemplate'].map((kind) => [`argoproj.io/${kind}`, check]),
);
