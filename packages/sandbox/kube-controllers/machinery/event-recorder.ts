import { type Client, type Clock, isNotFound, type KubeObject, timestamp } from '@tiphys/kubernetes';
import { BackgroundWrites } from './background-writes.ts';
import { type Correlated, EventCorrelator, remember } from './event-correlator.ts';

export type EventType = 'Normal' | 'Warning';

export interface EventRecorderOptions {
  clock: Clock;
  signal: AbortSignal;
  /** `source.component` and `reportingComponent`, such as `deployment-controller`. */
  component: string;
  /** Where it happened. */
  host?: (about: KubeObject) => string | undefined;
}

/** As many Normal events may come at once, and so many a second, as a kubelet's event-burst and event-qps allow. */
const burst = 100;
const perSecond = 50;

interface Told {
  name: string;
  count: number;
  written: Promise<unknown>;
}

/**
 * Writes core/v1 Events in the background, as client-go's recorder does: equal events are counted on one object, many that
 * are alike are combined, and Normal ones beyond a rate, all beyond one about the same object, and all beyond 1,000
 * that wait, are dropped, so that events never slow the work they tell of.
 */
export class EventRecorder {
  readonly #client: Client;
  readonly #options: EventRecorderOptions;
  readonly #correlator: EventCorrelator;
  readonly #told = new Map<string, Told>();
  readonly #writes: BackgroundWrites;
  #allowance = { tokens: burst, at: 0 };
  #sequence = 0;

  constructor(client: Client, options: EventRecorderOptions) {
    this.#client = client.as({ component: options.component, purpose: 'record events' });
    this.#options = options;
    this.#correlator = new EventCorrelator(options.clock);
    this.#writes = new BackgroundWrites(options.signal);
  }

  event(about: KubeObject, type: EventType, reason: string, message: string, fieldPath?: string): void {
    if (this.#options.signal.aborted) return;
    if (type === 'Normal' && !this.#mayTell()) return;
    const { clock, component } = this.#options;
    const host = this.#options.host?.(about);
    const { namespace, name = '', uid, resourceVersion } = about.metadata;
    const time = timestamp(clock.now());
    const event: KubeObject = {
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
    };
    this.#tell(this.#correlator.correlate(event));
  }

  #mayTell(): boolean {
    const now = this.#options.clock.now();
    const { tokens, at } = this.#allowance;
    const filled = Math.min(burst, tokens + ((now - at) / 1000) * perSecond);
    this.#allowance = { tokens: filled >= 1 ? filled - 1 : filled, at: now };
    return filled >= 1;
  }

  #tell({ event, key, dropped }: Correlated): void {
    const told = this.#told.get(key);
    if (told) {
      told.count++;
      if (!dropped) this.#writes.add(() => this.#count(told, event));
      return;
    }
    if (dropped) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#writes.add(() => this.#client.create(event).finally(resolve)))
      remember(this.#told, key, { name: event.metadata.name ?? '', count: 1, written: promise });
  }

  async #count(told: Told, event: KubeObject): Promise<void> {
    await told.written;
    const { namespace = '' } = event.metadata;
    const { count } = told;
    const body = { count, message: event.message, lastTimestamp: event.lastTimestamp };
    try {
      await this.#client.patch({ apiVersion: 'v1', kind: 'Event', namespace, name: told.name }, 'merge', body);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      told.name = event.metadata.name ?? '';
      await this.#client.create({ ...event, count });
    }
  }
}
