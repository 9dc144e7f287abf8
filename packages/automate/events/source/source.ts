import type { Client, Clock } from '@tiphys/kubernetes';
import type { KeyReader } from '../keys/key-reader.ts';
import type { Log } from '../trace/log.ts';
import type { RefusedSender } from '../trouble/diagnoses.ts';
import type { HttpRoutes } from './http-routes.ts';

/** What an event source gets to know and to do. */
export interface SourceContext<S = unknown> {
  readonly namespace: string;
  /** Name of the EventSource. */
  readonly sourceName: string;
  readonly eventName: string;
  /** The spec of this event. */
  readonly spec: S;
  readonly client: Client;
  readonly keys: KeyReader;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly http: HttpRoutes;
  /** Ends it. */
  readonly signal: AbortSignal;
  /**
   * Puts an event on the bus, unless the filter refuses it. Resolves when it is stored: only then may the system that it came
   * from be told that it was taken.
   */
  dispatch(data: string, options?: { readonly id?: string }): Promise<void>;
  /** Counts an event that could not be made of what came. */
  failed(error: unknown): void;
  /** Tells of a sender that signs with another secret, until one is accepted. */
  refused(sender: RefusedSender): void;
  /** A sender proved that it knows the secret. */
  accepted(): void;
}

/** Listens until the signal aborts; throws if it cannot. `ready` tells that events are heard from now on. */
export type Listen<S = unknown> = (context: SourceContext<S>, ready: () => void) => Promise<void>;

/** Resolves when the signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
