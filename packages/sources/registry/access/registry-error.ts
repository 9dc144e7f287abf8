import { DiagnosisError, type DiagnosisKind, diagnose, type FailureOptions, type Finding } from '@tiphys/diagnosis';

/** A failure that also has the words in which Helm reports it. */
export class RegistryError extends DiagnosisError {
  /** What `helm` prints after `Error: `. */
  readonly goMessage: string;

  constructor(kind: DiagnosisKind, goMessage: string, finding: Partial<Finding> = {}, options: FailureOptions = {}) {
    super(diagnose(kind, { message: goMessage, ...finding }), options);
    this.name = 'RegistryError';
    this.goMessage = goMessage;
  }

  /** The same failure, told by helm inside other words. */
  wrapped(words: (inner: string) => string): RegistryError {
    const { diagnosis, handling, retryAfter } = this;
    return new RegistryError({ ...diagnosis, summary: '' }, words(this.goMessage), diagnosis, {
      handling,
      ...(retryAfter === undefined ? {} : { retryAfter }),
      cause: this,
    });
  }
}
