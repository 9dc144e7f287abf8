import { type DiagnosisError, defineDiagnosis, failure } from '@tiphys/diagnosis';

const analysisInvalid = defineDiagnosis(
  'AnalysisInvalid',
  'An AnalysisTemplate, an AnalysisRun, or the templates that one refers to do not make a valid analysis.',
);

/** The sentence is upstream's, as it becomes a status message; without a remedy it says itself what to do. */
export function invalidAnalysis(message: string, remedies: readonly string[] = []): DiagnosisError {
  return failure(analysisInvalid, { message, remedies });
}
