import { DiagnosisError, failure } from '@tiphys/diagnosis';
import { artifactInvalid, artifactMissing, artifactUnsupported, storeFailed, storeRefuses } from './diagnoses.ts';

/** Which thing of which store an error is about; neither has credentials. */
export interface Subject {
  /** Such as `the object logs/main.log of the bucket b`. */
  readonly what: string;
  /** URL without query, or host. */
  readonly remote: string;
}

export function missing({ what, remote }: Subject, cause?: unknown): DiagnosisError {
  return failure(
    artifactMissing,
    {
      message: `There is no ${what.replace(/^the /, '')}`,
      place: { remote },
      remedies: [
        'Look whether the step that makes it has saved it, under this key',
        'Or set optional: true where it may be missing',
      ],
    },
    { cause },
  );
}

export function invalid(field: string, message: string, remedy: string): DiagnosisError {
  return failure(artifactInvalid, { message, place: { field }, remedies: [remedy] });
}

export function unsupported(kind: string, what: string, remedy: string): DiagnosisError {
  return failure(artifactUnsupported, { message: `Artifacts of ${kind} can not be ${what}`, remedies: [remedy] });
}

/** What an answer of a store means, by its status and what it says of itself. */
export function answered(subject: Subject, status: number, said: string): DiagnosisError {
  const { what, remote } = subject;
  if (status === 404) return missing(subject);
  const isLogin = status === 401 || status === 403;
  return failure(
    isLogin ? storeRefuses : storeFailed,
    {
      message: isLogin
        ? `${remote} does not give ${what}: it answered ${status}`
        : `${remote} failed with ${what}: it answered ${status}`,
      place: { remote },
      evidence: { answer: said.slice(0, 500) || '(empty)' },
      remedies: [
        isLogin
          ? 'Correct the Secret of the store, or give its owner the right to this bucket and key'
          : 'Look what the store says of it in its own log',
      ],
    },
    { handling: isLogin || (status < 500 && status !== 429 && status !== 408) ? 'stalled' : 'retryable' },
  );
}

/** A connection that was not made, or broke. Diagnoses of what was refused before stay as they are. */
export function broken({ what, remote }: Subject, error: unknown): DiagnosisError {
  if (error instanceof DiagnosisError) return error;
  const { cause, message, code } = error as Error & { cause?: unknown; code?: string };
  if (cause instanceof DiagnosisError) return cause;
  const inner = cause as { code?: string; message?: string } | undefined;
  const reason = code ?? inner?.code ?? inner?.message ?? message;
  return failure(
    storeFailed,
    {
      message: `${remote} can not be asked for ${what}: ${reason}`,
      place: { remote },
      remedies: ['Make the store reachable from here: address, proxy, certificate'],
    },
    { handling: 'retryable', cause: error },
  );
}
