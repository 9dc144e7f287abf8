import { type Diagnosis, formatDiagnosis } from '@tiphys/diagnosis';
import { type Client, type Clock, type KubeObject, timestamp } from '@tiphys/kubernetes';
import type { Log } from '../ports/log.ts';

export type EventReason =
  | 'ResourceCreated'
  | 'ResourceUpdated'
  | 'ResourceDeleted'
  | 'ResourceActionRan'
  | 'OperationStarted'
  | 'OperationCompleted'
  | 'StatusRefreshed'
  | 'Promoted';

/** What a user did to an application, or to one of its objects. */
export interface UserAct {
  readonly application: KubeObject;
  readonly user: string;
  readonly action: string;
  readonly object?: ActedObject | undefined;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

export interface ActedObject {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Writes Kubernetes Events about what users did, with Argo CD's reasons and component. A failure to write is logged only. */
export class EventRecorder {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #namespace: string;
  readonly #labels: (application: KubeObject) => Record<string, string> | undefined;
  readonly #enabled: (reason: string) => boolean;
  readonly #acted: (act: UserAct) => void;
  #count = 0;

  /** `labels` are those of Events about an application; `enabled` tells of users' reasons whether they are written, true if absent. */
  constructor(options: {
    client: Client;
    clock: Clock;
    log: Log;
    namespace: string;
    labels?: (application: KubeObject) => Record<string, string> | undefined;
    enabled?: (reason: string) => boolean;
    /** Told of what users did to applications, whatever is written as an Event. */
    acted?: (act: UserAct) => void;
  }) {
    this.#acted = options.acted ?? (() => undefined);
    this.#enabled = options.enabled ?? (() => true);
    this.#labels = options.labels ?? (() => undefined);
    this.#client = options.client;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#namespace = options.namespace;
  }

  /** Tells of a problem of one of the control plane's own objects. Resolves when it is written or has failed. */
  async warn(object: { apiVersion: string; kind: string; name: string }, problem: Diagnosis): Promise<void> {
    const now = this.#clock.now();
    const time = timestamp(now);
    const namespace = this.#namespace;
    const { name } = object;
    await this.#write({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: this.#nameOf(name, now), namespace },
      source: { component: 'argocd-server' },
      involvedObject: { ...object, namespace },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
      type: 'Warning',
      reason: problem.code,
      message: formatDiagnosis(problem).slice(0, 1024),
    });
  }

  #nameOf(name: string | undefined, now: number): string {
    this.#count += 1;
    return `${name}.${(BigInt(now) * 1_000_000n + 500_000n + BigInt(this.#count % 500_000)).toString(16)}`;
  }

  async #write(event: KubeObject): Promise<void> {
    await this.#client
      .create(event)
      .catch((error: unknown) =>
        this.#log('warn', 'an event could not be written', { reason: event.reason, error: String(error) }),
      );
  }

  /** `user` did `action` ("created application") to the object. Resolves when it is written, so that who gets an answer finds it. */
  async record(
    object: KubeObject,
    reason: EventReason,
    user: string | undefined,
    done: string | { readonly action: string; readonly object: ActedObject },
  ): Promise<void> {
    const now = this.#clock.now();
    const { action, object: target } = typeof done === 'string' ? { action: done, object: undefined } : done;
    if (object.kind === 'Application' && object.apiVersion.startsWith('argoproj.io/'))
      this.#acted({ application: object, user: user || 'Unknown user', action, object: target, time: now });
    if (!this.#enabled(reason)) return;
    const time = timestamp(now);
    const who = user || 'Unknown user';
    const own = object.apiVersion.startsWith('argoproj.io/');
    const destination = (object.spec as { destination?: { server?: string; namespace?: string } } | undefined)
      ?.destination;
    const annotations: Record<string, string> = { user: who };
    if (destination)
      Object.assign(annotations, {
        'dest-server': destination.server ?? '',
        'dest-namespace': destination.namespace ?? '',
      });
    const labels = own && object.kind === 'Application' ? this.#labels(object) : undefined;
    if (!own) annotations['resource-namespace'] = object.metadata.namespace ?? '';
    const event: KubeObject = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: {
        name: this.#nameOf(object.metadata.name, now),
        namespace: own ? (object.metadata.namespace ?? this.#namespace) : this.#namespace,
        annotations,
        ...(labels ? { labels } : {}),
      },
      source: { component: 'argocd-server' },
      involvedObject: {
        apiVersion: object.apiVersion,
        kind: object.kind,
        name: object.metadata.name,
        namespace: object.metadata.namespace,
        uid: object.metadata.uid,
        resourceVersion: object.metadata.resourceVersion,
      },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
      type: 'Normal',
      reason,
      message: `${who} ${action}`,
    };
    await this.#write(event);
  }
}
