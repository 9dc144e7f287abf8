import { type Diagnosis, type DiagnosisKind, diagnose, type Finding } from './diagnosis.ts';
import { formatDiagnosis } from './format.ts';

/** How a reconciler handles a failure: it needs a change by a person, it waits for something, or it may go away by itself. */
export type Handling = 'stalled' | 'waiting' | 'retryable';

export interface FailureOptions {
  /** `stalled` if not given. */
  readonly handling?: Handling;
  /** For `waiting`: when to look again, in milliseconds. */
  readonly retryAfter?: number;
  /** The error as it was caught; never shown to users. */
  readonly cause?: unknown;
}

/** The one error class that crosses package boundaries. Anyone who catches it may add context with `within`. */
export class DiagnosisError extends Error {
  readonly diagnosis: Diagnosis;
  readonly handling: Handling;
  readonly retryAfter: number | undefined;

  constructor(diagnosis: Diagnosis, options: FailureOptions = {}) {
    super(formatDiagnosis(diagnosis), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'DiagnosisError';
    this.diagnosis = diagnosis;
    this.handling = options.handling ?? 'stalled';
    this.retryAfter = options.retryAfter;
  }
}

/** A `DiagnosisError` of the kind, ready to be thrown. */
export function failure(kind: DiagnosisKind, finding: Finding, options: FailureOptions = {}): DiagnosisError {
  return new DiagnosisError(diagnose(kind, finding), options);
}

/** The diagnosis of any caught value. What is not a `DiagnosisError` is a defect of ours and says so with its stack. */
export function diagnosisOf(error: unknown): Diagnosis {
  if (error instanceof DiagnosisError) return error.diagnosis;
  if (error instanceof AggregateError && error.errors.length > 0) {
    const all = error.errors.map(diagnosisOf);
    return all.length === 1 ? (all[0] as Diagnosis) : { ...(all[0] as Diagnosis), causes: all.slice(1) };
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return diagnose(
    { code: 'InternalError', cause: 'InternalError', summary: '' },
    {
      message: `Internal error: ${error instanceof Error ? error.message : String(error)}`,
      evidence: { stack: stack.split('\n').slice(0, 8).join('\n') },
      remedies: ['Report this with the evidence above; the operation is tried again by itself'],
    },
  );
}

/** How a caught value is to be handled; unknown errors are retryable. */
export function handlingOf(error: unknown): Handling {
  return error instanceof DiagnosisError ? error.handling : 'retryable';
}

/** The same error with places and evidence added by a caller that knows more; what is there already wins. */
export function within(error: unknown, context: Pick<Finding, 'place' | 'evidence'>): DiagnosisError {
  const added = diagnose({ code: '', cause: '', summary: '' }, { message: '', ...context });
  return restated(error, (inner) => ({
    ...inner,
    place: { ...added.place, ...inner.place },
    evidence: [...inner.evidence, ...added.evidence],
  }));
}

/** The same error with its diagnosis in other words; it is handled as before. */
export function restated(error: unknown, restate: (diagnosis: Diagnosis) => Diagnosis): DiagnosisError {
  const source = error instanceof DiagnosisError ? error : undefined;
  return new DiagnosisError(restate(diagnosisOf(error)), {
    handling: handlingOf(error),
    ...(source?.retryAfter === undefined ? {} : { retryAfter: source.retryAfter }),
    cause: error,
  });
}
