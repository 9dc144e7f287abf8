import type { AnalysisRun } from '@tiphys/analysis';
import type { RolloutStatus } from '@tiphys/api';
import { type Diagnosis, type DiagnosisKind, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { hashOf } from '../../objects/replica-set.ts';
import type { Turn } from '../turn.ts';

const analysisFailed = defineDiagnosis(
  'RolloutAnalysisFailed',
  'An analysis measured what its conditions call a failure, so the update was aborted',
  'O1',
);
const notMeasured = defineDiagnosis(
  'RolloutAnalysisNotMeasured',
  'An analysis could not measure, so the update was aborted: nothing is known of the new revision',
  'O2',
);
const inconclusive = defineDiagnosis(
  'RolloutAnalysisInconclusive',
  'What an analysis measured meets neither of its conditions, so the update waits for a person',
  'O3',
);

type Verdict = 'Failed' | 'Error' | 'Inconclusive';

/** The analysis that aborted the update to this revision, or that it waits for a person because of. */
export function diagnoseAnalysis(turn: Turn, status: RolloutStatus): Diagnosis | undefined {
  const paused = (status.pauseConditions ?? []).some(({ reason }) => reason === 'InconclusiveAnalysisRun');
  if (!status.abort && !paused) return undefined;
  const hash = hashOf(turn.desired);
  const [run] = turn.foundRuns
    .filter((each) => hashOf(each) === hash && verdictOf(each) !== undefined)
    .sort((a, b) => ((a.status?.startedAt ?? '') < (b.status?.startedAt ?? '') ? 1 : -1));
  const verdict = run && verdictOf(run);
  if (!run || !verdict || (verdict === 'Inconclusive') !== paused) return undefined;
  return diagnosisOf(run, verdict, turn.rollout.metadata.name ?? '');
}

function verdictOf({ status }: AnalysisRun): Verdict | undefined {
  const phase = status?.phase;
  return phase === 'Failed' || phase === 'Error' || phase === 'Inconclusive' ? phase : undefined;
}

function diagnosisOf(run: AnalysisRun, verdict: Verdict, rollout: string): Diagnosis {
  const result = run.status?.metricResults?.find(({ phase, dryRun }) => phase === verdict && !dryRun);
  const metric = run.spec.metrics.find(({ name }) => name === result?.name);
  const measurements = result?.measurements ?? [];
  const told = measurements.filter(({ phase }) => phase === verdict);
  const last = told.at(-1);
  const { kind, words, remedies } = verdicts[verdict];
  return diagnose(kind, {
    message: `Metric ${result?.name ?? ''} of AnalysisRun ${run.metadata.name} ${words}: ${last?.message || run.status?.message || verdict}`,
    place: { object: `argoproj.io/AnalysisRun ${run.metadata.namespace}/${run.metadata.name}` },
    evidence: {
      'measured last': told.slice(-3).map(shown).filter(Boolean).join(', ') || undefined,
      successCondition: metric?.successCondition,
      failureCondition: metric?.failureCondition,
      verdict: run.status?.message,
    },
    remedies: remedies(rollout, run.metadata.namespace ?? ''),
  });
}

function shown({ value = '' }: { value?: string }): string {
  return value.length <= 100 ? value : `a text of ${value.length} characters`;
}

const retry = (rollout: string, namespace: string) => ({
  text: 'Or try this revision again',
  paste: `tiphys rollouts retry rollout ${rollout} -n ${namespace}`,
});

const verdicts: Readonly<
  Record<
    Verdict,
    {
      kind: DiagnosisKind;
      words: string;
      remedies: (rollout: string, namespace: string) => ({ text: string; paste: string } | string)[];
    }
  >
> = {
  Failed: {
    kind: analysisFailed,
    words: 'measured a failure',
    remedies: (...at) => ['Correct the new revision; the old one serves meanwhile', retry(...at)],
  },
  Error: {
    kind: notMeasured,
    words: 'could not be measured',
    remedies: (...at) => ['Make the provider answer: its address, its credentials, the query', retry(...at)],
  },
  Inconclusive: {
    kind: inconclusive,
    words: 'measured neither a success nor a failure',
    remedies: (rollout, namespace) => [
      {
        text: 'Look at the value, and go on',
        paste: `tiphys rollouts promote ${rollout} -n ${namespace}`,
      },
      { text: 'Or go back', paste: `tiphys rollouts abort ${rollout} -n ${namespace}` },
      'Write successCondition and failureCondition so that each value meets one of them',
    ],
  },
};
