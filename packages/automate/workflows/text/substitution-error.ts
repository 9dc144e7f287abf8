/** A text of a workflow cannot be completed; the message is what its node shows. */
export class SubstitutionError extends Error {
  /** True if a name has no value yet, which may come. */
  readonly isMissing: boolean;

  constructor(message: string, options: { isMissing?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'SubstitutionError';
    this.isMissing = options.isMissing ?? false;
  }
}
