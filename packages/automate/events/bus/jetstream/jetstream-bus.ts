import {
  AckPolicy,
  type ConsumerConfig,
  type ConsumerInfo,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import { parseDocuments } from '@tiphys/yaml';
import type { KeyReader } from '../../keys/key-reader.ts';
import { parseDuration } from '../../spec/duration.ts';
import type { JetStreamConfig } from '../../spec/event-bus.ts';
import { connectNats } from '../../wire/nats.ts';
import { busAccess } from '../access.ts';
import type { Bus, BusMessage, BusState, Consumer, ConsumerOptions } from '../bus.ts';
import { InOrder } from './in-order.ts';

const stream = 'default';
/** Codes of errors of JetStream's API. */
const [noConsumer, noStream] = [10_014, 10_059];
/** Messages of one consumer that are under way: as many as the embedded bus reads at once. */
const ahead = 64;
/** Milliseconds that one request for messages lasts: so late the client hears that its consumer or the stream is gone. */
const pullLength = 5000;

/** Connects to JetStream and makes the stream where it is missing. */
export async function openJetStreamBus(config: JetStreamConfig, keys: KeyReader): Promise<JetStreamBus> {
  const { token, username, password } = await busAccess(config.accessSecret, keys);
  const auth = token ? { token } : username ? { user: username, pass: password ?? '' } : {};
  const connection = await connectNats({
    url: config.url ?? '',
    tls: config.tls,
    auth,
    keys,
    acceptAnyCertificate: true,
  });
  try {
    const manager = await jetstreamManager(connection);
    await ensureStream(manager, config.streamConfig ?? '');
    return new JetStreamBus(connection, manager, config.streamConfig ?? '');
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** True if the stream was not there, and is made. */
async function ensureStream(manager: JetStreamManager, text: string): Promise<boolean> {
  try {
    await manager.streams.info(stream);
    return false;
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || error.code !== noStream) throw error;
  }
  const settings = settingsOf(text);
  const number = (name: string, absent: number) => Number(settings[name] ?? absent);
  const nanos = (name: string) => {
    const value = settings[name];
    return value === undefined ? {} : Math.round(parseDuration(value as string | number) * 1e6);
  };
  await manager.streams.add({
    name: stream,
    subjects: [`${stream}.*.*`],
    retention:
      [RetentionPolicy.Limits, RetentionPolicy.Interest, RetentionPolicy.Workqueue][number('retention', 0)] ??
      RetentionPolicy.Limits,
    discard: number('discard', 0) === 1 ? DiscardPolicy.New : DiscardPolicy.Old,
    storage: StorageType.File,
    num_replicas: number('replicas', 1),
    max_msgs: number('maxmsgs', -1),
    max_bytes: number('maxbytes', -1),
    ...(settings.maxage === undefined ? {} : { max_age: nanos('maxage') as number }),
    ...(settings.duplicates === undefined ? {} : { duplicate_window: nanos('duplicates') as number }),
  });
  return true;
}

/** The names of settings count without their case, as upstream reads them. */
function settingsOf(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {};
  const [document] = parseDocuments(text, { file: 'streamConfig' }).documents;
  const value = (document?.value ?? {}) as unknown as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toLowerCase(), item]));
}

/** A bus on JetStream, with upstream's names: stream `default`, subjects `default.EVENTSOURCE.EVENT`, a bucket for each sensor. */
export class JetStreamBus implements Bus {
  readonly #connection: NatsConnection;
  readonly #manager: JetStreamManager;
  readonly #js: JetStreamClient;
  readonly #streamConfig: string;
  readonly #consumers = new Set<Consumer>();
  #waiting: (() => void)[] = [];

  constructor(connection: NatsConnection, manager: JetStreamManager, streamConfig: string) {
    this.#streamConfig = streamConfig;
    this.#connection = connection;
    this.#manager = manager;
    this.#js = jetstream(connection);
  }

  get connected(): boolean {
    return !this.#connection.isClosed();
  }

  publish({ eventSourceName, eventName, id, body }: BusMessage): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const subject = `${stream}.${eventSourceName}.${eventName}`;
    this.#soon(() => this.#js.publish(subject, body, { msgID: id }).then(() => resolve(), reject));
    return promise;
  }

  /** Sends what comes in one turn of the event loop in one piece: messages and acknowledgements are small, and each piece costs far more. */
  #soon(send: () => void): void {
    this.#waiting.push(send);
    if (this.#waiting.length === 1) setImmediate(() => this.#sendAll());
  }

  #sendAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const send of waiting) send();
  }

  async consume(options: ConsumerOptions): Promise<Consumer> {
    const { durable, eventSourceName, eventName } = options;
    const filter_subject = `${stream}.${eventSourceName}.${eventName}`;
    const settings = {
      durable_name: durable,
      filter_subject,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.New,
      max_ack_pending: ahead,
    } satisfies Partial<ConsumerConfig>;
    const info = (await this.#adjusted(durable)) ?? (await this.#manager.consumers.add(stream, settings));
    const inOrder = new InOrder({
      ...options,
      delivered: info.delivered.consumer_seq,
      redeliveredAfter: (info.config.ack_wait ?? 0) / 1e6,
      unacknowledged: async () => (await this.#known(durable))?.num_ack_pending ?? 0,
      soon: (send) => this.#soon(send),
    });
    if (info.num_ack_pending > 0) inOrder.expectOlder();
    // not looked up by its name: another server of the cluster may not know of it yet
    const source = this.#js.consumers.getConsumerFromInfo(info);
    const callback = (message: JsMsg) => inOrder.add(message);
    const messages = await source.consume({ max_messages: ahead, expires: pullLength, callback });
    const watching = (async () => {
      for await (const { type } of messages.status())
        if (isLost(type) || mayBeLost(type)) {
          // what was delivered last, in the order of the stream: where a consumer goes on that has to be made anew
          const last = inOrder.last ?? info.delivered.stream_seq;
          await this.#restore(settings, { last, certain: isLost(type) }, options);
        }
    })();
    watching.catch(options.onError);
    const consumer = {
      close: async () => {
        this.#consumers.delete(consumer);
        await messages.close();
        await inOrder.close();
        this.#sendAll();
        if (this.connected) await this.#connection.flush();
        await watching.catch(() => undefined);
      },
    };
    this.#consumers.add(consumer);
    return consumer;
  }

  /**
   * A server that lost its disk, or somebody who removed stream or consumer, leaves a client that is connected and hears nothing:
   * the consumer is made anew behind the last message that it had. The client pulls by its name, and goes on by itself.
   */
  async #restore(
    settings: Partial<ConsumerConfig>,
    { last, certain }: { readonly last: number; readonly certain: boolean },
    { onError, onLost }: ConsumerOptions,
  ): Promise<void> {
    try {
      const isNew = await ensureStream(this.#manager, this.#streamConfig);
      if (await this.#known(settings.durable_name ?? '')) return onLost?.(undefined);
      const { state } = await this.#manager.streams.info(stream);
      // a stream that was made anew counts from its beginning
      const from = isNew || last > state.last_seq ? 1 : last + 1;
      const start = { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: from };
      await this.#manager.consumers.add(stream, { ...settings, ...start });
      onLost?.(undefined);
      onError(new Error('the consumer was gone from the server of the bus, and was made anew behind its last message'));
    } catch (error) {
      // the client tells of it again with its next request; a server that does not answer says nothing of the consumer
      if (!certain && !(error instanceof JetStreamApiError)) return;
      onLost?.(`its consumer is gone from the server, and cannot be made anew: ${(error as Error).message}`);
    }
  }

  /** A consumer that is there, with as many messages under way as are taken now. */
  async #adjusted(durable: string): Promise<ConsumerInfo | undefined> {
    const known = await this.#known(durable);
    if (!known || known.config.max_ack_pending === ahead) return known;
    return this.#manager.consumers.update(stream, durable, { max_ack_pending: ahead });
  }

  async #known(durable: string): Promise<ConsumerInfo | undefined> {
    try {
      return await this.#manager.consumers.info(stream, durable);
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === noConsumer) return undefined;
      throw error;
    }
  }

  async state(sensor: string): Promise<BusState> {
    const bucket = await new Kvm(this.#js).create(sensor.replace(/[^-_a-zA-Z0-9]/g, '_'));
    return new KvState(bucket);
  }

  async forget(durable: string): Promise<void> {
    await this.#manager.consumers.delete(stream, durable);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#consumers].map((consumer) => consumer.close()));
    await this.#connection.close();
  }
}

const isLost = (type: string) =>
  type === 'consumer_not_found' || type === 'consumer_deleted' || type === 'stream_not_found';

/** Nobody answers the pulls: so it is too where stream or consumer went while they were looked for, which is told once alone. */
const mayBeLost = (type: string) => type === 'no_responders' || type === 'heartbeats_missed';

class KvState implements BusState {
  readonly #bucket: KV;

  constructor(bucket: KV) {
    this.#bucket = bucket;
  }

  async entries(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for await (const key of await this.#bucket.keys()) {
      const entry = await this.#bucket.get(key);
      if (entry?.operation === 'PUT') found.set(decodeKey(key), entry.string());
    }
    return found;
  }

  async put(key: string, value: string): Promise<void> {
    await this.#bucket.put(encodeKey(key), value);
  }

  async delete(key: string): Promise<void> {
    await this.#bucket.delete(encodeKey(key));
  }
}

/** Keys of a bucket know few characters. */
function encodeKey(key: string): string {
  return key.replace(/[^-/_.a-zA-Z0-9]/g, (char) =>
    [...Buffer.from(char)].map((byte) => `=${byte.toString(16).padStart(2, '0')}`).join(''),
  );
}

function decodeKey(key: string): string {
  return decodeURIComponent(key.replaceAll('%', '%25').replace(/=([0-9a-f]{2})/g, '%$1'));
}
