import { names } from '@tiphys/api';
import type { Diagnosis } from '@tiphys/diagnosis';

/** Annotation of an object: what of it is still to be delivered. It is written together with what was told (`notified.PREFIX`). */
export const outboxAnnotation = names.annotations.notificationOutbox;
/** Annotation of an object: which of its subscriptions nobody can serve; a list of `ShortProblem`. */
export const problemsAnnotation = names.annotations.notificationProblems;

/** As much of a diagnosis as an annotation has room for. */
export interface ShortProblem {
  readonly code: string;
  /** Of the catalogue of failures, where it is not the code. */
  readonly cause?: string;
  readonly message: string;
  /** What is to be done first. */
  readonly remedy?: string;
}

/** A notification that is decided and not delivered. */
export interface OutboxEntry {
  /** Name of the Secret that has what is to be sent. */
  readonly id: string;
  readonly trigger: string;
  readonly service: string;
  readonly recipient: string;
  /** RFC 3339: when it was decided. */
  readonly at: string;
  /** Why it could not be delivered so far. */
  readonly problem?: ShortProblem;
  /** True if it is not tried any more. */
  readonly givenUp?: boolean;
}

/** Entries of an object's annotation; none for a text that is none. */
export function readEntries(annotation: string | undefined): OutboxEntry[] {
  if (!annotation) return [];
  try {
    const found = JSON.parse(annotation) as OutboxEntry[];
    return Array.isArray(found) ? found.filter((entry) => typeof entry?.id === 'string') : [];
  } catch {
    return [];
  }
}

export function writeEntries(entries: readonly OutboxEntry[]): string | undefined {
  return entries.length === 0 ? undefined : JSON.stringify(entries);
}

/** What an annotation says of a failure. */
export const shortProblem = ({ code, cause, message, remedies: [first] }: Diagnosis): ShortProblem => ({
  code,
  ...(cause === code ? {} : { cause }),
  message: message.slice(0, 300),
  ...(first ? { remedy: first.text.slice(0, 200) } : {}),
});
