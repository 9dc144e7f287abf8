import { type DiagnosisError, defineDiagnosis, failure } from '@tiphys/diagnosis';

const misconfigured = defineDiagnosis(
  'MetricProviderMisconfigured',
  'The provider of a metric lacks a setting or credentials, or has settings that exclude each other.',
);
const unreachable = defineDiagnosis('MetricProviderUnreachable', 'The provider of a metric does not answer.');
const refused = defineDiagnosis(
  'MetricProviderAnswer',
  'The provider of a metric answered with an error, or with what cannot be understood.',
);

/** The metric or its credentials must be mended; the sentence becomes the measurement's message. */
export function misconfiguredProvider(message: string, remedies: readonly string[] = []): DiagnosisError {
  return failure(misconfigured, { message, remedies });
}

/** Nothing answered. */
export function unreachableProvider(message: string, cause?: unknown): DiagnosisError {
  return failure(unreachable, { message }, { handling: 'retryable', cause });
}

/** An answer that says no, or says nothing that can be used. */
export function badAnswer(message: string): DiagnosisError {
  return failure(refused, { message }, { handling: 'retryable' });
}
