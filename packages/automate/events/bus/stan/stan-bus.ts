import { randomBytes } from 'node:crypto';
import type { KeyReader } from '../../keys/key-reader.ts';
import type { StanConfig } from '../../spec/event-bus.ts';
import { connectNats } from '../../wire/nats.ts';
import { busAccess } from '../access.ts';
import type { Bus, BusMessage, BusState, Consumer, ConsumerOptions } from '../bus.ts';
import { LogState } from '../log-state.ts';
import { StanClient, startAt } from './stan-client.ts';

const ackWaitSeconds = 1;
/** A handler may take longer than the server waits: what comes again meanwhile is left until it has ended. */
const firstDrain = 500;

/** Connects to NATS Streaming. All events of a namespace are on one channel, as upstream's: `eventbus-NAMESPACE`. */
export async function openStanBus(config: StanConfig, keys: KeyReader, channel: string): Promise<StanBus> {
  const { token, username, password } = await busAccess(config.accessSecret, keys);
  const auth = token ? { token } : username ? { user: username, pass: password ?? '' } : {};
  const connection = await connectNats({ url: config.url ?? '', auth, keys });
  const clientId = `client-tiphys-${randomBytes(6).toString('hex')}`;
  try {
    return new StanBus(await StanClient.connect(connection, config.clusterID ?? '', clientId), channel);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** A bus on NATS Streaming. */
export class StanBus implements Bus {
  readonly #client: StanClient;
  readonly #channel: string;
  readonly #consumers = new Set<Consumer>();

  constructor(client: StanClient, channel: string) {
    this.#client = client;
    this.#channel = channel;
  }

  get connected(): boolean {
    return this.#client.connected;
  }

  publish({ body }: BusMessage): Promise<void> {
    return this.#client.publish(this.#channel, body);
  }

  async consume(options: ConsumerOptions): Promise<Consumer> {
    const { durable, onMessage, onError } = options;
    const under = new Set<bigint>();
    let turn: Promise<void> = Promise.resolve();
    const subscription = await this.#client.subscribe({
      channel: this.#channel,
      durable,
      queue: durable,
      startPosition: startAt.newOnly,
      ackWaitSeconds,
      maxInFlight: 1,
      onMessage: ({ sequence, data, redelivered, ack }) => {
        if (!isFor(data, options)) return ack();
        if (under.has(sequence)) return;
        under.add(sequence);
        turn = turn
          .then(() => onMessage({ body: data, redelivered, ack: async () => ack() }))
          .catch(onError)
          .finally(() => under.delete(sequence));
      },
    });
    const made = {
      close: async () => {
        this.#consumers.delete(made);
        await subscription.close();
        await turn;
      },
    };
    this.#consumers.add(made);
    return made;
  }

  async state(sensor: string): Promise<BusState> {
    const channel = `${this.#channel}-${sensor}-state`;
    const past: string[] = [];
    let heard = Date.now();
    const subscription = await this.#client.subscribe({
      channel,
      durable: '',
      queue: '',
      startPosition: startAt.first,
      ackWaitSeconds: 30,
      maxInFlight: 1000,
      onMessage: ({ data, ack }) => {
        heard = Date.now();
        past.push(data);
        ack();
      },
    });
    // the server does not tell where a channel ends
    while (Date.now() - heard < firstDrain) await new Promise((resolve) => setTimeout(resolve, 50));
    await subscription.close();
    return new LogState(past, (entry) => this.#client.publish(channel, JSON.stringify(entry)));
  }

  async forget(): Promise<void> {
    // a durable subscription goes when its last member unsubscribes; the server drops it with the channel
  }

  async close(): Promise<void> {
    await Promise.all([...this.#consumers].map((consumer) => consumer.close()));
    await this.#client.close();
  }
}

/** The channel has all events: source and event are in the envelope. */
function isFor(data: string, { eventSourceName, eventName }: ConsumerOptions): boolean {
  try {
    const { source, subject } = JSON.parse(data) as { source?: string; subject?: string };
    return matches(eventSourceName, source ?? '') && matches(eventName, subject ?? '');
  } catch {
    return false;
  }
}

function matches(pattern: string, text: string): boolean {
  return pattern === text || (pattern.includes('*') && glob(pattern, text));
}

function glob(pattern: string, text: string): boolean {
  const parts = pattern.split('*');
  if (!text.startsWith(parts[0] ?? '') || !text.endsWith(parts.at(-1) ?? '')) return false;
  let at = 0;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}
