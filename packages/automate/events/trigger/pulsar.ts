import { buildPayload, withParameters } from '../parameters/parameters.ts';
import { withRetry } from '../retry/backoff.ts';
import type { PulsarTrigger } from '../spec/sensor.ts';
import { PulsarClient } from '../wire/pulsar/client.ts';
import { encodeFields } from '../wire/pulsar/fields.ts';
import { command } from '../wire/pulsar/frames.ts';
import type { Act } from './trigger.ts';

/** Puts a message on a topic, of a partitioned one on each partition in turn; it has acted when the broker has stored it. */
export const act: Act = async ({ template, events, signal }, { connections, keys, clock, random }) => {
  const pulsar = withParameters(template.pulsar as PulsarTrigger, template.pulsar?.parameters, events);
  const { topic, connectionBackoff } = pulsar;
  const payload = Buffer.from(buildPayload(events, pulsar.payload ?? []) ?? '');
  const { parameters: _parameters, payload: _payload, ...connection } = pulsar;
  const publisher = await connections.get(
    `pulsar ${JSON.stringify(connection)}`,
    () =>
      withRetry({ strategy: connectionBackoff, clock, random, signal }, async () => {
        const client = await PulsarClient.of(pulsar, keys, clock);
        return new Publisher(client, await client.partitions(topic), clock.now);
      }),
    (made) => made.close(),
  );
  await publisher.publish(payload);
  return `put ${payload.length} bytes on topic ${topic}`;
};

interface Producer {
  readonly id: bigint;
  readonly name: string;
  readonly connection: Awaited<ReturnType<PulsarClient['broker']>>;
}

/** The producers of a topic, made when they are needed and again when their connection was lost. */
class Publisher {
  readonly #client: PulsarClient;
  readonly #topics: readonly string[];
  readonly #now: () => number;
  readonly #producers = new Map<string, Promise<Producer>>();
  #sequence = 0n;

  constructor(client: PulsarClient, topics: readonly string[], now: () => number) {
    this.#client = client;
    this.#topics = topics;
    this.#now = now;
  }

  async publish(payload: Uint8Array): Promise<void> {
    const sequence = this.#sequence++;
    const topic = this.#topics[Number(sequence % BigInt(this.#topics.length))] ?? '';
    const { id, name, connection } = await this.#producer(topic);
    const metadata = encodeFields({ 1: name, 2: sequence, 3: this.#now() });
    await connection.publish(id, sequence, { metadata, payload });
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #producer(topic: string): Promise<Producer> {
    let made = this.#producers.get(topic);
    if (!made) {
      made = this.#make(topic);
      this.#producers.set(topic, made);
      made.then(({ connection }) => connection.ended).catch(() => this.#producers.delete(topic));
    }
    return made;
  }

  async #make(topic: string): Promise<Producer> {
    const connection = await this.#client.broker(topic);
    const id = connection.id();
    const answer = await connection.ask(command.producer, 3, { 1: topic, 2: id, 9: false });
    return { id, name: answer.text(2), connection };
  }
}
