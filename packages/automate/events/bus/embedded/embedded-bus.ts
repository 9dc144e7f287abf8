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
    let wake = Promise.withResolvers<void>();
    const unsubscribe = this.#log.subscribe(() => wake.resolve());
    signal.addEventListener('abort', () => wake.resolve(), { once: true });
    const failed = new Set<number>();
    while (!signal.aborted) {
      wake = Promise.withResolvers();
      const messages = this.#log.next(this.#name, options.durable, batch);
      for (const { sequence, body } of messages) {
        if (signal.aborted) break;
        let acknowledged = false;
        const ack = async () => {
          await this.#log.acknowledge(this.#name, options.durable, sequence);
          acknowledged = true;
        };
        await this.#handle(options, { body, redelivered: failed.has(sequence), ack });
        if (acknowledged) failed.delete(sequence);
        else {
          failed.add(sequence);
          await pause(this.#clock, retryDelay, signal);
          break;
        }
      }
      if (messages.length === 0) await wake.promise;
    }
    unsubscribe();
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
      entries: async () => this.#log.state(this.#name, sensor),
      put: (key, value) => this.#log.putState(this.#name, sensor, { key, value }),
      delete: (key) => this.#log.putState(this.#name, sensor, { key, value: undefined }),
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
