import { DiagnosisError, type DiagnosisKind, diagnose, type Finding } from '@tiphys/diagnosis';
import { shortened } from '@tiphys/template';

/** A failure that also has Helm's own words. */
export class HelmError extends DiagnosisError {
  /** What `helm` prints after `Error: `. */
  readonly helmMessage: string;

  constructor(kind: DiagnosisKind, helmMessage: string, finding: Partial<Finding> = {}, cause?: unknown) {
    super(diagnose(kind, { message: shortened(helmMessage), ...finding }), cause === undefined ? {} : { cause });
    this.name = 'HelmError';
    this.helmMessage = helmMessage;
  }
}

/** Helm's words for any caught value. */
export function helmMessageOf(error: unknown): string {
  if (error instanceof HelmError) return error.helmMessage;
  if (error instanceof Error) {
    const { goMessage } = error as { goMessage?: unknown };
    return typeof goMessage === 'string' ? goMessage : error.message;
  }
  return String(error);
}
