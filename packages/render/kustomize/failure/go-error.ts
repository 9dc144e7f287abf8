import type { Place } from '@tiphys/diagnosis';

/**
 * A failure in Kustomize's own words, before it is known at which place of which kustomization it happened: the message
 * grows on its way up as Go's wrapped errors do, and the innermost place wins.
 */
export class GoError extends Error {
  /** Where it happened, if anyone who threw it knew. */
  place: Place | undefined;
  /** What was near, by name. */
  readonly evidence: Record<string, string | number | undefined> = {};
  readonly remedies: string[] = [];
  /** Marks that callers ask for, such as `malformed-yaml`. */
  readonly marks = new Set<string>();
  /** The entries that led here, innermost first: `overlay/kustomization.yaml:3 resources[0]`. */
  readonly trail: string[] = [];
  override cause: unknown;
  /** The message without the configuration of the built-in plugin that failed. */
  bare: string | undefined;

  constructor(message: string, more: GoErrorFacts = {}) {
    super(message);
    this.name = 'GoError';
    this.place = more.place;
    Object.assign(this.evidence, more.evidence);
    if (more.remedies) this.remedies.push(...more.remedies);
    this.cause = more.cause;
  }
}

export interface GoErrorFacts {
  readonly place?: Place;
  readonly evidence?: Readonly<Record<string, string | number | undefined>>;
  readonly remedies?: readonly string[];
  readonly cause?: unknown;
}

/** The words of Go for any caught value. */
export function goMessageOf(error: unknown): string {
  if (error instanceof Error) {
    const { goMessage } = error as { goMessage?: unknown };
    return typeof goMessage === 'string' ? goMessage : error.message;
  }
  return String(error);
}

/** The same failure with other words for its message; facts and marks are kept, what is added does not replace them. */
export function reworded(error: unknown, message: string, more: GoErrorFacts = {}): GoError {
  const inner = error instanceof GoError ? error : undefined;
  const place = inner?.place ?? placeOf(error) ?? more.place;
  const result = new GoError(message, {
    ...(place ? { place } : {}),
    evidence: { ...more.evidence, ...inner?.evidence },
    remedies: [...(inner?.remedies ?? []), ...(more.remedies ?? [])],
    cause: inner?.cause ?? error,
  });
  for (const mark of inner?.marks ?? []) result.marks.add(mark);
  result.trail.push(...(inner?.trail ?? []));
  return result;
}

/** `prefix: message`, as Go's WrapPrefixf. */
export function wrapped(error: unknown, prefix: string, more: GoErrorFacts = {}): GoError {
  return reworded(error, `${prefix}: ${goMessageOf(error)}`, more);
}

function placeOf(error: unknown): Place | undefined {
  const diagnosis = (error as { diagnosis?: { place?: Place } } | undefined)?.diagnosis;
  return diagnosis?.place;
}

/** Runs a part and wraps what it throws. */
export async function wrapping<T>(prefix: string, body: () => Promise<T> | T, more: GoErrorFacts = {}): Promise<T> {
  try {
    return await body();
  } catch (error) {
    throw wrapped(error, prefix, more);
  }
}
