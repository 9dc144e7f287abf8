import type { Client, Clock } from '@tiphys/kubernetes';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import type { SyncPlan, SyncState } from './model.ts';

/** An operation as it stands, and what it may use. */
export interface StepRequest {
  readonly plan: SyncPlan;
  /** Client that writes; its caller names the application. */
  readonly client: Client;
  readonly cache: ClusterCache;
  /** Where the operation stands; `resources` are those of `operationState.syncResult`. Absent at its start. */
  readonly state?: SyncState;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /**
   * Milliseconds that the controllers of a wave's objects get before their health is believed and the next wave begins, as
   * upstream; 0 if absent. A wave that changed nothing is not waited for.
   */
  readonly waveDelay?: number;
  /** Called after each wave, and before a hook whose result is new is let go, with all results so far: store them. */
  readonly onProgress?: (state: SyncState) => Promise<void> | void;
}
