import type { AnalysisRun } from './types.ts';

export type BadVerdict = 'Failed' | 'Error' | 'Inconclusive';

/** What an AnalysisRun that was not successful met: parts of a diagnosis. */
interface RunFinding {
  readonly verdict: BadVerdict;
  readonly message: string;
  readonly place: { readonly object: string };
  readonly evidence: Readonly<Record<string, string | undefined>>;
}

/** The verdict on a run that was not successful; undefined for all others. */
export function verdictOf({ status }: AnalysisRun): BadVerdict | undefined {
  const phase = status?.phase;
  return phase === 'Failed' || phase === 'Error' || phase === 'Inconclusive' ? phase : undefined;
}

/** The metric that decided, what it measured last, and its conditions; undefined while nothing is wrong. */
export function findingOf(run: AnalysisRun): RunFinding | undefined {
  const verdict = verdictOf(run);
  if (!verdict) return undefined;
  const result = run.status?.metricResults?.find(({ phase, dryRun }) => phase === verdict && !dryRun);
  const metric = run.spec.metrics.find(({ name }) => name === result?.name);
  const told = (result?.measurements ?? []).filter(({ phase }) => phase === verdict);
  const subject = result
    ? `Metric ${result.name} of AnalysisRun ${run.metadata.name}`
    : `AnalysisRun ${run.metadata.name}`;
  return {
    verdict,
    message: `${subject} ${words[verdict]}: ${told.at(-1)?.message || run.status?.message || verdict}`,
    place: { object: `argoproj.io/AnalysisRun ${run.metadata.namespace}/${run.metadata.name}` },
    evidence: {
      'measured last': told.slice(-3).map(shown).filter(Boolean).join(', ') || undefined,
      successCondition: metric?.successCondition,
      failureCondition: metric?.failureCondition,
      verdict: run.status?.message,
    },
  };
}

const words: Readonly<Record<BadVerdict, string>> = {
  Failed: 'measured a failure',
  Error: 'could not be measured',
  Inconclusive: 'measured neither a success nor a failure',
};

function shown({ value = '' }: { value?: string }): string {
  return value.length <= 100 ? value : `a text of ${value.length} characters`;
}
