import { type BadVerdict, findingOf, verdictOf } from '@tiphys/analysis';
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

/** The analysis that aborted the update to this revision, or that it waits for a person because of. */
export function diagnoseAnalysis(turn: Turn, status: RolloutStatus): Diagnosis | undefined {
  const paused = (status.pauseConditions ?? []).some(({ reason }) => reason === 'InconclusiveAnalysisRun');
  if (!status.abort && !paused) return undefined;
  const hash = hashOf(turn.desired);
  const [run] = turn.foundRuns
    .filter((each) => hashOf(each) === hash && verdictOf(each) !== undefined)
    .sort((a, b) => ((a.status?.startedAt ?? '') < (b.status?.startedAt ?? '') ? 1 : -1));
  const finding = run && findingOf(run);
  if (!finding || (finding.verdict === 'Inconclusive') !== paused) return undefined;
  const { verdict, message, place, evidence } = finding;
  const { kind, remedies } = verdicts[verdict];
  const { name = '', namespace = '' } = turn.rollout.metadata;
  return diagnose(kind, { message, place, evidence, remedies: remedies(name, namespace) });
}

const retry = (rollout: string, namespace: string) => ({
  text: 'Or try this revision again',
  paste: `tiphys rollouts retry rollout ${rollout} -n ${namespace}`,
});

const verdicts: Readonly<
  Record<
    BadVerdict,
    {
      kind: DiagnosisKind;
      remedies: (rollout: string, namespace: string) => ({ text: string; paste: string } | string)[];
    }
  >
> = {
  Failed: {
    kind: analysisFailed,
    remedies: (...at) => ['Correct the new revision; the old one serves meanwhile', retry(...at)],
  },
  Error: {
    kind: notMeasured,
    remedies: (...at) => [
      'Make the provider answer with what is measured: its address, its credentials, the query, the path into its answer',
      retry(...at),
    ],
  },
  Inconclusive: {
    kind: inconclusive,
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
