/** What a filter says of an event, and why. */
export interface Verdict {
  readonly passes: boolean;
  /** Why it does not pass; of an error, its words. Empty if it passes. */
  readonly reason: string;
  /** The filter could not tell: the event is dropped whatever the other filters say. */
  readonly isError: boolean;
}

export const passed: Verdict = { passes: true, reason: '', isError: false };

export function refused(reason: string): Verdict {
  return { passes: false, reason, isError: false };
}

export function failed(kind: string, reasons: readonly string[]): Verdict {
  const [first = ''] = reasons;
  const reason =
    reasons.length > 1 ? `${kind} filter errors [${reasons.join(' | ')}]` : `${kind} filter error (${first})`;
  return { passes: false, reason, isError: true };
}

/**
 * Joins what the entries of one filter say. With `and` the first that does not pass decides; with `or` the first that passes
 * does, and without one their errors are told together.
 */
export function joined(kind: string, isOr: boolean, entries: Iterable<Verdict>): Verdict {
  const errors: string[] = [];
  const reasons: string[] = [];
  for (const verdict of entries) {
    if (isOr && verdict.passes) return passed;
    if (!isOr && !verdict.passes) return verdict.isError ? failed(kind, [verdict.reason]) : verdict;
    (verdict.isError ? errors : reasons).push(verdict.reason);
  }
  if (!isOr) return passed;
  return errors.length > 0 ? failed(kind, errors) : refused(reasons.join('; '));
}

/** An entry's error, before it is told with its kind. */
export function unclear(reason: string): Verdict {
  return { passes: false, reason, isError: true };
}
