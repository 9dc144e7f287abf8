import type { Application, OperationState } from '@tiphys/api';
import type { Diagnosis } from '@tiphys/diagnosis';
import type { Comparison, SyncPlan } from '@tiphys/engine';

/** A step of a sync that is about to be taken. */
export interface GuardedStep {
  /** `namespace/name` of the application. */
  readonly key: string;
  /** As this pass has it so far; never to be changed. */
  readonly application: Application;
  readonly state: OperationState;
  /** URL of the destination's cluster. */
  readonly server: string;
  readonly comparison: Comparison;
  readonly plan: SyncPlan;
  readonly signal: AbortSignal;
}

/** `wait` leaves the operation as it is until the next pass; `refuse` ends it, and it is not retried. */
export type GuardVerdict =
  | { readonly kind: 'go' }
  | { readonly kind: 'wait'; readonly diagnosis: Diagnosis }
  | { readonly kind: 'refuse'; readonly diagnosis: Diagnosis };

/** Decides before each step of a sync whether it may be taken. */
export type OperationGuard = (step: GuardedStep) => Promise<GuardVerdict>;
