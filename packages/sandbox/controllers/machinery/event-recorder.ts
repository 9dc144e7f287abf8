import { type Client, type Clock, isForbidden, isNotFound, type KubeObject } from '@tiphys/kubernetes';

export type EventType = 'Normal' | 'Warning';

export interface EventRecorderOptions {
  clock: Clock;
  signal: AbortSignal;
  /** `source.component` and `reportingComponent`, such as `deployment-controller`. */
  component: string;
  /** Where it happened. */
  host?: (about: KubeObject) => string | undefined;
}

const maxQueue = 1000;
const parallel = 4;
const remembered = 4096;
/** As many Normal events may come at once, and so many a second, as a kubelet's event-burst and event-qps allow. */
const burst = 100;
const perSecond = 50;

/**
 * Writes core/v1 Events in the background, as client-go's recorder does: equal events are counted on one object, and
 * Normal ones beyond a rate, and
 * all beyond 1,000 that wait, are dropped, so that events never slow the work they tell of.
 */
export class EventRecorder {
  readonly #client: Client;
  readonly #options: EventRecorderOptions;
  readonly #seen = new Map<string, { name: string; count: number }>();
  readonly #queue: KubeObject[] = [];
  #allowance = { tokens: burst, at: 0 };
  #writing = 0;
  #sequence = 0;

  constructor(client: Client, options: EventRecorderOptions) {
    this.#client = client.as({ component: options.component, purpose: 'record events' });
    this.#options = options;
  }

  event(about: KubeObject, type: EventType, reason: string, message: string, fieldPath?: string): void {
    if (this.#options.signal.aborted || this.#queue.length >= maxQueue) return;
    if (type === 'Normal' && !this.#mayTell()) return;
    const { clock, component } = this.#options;
    const host = this.#options.host?.(about);
    const { namespace, name = '', uid, resourceVersion } = about.metadata;
    const time = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
    this.#queue.push({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: {
        name: `${name}.${(BigInt(clock.now()) * 1_000_000n + BigInt(this.#sequence++ % 1_000_000)).toString(16)}`,
        namespace: namespace || 'default',
      },
      involvedObject: {
        apiVersion: about.apiVersion,
        kind: about.kind,
        name,
        ...(namespace ? { namespace } : {}),
        ...(uid ? { uid } : {}),
        ...(resourceVersion && !fieldPath ? { resourceVersion } : {}),
        ...(fieldPath ? { fieldPath } : {}),
      },
      type,
      reason,
      message: message.slice(0, 1024),
      source: { component, ...(host ? { host } : {}) },
      reportingComponent: component,
      reportingInstance: host ?? '',
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    });
    while (this.#writing < parallel && this.#queue.length > 0) void this.#drain();
  }

  #mayTell(): boolean {
    const now = this.#options.clock.now();
    const { tokens, at } = this.#allowance;
    const filled = Math.min(burst, tokens + ((now - at) / 1000) * perSecond);
    this.#allowance = { tokens: filled >= 1 ? filled - 1 : filled, at: now };
    return filled >= 1;
  }

  async #drain(): Promise<void> {
    this.#writing++;
    try {
      for (let event = this.#queue.shift(); event && !this.#options.signal.aborted; event = this.#queue.shift())
        await this.#write(event);
    } finally {
      this.#writing--;
    }
  }

  async #write(event: KubeObject): Promise<void> {
    const about = event.involvedObject as Record<string, string>;
    const key = [about.kind, about.uid ?? about.name, about.fieldPath, event.type, event.reason, event.message].join(
      '\n',
    );
    const seen = this.#seen.get(key);
    try {
      if (seen && (await this.#count(event, seen))) return;
      const { name = '' } = (await this.#client.create(event)).metadata;
      this.#seen.set(key, { name, count: 1 });
      if (this.#seen.size > remembered) this.#seen.delete(this.#seen.keys().next().value ?? '');
    } catch (error) {
      // an event is a courtesy: in a namespace that goes away, and with a server that does, it is given up
      if (!isNotFound(error) && !isForbidden(error)) this.lastError = error;
    }
  }

  /** The last refusal of the server, for whoever wonders where the events are. */
  lastError: unknown;

  async #count(event: KubeObject, seen: { name: string; count: number }): Promise<boolean> {
    const ref = { apiVersion: 'v1', kind: 'Event', namespace: event.metadata.namespace ?? '', name: seen.name };
    try {
      seen.count++;
      await this.#client.patch(ref, 'merge', { count: seen.count, lastTimestamp: event.lastTimestamp });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }
}
