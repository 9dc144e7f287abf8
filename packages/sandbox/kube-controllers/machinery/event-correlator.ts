import type { Clock, KubeObject } from '@tiphys/kubernetes';

/** So many different messages of one reason about one object within ten minutes become one event. */
const mostMessages = 10;
const interval = 600_000;
/** So many events of one type about one object may come at once, and another one every five minutes. */
const burst = 25;
const refillEvery = 300_000;
const remembered = 4096;

/** An event as it is to be told. */
export interface Correlated {
  event: KubeObject;
  /** Events with the same key are counted on one object. */
  key: string;
  /** Too many were told about the object: it is counted, but not written. */
  dropped: boolean;
}

/** What client-go's recorder does before it writes (`EventCorrelator`): events that are alike are combined, too many dropped. */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #alike = new Map<string, { messages: Set<string>; last: number }>();
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  correlate(event: KubeObject): Correlated {
    const { kind, namespace, name, uid, apiVersion, fieldPath } = event.involvedObject as Record<string, string>;
    const about = [kind, namespace, name, uid, apiVersion, event.type];
    const dropped = !this.#mayTell(about.join('\n'));
    const reason = [...about, event.reason].join('\n');
    const { message } = event as { message?: string };
    if (!this.#isOneOfMany(reason, message ?? ''))
      return { event, key: [reason, fieldPath, message].join('\n'), dropped };
    const { reportingComponent: _, reportingInstance: __, ...rest } = event;
    return { event: { ...rest, message: `(combined from similar events): ${message}` }, key: reason, dropped };
  }

  #isOneOfMany(key: string, message: string): boolean {
    const now = this.#clock.now();
    const known = this.#alike.get(key);
    const messages = known && now - known.last <= interval ? known.messages : new Set<string>();
    remember(this.#alike, key, { messages: messages.add(message), last: now });
    if (messages.size < mostMessages) return false;
    for (const oldest of messages) {
      messages.delete(oldest);
      break;
    }
    return true;
  }

  #mayTell(key: string): boolean {
    const now = this.#clock.now();
    const { tokens, at } = this.#buckets.get(key) ?? { tokens: burst, at: now };
    const filled = Math.min(burst, tokens + (now - at) / refillEvery);
    remember(this.#buckets, key, { tokens: filled >= 1 ? filled - 1 : filled, at: now });
    return filled >= 1;
  }
}

/** Sets the entry as the newest, and forgets the oldest of too many. */
export function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > remembered) map.delete(map.keys().next().value ?? '');
}
