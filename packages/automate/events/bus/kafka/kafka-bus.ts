import {
  Admin,
  type BaseOptions,
  Consumer as KafkaConsumer,
  type Message,
  ProduceAcks,
  Producer,
} from '@platformatic/kafka';
import { pause, systemClock } from '@tiphys/kubernetes';
import type { KeyReader } from '../../keys/key-reader.ts';
import type { KafkaBusConfig } from '../../spec/event-bus.ts';
import { kafkaOptions } from '../../wire/kafka.ts';
import { rebalanceOptions } from '../../wire/rebalance.ts';
import type { Bus, BusMessage, BusState, Consumer, ConsumerOptions } from '../bus.ts';
import { LogState } from '../log-state.ts';

/** Before a message that was not acknowledged comes again, in milliseconds. */
const redeliveryDelay = 1000;
/** Before a stream that the client gave up is opened again, in milliseconds. */
const reopenDelay = 1000;

interface Subscription {
  readonly consumer: KafkaConsumer;
  readonly stream: Awaited<ReturnType<KafkaConsumer['consume']>>;
}

/** Connects to Kafka. The topic of the bus holds all events; a topic for each sensor holds what its conditions wait for. */
export async function openKafkaBus(config: KafkaBusConfig, keys: KeyReader): Promise<KafkaBus> {
  const base = await kafkaOptions({ url: config.url ?? '', tls: config.tls, sasl: config.sasl }, keys, 'tiphys-events');
  const bus = new KafkaBus(base, config);
  await bus.open();
  return bus;
}

/** A bus on Kafka. The key of a message is its source and event, so that they keep their order in one partition. */
export class KafkaBus implements Bus {
  readonly #base: BaseOptions;
  readonly #topic: string;
  readonly #group: string;
  readonly #strategy: string | undefined;
  readonly #producer: Producer;
  readonly #consumers = new Set<Consumer>();
  #closed = false;

  constructor(base: BaseOptions, { topic = '', consumerGroup }: KafkaBusConfig) {
    this.#base = base;
    this.#topic = topic;
    this.#group = consumerGroup?.groupName || topic;
    this.#strategy = consumerGroup?.rebalanceStrategy;
    this.#producer = new Producer({ ...base, acks: ProduceAcks.ALL });
  }

  get connected(): boolean {
    return !this.#closed;
  }

  /** Makes the topic where it is missing. */
  async open(): Promise<void> {
    await this.#ensureTopic(this.#topic);
  }

  async #ensureTopic(topic: string): Promise<void> {
    const admin = new Admin(this.#base);
    try {
      const known = await admin.listTopics();
      if (!known.includes(topic)) await admin.createTopics({ topics: [topic], partitions: 1, replicas: 1 });
    } finally {
      await admin.close();
    }
  }

  publish({ eventSourceName, eventName, body }: BusMessage): Promise<void> {
    return this.#send(this.#topic, keyOf(eventSourceName, eventName), body);
  }

  async #send(topic: string, key: string, value: string): Promise<void> {
    await this.#producer.send({ messages: [{ topic, key: Buffer.from(key), value: Buffer.from(value) }] });
  }

  async consume(options: ConsumerOptions): Promise<Consumer> {
    const stop = new AbortController();
    let current = await this.#subscribe(options.durable);
    const running = (async () => {
      for (;;) {
        try {
          for await (const message of current.stream) await this.#handle(message, options, stop.signal);
        } catch (error) {
          if (!stop.signal.aborted) options.onError(error);
        }
        const next = await this.#subscribeAgain(current, options, stop.signal);
        if (!next) return;
        current = next;
      }
    })();
    const made = {
      close: async () => {
        this.#consumers.delete(made);
        stop.abort();
        await current.stream.close();
        await running;
        await current.consumer.close(true);
      },
    };
    this.#consumers.add(made);
    return made;
  }

  async #subscribe(durable: string): Promise<Subscription> {
    const consumer = new KafkaConsumer({
      ...this.#base,
      ...rebalanceOptions(this.#strategy),
      groupId: `${this.#group}-${durable}`,
      autocommit: false,
      sessionTimeout: 10_000,
      heartbeatInterval: 1000,
      maxWaitTime: 500,
    });
    try {
      await this.#atEnd(consumer);
      const stream = await consumer.consume({
        topics: [this.#topic],
        autocommit: false,
        mode: 'committed',
        fallbackMode: 'latest',
      });
      return { consumer, stream };
    } catch (error) {
      await consumer.close(true);
      throw error;
    }
  }

  /**
   * The client gives a stream up after some failures in a row, as while a broker is restarted. Tries until it can go on where
   * it was committed; undefined once the consumer is closed.
   */
  async #subscribeAgain(
    given: Subscription,
    { durable, onError }: ConsumerOptions,
    signal: AbortSignal,
  ): Promise<Subscription | undefined> {
    if (signal.aborted) return undefined;
    await given.consumer.close(true).catch(onError);
    while (!signal.aborted) {
      await pause(systemClock, reopenDelay, signal);
      if (signal.aborted) break;
      try {
        const made = await this.#subscribe(durable);
        if (!signal.aborted) return made;
        await made.stream.close();
        await made.consumer.close(true);
      } catch (error) {
        onError(error);
      }
    }
    return undefined;
  }

  /** A consumer that is new begins at the end as it is now, not as it is when its first fetch comes. */
  async #atEnd(consumer: KafkaConsumer): Promise<void> {
    await consumer.topics.trackAll(this.#topic);
    await consumer.joinGroup({});
    const ends = (await consumer.listOffsets({ topics: [this.#topic] })).get(this.#topic) ?? [];
    const partitions = ends.map((_, partition) => partition);
    const known =
      (await consumer.listCommittedOffsets({ topics: [{ topic: this.#topic, partitions }] })).get(this.#topic) ?? [];
    const offsets = ends.flatMap((offset, partition) =>
      (known[partition] ?? -1n) >= 0n ? [] : [{ topic: this.#topic, partition, offset, leaderEpoch: -1 }],
    );
    if (offsets.length > 0) await consumer.commit({ offsets });
  }

  async #handle(
    message: Message,
    { eventSourceName, eventName, onMessage, onError }: ConsumerOptions,
    signal: AbortSignal,
  ): Promise<void> {
    if (message.key?.toString() !== keyOf(eventSourceName, eventName)) return void (await message.commit());
    for (let redelivered = false; !signal.aborted; redelivered = true) {
      let acknowledged = false;
      const ack = async () => {
        await message.commit();
        acknowledged = true;
      };
      try {
        await onMessage({ body: message.value.toString(), redelivered, ack });
      } catch (error) {
        onError(error);
      }
      if (acknowledged) return;
      await pause(systemClock, redeliveryDelay, signal);
    }
  }

  async state(sensor: string): Promise<BusState> {
    const topic = `${this.#topic}-${sensor}-trigger`;
    await this.#ensureTopic(topic);
    const past = await this.#readAll(topic);
    return new LogState(past, (entry) => this.#send(topic, entry.key, JSON.stringify(entry)));
  }

  async #readAll(topic: string): Promise<string[]> {
    const consumer = new KafkaConsumer({
      ...this.#base,
      groupId: `${topic}-reader-${process.pid}-${Date.now()}`,
      autocommit: false,
      maxWaitTime: 200,
    });
    try {
      await consumer.topics.trackAll(topic);
      const ends = (await consumer.listOffsets({ topics: [topic] })).get(topic) ?? [];
      const left = new Map(ends.flatMap((end, partition) => (end > 0n ? [[partition, end] as const] : [])));
      const texts: string[] = [];
      if (left.size === 0) return texts;
      const stream = await consumer.consume({ topics: [topic], autocommit: false, mode: 'earliest' });
      for await (const message of stream) {
        texts.push(message.value.toString());
        if (message.offset + 1n >= (left.get(message.partition) ?? 0n)) left.delete(message.partition);
        if (left.size === 0) break;
      }
      await stream.close();
      return texts;
    } finally {
      await consumer.close(true);
    }
  }

  async forget(durable: string): Promise<void> {
    const admin = new Admin(this.#base);
    try {
      await admin.deleteGroups({ groups: [`${this.#group}-${durable}`] });
    } finally {
      await admin.close();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#consumers].map((consumer) => consumer.close()));
    await this.#producer.close();
  }
}

function keyOf(eventSourceName: string, eventName: string): string {
  return `${eventSourceName}.${eventName}`;
}
