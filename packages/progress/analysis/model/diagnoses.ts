import { type Diagnosis, type DiagnosisError, defineDiagnosis, diagnose, failure } from '@tiphys/diagnosis';
import { type BadVerdict, findingOf } from './finding.ts';
import type { AnalysisRun } from './types.ts';

const analysisInvalid = defineDiagnosis(
  'AnalysisInvalid',
  'An AnalysisTemplate, an AnalysisRun, or the templates that one refers to do not make a valid analysis.',
);

/** The sentence is upstream's, as it becomes a status message; without a remedy it says itself what to do. */
export function invalidAnalysis(message: string, remedies: readonly string[] = []): DiagnosisError {
  return failure(analysisInvalid, { message, remedies });
}

const kinds = {
  Failed: defineDiagnosis('AnalysisRunFailed', 'An AnalysisRun measured what its conditions call a failure', 'O1'),
  Error: defineDiagnosis(
    'AnalysisRunNotMeasured',
    'An AnalysisRun could not measure: nothing is known of what it was to judge',
    'O2',
  ),
  Inconclusive: defineDiagnosis(
    'AnalysisRunInconclusive',
    'What an AnalysisRun measured meets neither of its conditions',
    'O3',
  ),
};

const remedies: Readonly<Record<BadVerdict, string>> = {
  Failed: 'Correct what is measured, or the condition if the value is a good one, and create the AnalysisRun anew',
  Error: 'Make the provider answer: its address, its credentials, the query, its Job; then create the AnalysisRun anew',
  Inconclusive: 'Write successCondition and failureCondition so that each value meets one of them',
};

const correctSpec =
  'Correct what the message names, in the AnalysisTemplate if the run was made of one; then create the AnalysisRun anew';

/** Why a run was not successful; undefined if it was, or is not over. */
export function explainRun(run: AnalysisRun): Diagnosis | undefined {
  const finding = findingOf(run);
  if (!finding) return undefined;
  const { verdict, message, place, evidence } = finding;
  // nothing was asked of a provider
  const [, metric] = /Analysis spec invalid: (metrics\[\d{1,4}\])?/.exec(message) ?? ['', undefined];
  const invalid = verdict === 'Error' && message.includes('Analysis spec invalid: ');
  return diagnose(kinds[verdict], {
    message,
    place: metric ? { ...place, field: `spec.${metric}` } : place,
    evidence,
    remedies: [invalid ? correctSpec : remedies[verdict]],
  });
}
