import type { Application } from '@tiphys/api';
import { type Client, type Clock, type KubeObject, pause } from '@tiphys/kubernetes';

/** Reasons of Kubernetes Events, as upstream names them. */
export type EventReason =
  | 'OperationStarted'
  | 'OperationCompleted'
  | 'ResourceUpdated'
  | 'ResourceCreated'
  | 'ResourceDeleted';

/** What is told of an application: a sentence, or a status that changed. */
export type Announcement =
  | { readonly type: 'Normal' | 'Warning'; readonly reason: EventReason; readonly message: string }
  | { readonly subject: 'sync' | 'health'; readonly from: string; readonly to: string };

interface Pending {
  readonly application: Application;
  readonly at: number;
  readonly announcement: Announcement;
}

/** Beyond the burst, Events wait this long: they tell of work and must not compete with it. */
const delay = 1_000;
/** So many are written at once in each such time, as somebody looks for them right after what he did. */
const burst = 10;
/** So many are written in each such time beyond the burst. */
const batch = 50;
/** Writes at once. */
const parallel = 4;
/** More than this many waiting ones are dropped, oldest first: the status of the applications tells the same. */
const capacity = 20_000;

/**
 * Records Kubernetes Events about applications, a few at a time; when there are many, a moment later. A status that changes
 * again meanwhile makes one Event from its first to its last value. An Event that cannot be written is reported to `onError`; it never
 * fails what it tells of.
 */
export class EventRecorder {
  readonly #client: Pick<Client, 'create'>;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #labels: (application: Application) => Record<string, string> | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #enabled: (reason: string) => boolean;
  readonly #pending = new Map<string, Pending>();
  #sequence = 0;
  #flushing = false;
  #written = 0;
  #window = { since: Number.NEGATIVE_INFINITY, writtenBefore: 0 };

  constructor(
    client: Pick<Client, 'create'>,
    clock: Clock,
    onError: (error: unknown) => void,
    labels: (application: Application) => Record<string, string> | undefined = () => undefined,
    /** Ends it: what waits then is not written any more. */
    signal?: AbortSignal,
    enabled: (reason: string) => boolean = () => true,
  ) {
    this.#signal = signal;
    signal?.addEventListener('abort', () => this.#pending.clear(), { once: true });
    this.#labels = labels;
    this.#enabled = enabled;
    this.#client = client;
    this.#clock = clock;
    this.#onError = onError;
  }

  record(application: Application, announcement: Announcement): void {
    if (this.#signal?.aborted) return;
    if (!this.#enabled('reason' in announcement ? announcement.reason : 'ResourceUpdated')) return;
    this.#sequence += 1;
    const transition =
      'subject' in announcement ? `${application.metadata.uid}/${announcement.subject}` : `#${this.#sequence}`;
    const earlier = this.#pending.get(transition)?.announcement;
    if (earlier && 'subject' in earlier && 'subject' in announcement) {
      if (earlier.from === announcement.to) this.#pending.delete(transition);
      else
        this.#pending.set(transition, {
          application,
          at: this.#clock.now(),
          announcement: { ...announcement, from: earlier.from },
        });
    } else this.#pending.set(transition, { application, at: this.#clock.now(), announcement });
    if (this.#pending.size > capacity) this.#pending.delete(this.#pending.keys().next().value as string);
    void this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#flushing) return;
    this.#flushing = true;
    try {
      while (this.#pending.size > 0) {
        // the end of the wait by the signal leaves nothing to write
        if (!this.#inBurst()) await pause(this.#clock, delay, this.#signal);
        const until = this.#written + batch;
        await Promise.all(Array.from({ length: parallel }, () => this.#drain(until)));
      }
    } finally {
      this.#flushing = false;
    }
  }

  #inBurst(): boolean {
    const now = this.#clock.now();
    if (now - this.#window.since >= delay) this.#window = { since: now, writtenBefore: this.#written };
    return this.#written - this.#window.writtenBefore < burst;
  }

  async #drain(until: number): Promise<void> {
    for (let next = this.#take(until); next; next = this.#take(until)) {
      try {
        await this.#client.create(next);
      } catch (error) {
        if (this.#signal?.aborted) return;
        this.#onError(error);
      }
    }
  }

  #take(until: number): KubeObject | undefined {
    const first = this.#pending.entries().next().value;
    if (!first || this.#written >= until) return undefined;
    this.#pending.delete(first[0]);
    this.#written += 1;
    return this.#event(first[1]);
  }

  #event({ application, at, announcement }: Pending): KubeObject {
    const { namespace = '', name = '', uid, resourceVersion } = application.metadata;
    const time = new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
    this.#sequence += 1;
    const labels = this.#labels(application);
    const { server = '', namespace: target = '' } = application.spec?.destination ?? {};
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: {
        // as client-go names them, so that a list is in order of time; the server's Events begin at the other half of a millisecond
        name: `${name}.${(BigInt(at) * 1_000_000n + BigInt(this.#sequence % 500_000)).toString(16)}`,
        namespace,
        annotations: { 'dest-server': server, 'dest-namespace': target },
        ...(labels ? { labels } : {}),
      },
      involvedObject: {
        apiVersion: application.apiVersion,
        kind: application.kind,
        namespace,
        name,
        uid,
        resourceVersion,
      },
      ...eventText(announcement),
      source: { component: 'argocd-application-controller' },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    };
  }
}

function eventText(announcement: Announcement): { type: string; reason: EventReason; message: string } {
  if (!('subject' in announcement)) return { ...announcement, message: announcement.message.slice(0, 1024) };
  return {
    type: 'Normal',
    reason: 'ResourceUpdated',
    message: `Updated ${announcement.subject} status: ${announcement.from} -> ${announcement.to}`,
  };
}
