import { type Client, type Clock, isNotFound, type KubeObject, pause, timestamp } from '@tiphys/kubernetes';
import { type CombinedEvent, SimilarEvents } from './similar-events.ts';

/** What is told of an object: a sentence, or a status that changed. */
export type Announcement<Reason extends string = string> =
  | {
      readonly type: 'Normal' | 'Warning';
      readonly reason: Reason;
      readonly message: string;
      /** Of this Event alone. */
      readonly annotations?: Readonly<Record<string, string>>;
      /** The object that the Event is about where that is another one of the same namespace. */
      readonly about?: KubeObject;
    }
  | { readonly subject: string; readonly from: string; readonly to: string };

/** What an Event says of its object: the object itself, which may be long, is not kept while the Event waits. */
interface Subject {
  /** UID of the object that tells it: its Events are in order, whatever they are about. */
  readonly uid: string;
  readonly involvedObject: Readonly<Record<string, string | undefined>>;
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly annotations: Readonly<Record<string, string>> | undefined;
}

interface Pending {
  readonly about: Subject;
  readonly at: number;
  /** Of the last of several that are told together. */
  readonly last?: number;
  /** How many are told together; 1 if absent. */
  readonly count?: number;
  /** Set for one that tells of similar ones. */
  readonly combined?: CombinedEvent;
  readonly announcement: Announcement;
}

export interface EventRecorderOptions<T extends KubeObject> {
  readonly client: Pick<Client, 'create' | 'patch'>;
  readonly clock: Clock;
  /** `source.component` of the Events. */
  readonly component: string;
  /** Told of each Event that could not be written. */
  readonly onError: (error: unknown) => void;
  /** Ends it: what waits then is not written any more, unless by `close`. */
  readonly signal?: AbortSignal;
  readonly labels?: (object: T) => Record<string, string> | undefined;
  readonly annotations?: (object: T) => Record<string, string> | undefined;
  /** Whether Events of a reason are written at all; all of them if absent. */
  readonly enabled?: (reason: string) => boolean;
  /** Events that are written at once in each second before others wait; 10 if absent. */
  readonly burst?: number;
  /** Whether sentences of one reason that wait beyond the burst, one after the other of an object, are told by one Event with their count. */
  readonly merges?: boolean;
  /**
   * Whether an object's sentences of one type and reason share an Event from the tenth different one within ten minutes on, as client-go has it:
   * `(combined from similar events): SENTENCE`, with their count and without annotations.
   */
  readonly aggregates?: boolean;
  /** Asked at each Event of an object: how long Events wait although no burst is spent, in milliseconds; 0 if they do not. */
  readonly waits?: (object: T) => number;
  /** While it says so, there is work that goes before the Events beyond the burst: they wait for a gap, at most half a minute. */
  readonly pressed?: () => boolean;
}

/** Beyond the burst, Events wait this long: they tell of work and must not compete with it. */
const delay = 1_000;
/** So many are written at once in each such time, as somebody looks for them right after what he did. */
const burst = 10;
/** So many are written in each such time beyond the burst. */
const batch = 50;
/** Characters of a message, as the API server takes them. */
const longest = 1024;
/** Of many that wait, so many parts are written in each such time. */
const parts = 20;
/** Writes at once. */
const parallel = 4;
/** Writes at once at the end, when nothing else is done any more. */
const parallelAtEnd = 16;
/** No Event waits longer than so for a gap in the work, in milliseconds. */
const longestWait = 30_000;
/** The end waits so long for what is still to be written, in milliseconds. */
const grace = 3_000;
/** More than this many waiting ones are dropped, oldest first: the status of the applications tells the same. */
const capacity = 20_000;

/**
 * Records Kubernetes Events about applications, a few at a time, those of one object in their order; when there are many, a moment later. A status that changes
 * again meanwhile makes one Event from its first to its last value. An Event that cannot be written is reported to `onError`; it never
 * fails what it tells of.
 */
export class EventRecorder<T extends KubeObject = KubeObject> {
  readonly #options: EventRecorderOptions<T>;
  readonly #pending = new Map<string, Pending>();
  /** The last one of each object that waits. */
  readonly #lastOf = new Map<string, string>();
  /** Objects with an Event under way. */
  readonly #writing = new Set<string>();
  readonly #similar = new SimilarEvents();
  #sequence = 0;
  #flushing: Promise<void> | undefined;
  readonly #closing = new AbortController();
  #waits = 0;
  #written = 0;
  #window = { since: Number.NEGATIVE_INFINITY, writtenBefore: 0 };

  constructor(options: EventRecorderOptions<T>) {
    this.#options = options;
    options.signal?.addEventListener('abort', () => this.#pending.clear(), { once: true });
  }

  record(object: T, announcement: Announcement): void {
    const { signal, enabled, clock } = this.#options;
    if (signal?.aborted) return;
    if (enabled && !enabled('reason' in announcement ? announcement.reason : 'ResourceUpdated')) return;
    this.#waits = this.#options.waits?.(object) ?? 0;
    this.#sequence += 1;
    const transition =
      'subject' in announcement ? `${object.metadata.uid}/${announcement.subject}` : `#${this.#sequence}`;
    if (this.#mergeInto(object, announcement) || this.#combine(object, announcement)) return;
    const about = this.#about(object, 'about' in announcement ? announcement.about : undefined);
    const earlier = this.#pending.get(transition)?.announcement;
    if (earlier && 'subject' in earlier && 'subject' in announcement) {
      if (earlier.from === announcement.to) this.#pending.delete(transition);
      else
        this.#pending.set(transition, {
          about,
          at: clock.now(),
          announcement: { ...announcement, from: earlier.from },
        });
    } else this.#pending.set(transition, { about, at: clock.now(), announcement });
    if (this.#options.merges) this.#lastOf.set(object.metadata.uid ?? '', transition);
    this.#wait();
  }

  #wait(): void {
    if (this.#pending.size > capacity) this.#pending.delete(this.#pending.keys().next().value as string);
    this.#flush();
  }

  /** Writes what waits, for at most three seconds; call it when nothing is told any more. */
  async close(): Promise<void> {
    this.#closing.abort();
    const { clock, signal } = this.#options;
    const over = new AbortController();
    await Promise.race([
      this.#flushing,
      pause(clock, grace, signal ? AbortSignal.any([signal, over.signal]) : over.signal),
    ]);
    over.abort();
    this.#pending.clear();
  }

  /** Adds a sentence to the one that waits last of the object, where both have one reason: what happened is reported in order all the same. */
  #mergeInto(object: T, announcement: Announcement): boolean {
    if (!this.#options.merges || this.#inBurst() || !('reason' in announcement) || announcement.annotations)
      return false;
    const key = this.#lastOf.get(object.metadata.uid ?? '');
    const earlier = key === undefined ? undefined : this.#pending.get(key);
    if (key === undefined || !earlier || !('reason' in earlier.announcement)) return false;
    const { type, reason, message, annotations } = earlier.announcement;
    const both = `${message}; ${announcement.message}`;
    if (annotations || type !== announcement.type || reason !== announcement.reason || both.length > longest)
      return false;
    const { at, count = 1 } = earlier;
    this.#pending.set(key, {
      ...{ about: this.#about(object), at, count: count + 1, last: this.#options.clock.now() },
      announcement: { type, reason, message: both },
    });
    return true;
  }

  /** True for a sentence that is told together with similar ones; while their Event waits, it tells of the last of them. */
  #combine(object: T, announcement: Announcement): boolean {
    if (!this.#options.aggregates || !('reason' in announcement)) return false;
    const about = this.#about(object, announcement.about);
    const { type, reason, message } = announcement;
    const key = `${about.involvedObject.uid}/${type}/${reason}`;
    const at = this.#options.clock.now();
    const combined = this.#similar.combine(key, message, at);
    if (!combined) return false;
    const text = `(combined from similar events): ${message}`;
    this.#pending.set(key, { about, at, combined, announcement: { type, reason, message: text } });
    this.#wait();
    return true;
  }

  #flush(): void {
    this.#flushing ??= this.#writeWaiting().finally(() => {
      this.#flushing = undefined;
    });
  }

  async #writeWaiting(): Promise<void> {
    const closing = this.#closing.signal;
    while (this.#pending.size > 0) {
      // the end of the wait by the signal leaves nothing to write
      if (!closing.aborted && !this.#inBurst()) await this.#gap();
      const until = closing.aborted ? Number.POSITIVE_INFINITY : this.#written + this.#lot();
      await Promise.all(Array.from({ length: closing.aborted ? parallelAtEnd : parallel }, () => this.#drain(until)));
    }
  }

  /** Resolves when Events may be written beyond the burst. */
  async #gap(): Promise<void> {
    const { clock, signal, pressed } = this.#options;
    const end = signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal;
    const isPressed = () => {
      const [oldest] = this.#pending.values();
      return (pressed?.() ?? false) && oldest !== undefined && clock.now() - oldest.at < longestWait;
    };
    do await pause(clock, this.#waits || delay, end);
    while (!end.aborted && isPressed());
  }

  /** How many are written before the next wait. */
  #lot(): number {
    if (this.#waits > 0) return Math.ceil(this.#waits / delay) * (this.#options.burst ?? burst);
    return Math.max(batch, Math.ceil(this.#pending.size / parts));
  }

  #inBurst(): boolean {
    if (this.#waits > 0) return false;
    const now = this.#options.clock.now();
    if (now - this.#window.since >= delay) this.#window = { since: now, writtenBefore: this.#written };
    return this.#written - this.#window.writtenBefore < (this.#options.burst ?? burst);
  }

  async #drain(until: number): Promise<void> {
    for (let next = this.#take(until); next; next = this.#take(until)) {
      const { uid } = next.about;
      this.#writing.add(uid);
      try {
        await this.#write(next);
      } catch (error) {
        if (this.#options.signal?.aborted) return;
        this.#options.onError(error);
      } finally {
        this.#writing.delete(uid);
      }
    }
  }

  async #write(next: Pending): Promise<void> {
    const { client } = this.#options;
    const { combined } = next;
    const event = this.#event(next);
    if (combined?.name !== undefined) {
      const { metadata, lastTimestamp, message, count } = event;
      const ref = { apiVersion: 'v1', kind: 'Event', namespace: metadata.namespace ?? '', name: combined.name };
      try {
        await client.patch(ref, 'merge', { lastTimestamp, message, count });
        return;
      } catch (error) {
        // Events are kept for a while only
        if (!isNotFound(error)) throw error;
      }
    }
    const written = await client.create(event);
    if (combined) combined.name = written.metadata.name;
  }

  /** The oldest one whose object has none under way: a watch must see an object's Events in their order. */
  #take(until: number): Pending | undefined {
    if (this.#written >= until) return undefined;
    for (const [key, pending] of this.#pending) {
      const { uid } = pending.about;
      if (this.#writing.has(uid)) continue;
      this.#pending.delete(key);
      if (this.#lastOf.get(uid) === key) this.#lastOf.delete(uid);
      this.#written += 1;
      return pending;
    }
    return undefined;
  }

  #about(object: T, other?: KubeObject): Subject {
    const { apiVersion, kind, metadata } = other ?? object;
    const { namespace, name = '', uid, resourceVersion } = metadata;
    return {
      uid: object.metadata.uid ?? '',
      involvedObject: {
        apiVersion,
        kind,
        ...(namespace ? { namespace } : {}),
        name,
        uid,
        resourceVersion,
      },
      labels: this.#options.labels?.(object),
      annotations: this.#options.annotations?.(object),
    };
  }

  #event({ about, at, last = at, combined, count = combined?.count ?? 1, announcement }: Pending): KubeObject {
    const { involvedObject, labels, annotations: shared } = about;
    const time = timestamp(at);
    this.#sequence += 1;
    const own = 'annotations' in announcement ? announcement.annotations : undefined;
    const annotations = (shared || own) && !combined ? { ...shared, ...own } : undefined;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: {
        // as client-go names them, so that a list is in order of time; the server's Events begin at the other half of a millisecond
        name: `${involvedObject.name}.${(BigInt(at) * 1_000_000n + BigInt(this.#sequence % 500_000)).toString(16)}`,
        // Events of cluster-wide objects are kept in the namespace default, as client-go does
        namespace: involvedObject.namespace || 'default',
        ...(annotations ? { annotations } : {}),
        ...(labels ? { labels } : {}),
      },
      involvedObject,
      ...eventText(announcement),
      source: { component: this.#options.component },
      firstTimestamp: combined ? timestamp(combined.since) : time,
      lastTimestamp: timestamp(last),
      count,
    };
  }
}

function eventText(announcement: Announcement): { type: string; reason: string; message: string } {
  if (!('subject' in announcement)) {
    const { type, reason, message } = announcement;
    return { type, reason, message: message.slice(0, longest) };
  }
  return {
    type: 'Normal',
    reason: 'ResourceUpdated',
    message: `Updated ${announcement.subject} status: ${announcement.from} -> ${announcement.to}`,
  };
}
