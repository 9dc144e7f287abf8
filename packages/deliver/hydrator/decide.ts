import type { SourceHydrator, SourceHydratorStatus } from './types.ts';

/** Milliseconds after which a hydration that failed is tried again by itself, as upstream. */
export const failureWait = 120_000;

export interface HydrationState {
  readonly spec: SourceHydrator;
  readonly status: SourceHydratorStatus;
  /** What the annotation asks for. */
  readonly requested: 'normal' | 'hard' | undefined;
  /** In milliseconds since the epoch. */
  readonly now: number;
  readonly equal: (a: unknown, b: unknown) => boolean;
}

/** `compare`: it depends on whether the dry source has changed since `lastComparedDryRevision`. */
export type HydrationNeed =
  | { readonly kind: 'hydrate' }
  | { readonly kind: 'compare' }
  /** Nothing to do before this many milliseconds have passed. */
  | { readonly kind: 'wait'; readonly delay: number };

/** Whether an application has to be hydrated: upstream's rules, as far as they do not depend on the dry source. */
export function hydrationNeed({ spec, status, requested, now, equal }: HydrationState): HydrationNeed {
  const { currentOperation: operation, lastComparedDryRevision: compared } = status;
  if (!operation || requested === 'hard' || !equal(spec, operation.sourceHydrator)) return { kind: 'hydrate' };
  if (operation.phase !== 'Failed') return { kind: 'compare' };
  const since = now - Date.parse(operation.finishedAt ?? '');
  if (requested || Number.isNaN(since) || since >= failureWait) return { kind: 'hydrate' };
  // without a revision to compare with every look would be a new attempt
  return compared ? { kind: 'compare' } : { kind: 'wait', delay: failureWait - since };
}
