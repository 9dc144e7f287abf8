import type { Application } from '@tiphys/api';
import type { Client, Clock } from '@tiphys/kubernetes';

/** Reasons of Kubernetes Events, as upstream names them. */
export type EventReason = 'OperationStarted' | 'OperationCompleted' | 'ResourceUpdated' | 'ResourceCreated' | 'ResourceDeleted';

/**
 * Records Kubernetes Events about applications. An event that cannot be written is counted and reported to `onError`;
 * it never fails what it tells of.
 */
export class EventRecorder {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  #sequence = 0;

  constructor(client: Client, clock: Clock, onError: (error: unknown) => void) {
    this.#client = client;
    this.#clock = clock;
    this.#onError = onError;
  }

  record(application: Application, type: 'Normal' | 'Warning', reason: EventReason, message: string): void {
    const { namespace = '', name = '', uid, resourceVersion } = application.metadata;
    const time = new Date(this.#clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
    this.#sequence += 1;
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${name}.${this.#clock.now().toString(16)}${this.#sequence.toString(16).padStart(5, '0')}`, namespace },
      involvedObject: { apiVersion: application.apiVersion, kind: application.kind, namespace, name, uid, resourceVersion },
      type,
      reason,
      message: message.slice(0, 1024),
      source: { component: 'argocd-application-controller' },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    };
    this.#client.create(event).catch(this.#onError);
  }
}
