import type { Client, Clock, RequestRecord } from '@tiphys/kubernetes';
import type { Registry } from 'prom-client';

/** What each family of controllers is started with. */
export interface FamilyOptions {
  /** Client of the cluster that holds the control plane. */
  readonly client: Client;
  /** Namespace of the control plane. */
  readonly namespace: string;
  readonly clock: Clock;
  /** Ends the family. */
  readonly signal: AbortSignal;
  /** Objects that are worked on at once; the family's own number if absent. */
  readonly workers?: number;
  /** Told of what a controller could not deal with itself; it is tried again. */
  readonly onError: (key: string, error: unknown) => void;
  /** Where the family's measures are kept; nothing is measured if absent. */
  readonly metrics?: Registry;
  /** Tells a listener of every request to the control plane's cluster. */
  readonly requests?: (listener: (record: RequestRecord) => void) => void;
}

/** A family that runs. */
export interface Runtime {
  /** Stops it; resolves when nothing is under way any more and its leases are given back. */
  close(): Promise<void>;
}
