/** A text of a workflow cannot be completed; the message is what its node shows. */
export class SubstitutionError extends Error {
  /** The name that has no value, if one is to blame: such as `steps.a.outputs.result`. */
  readonly missing: string | undefined;

  constructor(message: string, options: { missing?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'SubstitutionError';
    this.missing = options.missing;
  }
}
