import { createHash } from 'node:crypto';
import { type Diagnosis, diagnose } from '@tiphys/diagnosis';
import { deletionLimitInvalid, deletionsHeld } from '../diagnoses/diagnoses.ts';

/** Holds deletions that wait: their digest and when they were first wanted. */
export const pendingDeletionsAnnotation = 'tiphys.dev/pending-deletions';
/** Somebody agrees to the deletions with this digest. */
export const confirmedDeletionsAnnotation = 'tiphys.dev/confirmed-deletions';
/** The limit of one set: `COUNT,PERCENT%`; `0` for none. */
export const deletionLimitAnnotation = 'tiphys.dev/deletion-limit';

/**
 * How long deletions beyond the limit wait for the evaluation that must agree, in milliseconds: what a source has ceased to say may
 * come back; after somebody has edited the set itself there is only time to take a mistake back.
 */
export const deletionDelay = { source: 60_000, edited: 10_000 } as const;

export interface DeletionLimit {
  readonly count: number;
  readonly percent: number;
}

export interface DeletionRequest {
  /** Names of the Applications that no element stands for any more. */
  readonly names: readonly string[];
  /** How many Applications the set has, these included. */
  readonly size: number;
  /** False if the evaluation may lack elements. */
  readonly complete: boolean;
  readonly limit: DeletionLimit;
  readonly annotations: Readonly<Record<string, string>>;
  readonly now: number;
  /** Somebody has edited the set since it was last in order. */
  readonly edited?: boolean;
}

export type DeletionDecision =
  /** Delete them; what waited is over. */
  | { readonly kind: 'delete' }
  /** Nothing is to be deleted; what waited is over. */
  | { readonly kind: 'none' }
  | { readonly kind: 'incomplete' }
  | {
      readonly kind: 'held';
      /** For the annotation. */
      readonly pending: string;
      /** Milliseconds after which the set is to be evaluated again, past every cache. */
      readonly again: number;
      /** True if they were not waiting before. */
      readonly fresh: boolean;
      readonly diagnosis: Diagnosis;
    };

/**
 * Whether Applications may be deleted. An incomplete evaluation deletes nothing. More than `count` and more than `percent` of the set
 * at once wait until another evaluation, a while later, wants the very same, or until somebody confirms them. A pure function.
 */
export function decideDeletions(request: DeletionRequest): DeletionDecision {
  const { names, complete, annotations, now } = request;
  if (names.length === 0) return { kind: 'none' };
  if (!complete) return { kind: 'incomplete' };
  const limit = ownLimit(annotations[deletionLimitAnnotation]) ?? request.limit;
  if (!exceeds(request, limit)) return { kind: 'delete' };
  const digest = digestOf(names);
  if (annotations[confirmedDeletionsAnnotation] === digest) return { kind: 'delete' };
  const waiting = readPending(annotations[pendingDeletionsAnnotation]);
  const same = waiting?.digest === digest;
  const since = same ? waiting.since : now;
  const delay = deletionDelay[request.edited ? 'edited' : 'source'];
  if (same && now - since >= delay) return { kind: 'delete' };
  const pending = JSON.stringify({ digest, since: new Date(since).toISOString() });
  const again = Math.max(1_000, since + delay - now);
  return { kind: 'held', pending, again, fresh: !same, diagnosis: held(request, { limit, digest, delay }) };
}

/** Names a set of deletions, so that nobody confirms others than he has seen. */
export function digestOf(names: readonly string[]): string {
  return createHash('sha256')
    .update([...names].sort().join('\n'))
    .digest('hex')
    .slice(0, 16);
}

function exceeds({ names, size }: DeletionRequest, { count, percent }: DeletionLimit): boolean {
  if (count === 0 && percent === 0) return false;
  return names.length > count && names.length * 100 > size * percent;
}

/** `5,10%`, `5`, `10%` or `0`; undefined for anything else, so that the settings hold. */
function ownLimit(text: string | undefined): DeletionLimit | undefined {
  const [, count, , percent] = /^(\d{1,6})?(,)?(?:(\d{1,3})%)?$/.exec((text ?? '').trim()) ?? [];
  if (count === undefined && percent === undefined) return undefined;
  return { count: Number(count ?? 0), percent: Number(percent ?? 0) };
}

/** Why the limit that a set gives for itself does not hold; undefined if it does, or if it gives none. */
export function limitProblem(annotations: Readonly<Record<string, string>>): Diagnosis | undefined {
  const text = annotations[deletionLimitAnnotation];
  if (text === undefined || ownLimit(text)) return undefined;
  return diagnose(deletionLimitInvalid, {
    message: `The limit of deletions ${JSON.stringify(text.slice(0, 100))} cannot be read: that of the settings holds`,
    place: { field: `metadata.annotations["${deletionLimitAnnotation}"]` },
    remedies: [
      { text: 'Write a count, a share or both; 0 for no limit', paste: `${deletionLimitAnnotation}: "10,50%"` },
    ],
  });
}

function readPending(text: string | undefined): { digest: string; since: number } | undefined {
  if (text === undefined) return undefined;
  try {
    const { digest, since } = JSON.parse(text) as { digest?: unknown; since?: unknown };
    const at = Date.parse(String(since));
    return typeof digest === 'string' && Number.isFinite(at) ? { digest, since: at } : undefined;
  } catch {
    return undefined;
  }
}

function held(
  { names, size }: DeletionRequest,
  { limit: { count, percent }, digest, delay }: { limit: DeletionLimit; digest: string; delay: number },
): Diagnosis {
  const shown = [...names].sort().slice(0, 10).join(', ');
  return diagnose(deletionsHeld, {
    message: `${names.length} of ${size} Applications would be deleted, more than ${count} and ${percent} % at once: they are deleted if another evaluation in ${delay / 1000} s wants the same`,
    evidence: {
      applications: names.length > 10 ? `${shown} and ${names.length - 10} more` : shown,
      digest,
    },
    remedies: [
      'If elements are missing by mistake, mend the generator now: nothing was deleted yet',
      {
        text: 'To delete at once',
        paste: `kubectl annotate applicationset NAME ${confirmedDeletionsAnnotation}=${digest}`,
      },
      `To change the limit of this set, set the annotation ${deletionLimitAnnotation}, such as "10,50%"; "0" takes it away`,
    ],
  });
}
