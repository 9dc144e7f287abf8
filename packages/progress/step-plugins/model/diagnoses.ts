import { type DiagnosisError, defineDiagnosis, failure } from '@tiphys/diagnosis';

const invalid = defineDiagnosis(
  'RolloutsPluginInvalid',
  'A plugin of Rollouts is configured wrongly, cannot be loaded, or is not the file that its checksum says.',
);
const failed = defineDiagnosis(
  'RolloutsPluginFailed',
  'A plugin of Rollouts does not start, ends, or answers a call with an error.',
);

/** The configuration must be mended. */
export function invalidPlugin(message: string, remedies: readonly string[] = []): DiagnosisError {
  return failure(invalid, { message, remedies });
}

/** The plugin may do better at the next call. */
export function failedPlugin(message: string, evidence: Record<string, string> = {}, cause?: unknown): DiagnosisError {
  return failure(failed, { message, evidence }, { handling: 'retryable', cause });
}
