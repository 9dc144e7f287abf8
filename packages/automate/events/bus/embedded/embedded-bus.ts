import { type Clock, pause } from '@tiphys/kubernetes';
import type { Bus, BusMessage, BusState, Consumer, ConsumerOptions } from '../bus.ts';
import type { EventLog } from './event-log.ts';

const batch = 64;
const retryDelay = 1000;

/** A bus in a log of this process. */
export class EmbeddedBus implements Bus {
  readonly connected = true;
  readonly #log: EventLog;
  readonly #name: string;
  readonly #clock: Clock;
  readonly #consumers = new Set<Consumer>();

  /** The name, such as `namespace/default`, keeps buses in one log apart. */
  constructor(log: EventLog, name: string, clock: Clock) {
    this.#log = log;
    this.#name = name;
    this.#clock = clock;
  }

  publish({ eventSourceName, eventName, id, body }: BusMessage): Promise<void> {
    return this.#log.append(this.#name, subjectOf(eventSourceName, eventName), { id, body });
  }

  async consume(options: ConsumerOptions): Promise<Consumer> {
    await this.#log.register(this.#name, options.durable, subjectOf(options.eventSourceName, options.eventName));
    const stop = new AbortController();
    const running = this.#follow(options, stop.signal);
    const consumer = {
      close: async () => {
        stop.abort();
        this.#consumers.delete(consumer);
        await running;
      },
    };
    this.#consumers.add(consumer);
    return consumer;
  }

  async #follow(options: ConsumerOptions, signal: AbortSignal): Promise<void> {
    const { durable, eventSourceName, eventName } = options;
    const subject = subjectOf(eventSourceName, eventName);
    let wake = Promise.withResolvers<void>();
    const unsubscribe = this.#log.subscribe(this.#name, subject, () => wake.resolve());
    signal.addEventListener('abort', () => wake.resolve(), { once: true });
    const failed = new Set<number>();
    let place = this.#log.place(this.#name, durable);
    while (!signal.aborted) {
      wake = Promise.withResolvers();
      const messages = this.#log.read(this.#name, subject, { after: place, most: batch });
      for (const { sequence, body } of messages) {
        if (signal.aborted) break;
        const ack = async () => {
          this.#log.acknowledge(this.#name, durable, sequence);
          place = sequence;
        };
        await this.#handle(options, { body, redelivered: failed.has(sequence), ack });
        if (place < sequence) {
          failed.add(sequence);
          await pause(this.#clock, retryDelay, signal);
          break;
        }
        failed.delete(sequence);
      }
      if (messages.length === 0) await wake.promise;
    }
    unsubscribe();
    await this.#log.settled();
  }

  async #handle(
    { onMessage, onError }: ConsumerOptions,
    delivery: Parameters<ConsumerOptions['onMessage']>[0],
  ): Promise<void> {
    try {
      await onMessage(delivery);
    } catch (error) {
      onError(error);
    }
  }

  async state(sensor: string): Promise<BusState> {
    return {
      entries: async () => {
        await this.#log.settled();
        return this.#log.state(this.#name, sensor);
      },
      put: async (key, value) => this.#log.putState(this.#name, sensor, { key, value }),
      delete: async (key) => this.#log.putState(this.#name, sensor, { key, value: undefined }),
    };
  }

  forget(durable: string): Promise<void> {
    return this.#log.forget(this.#name, durable);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#consumers].map((consumer) => consumer.close()));
  }
}

function subjectOf(eventSourceName: string, eventName: string): string {
  return `${eventSourceName}.${eventName}`;
}
