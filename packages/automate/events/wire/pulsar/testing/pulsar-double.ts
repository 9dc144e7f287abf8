import { EventEmitter, once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { encodeFields, Fields } from '../fields.ts';
import { command, commandFrame, type Frame, framesOf, messageFrame } from '../frames.ts';

interface Stored {
  readonly entry: number;
  readonly message: NonNullable<Frame['message']>;
}

interface Subscription {
  readonly acknowledged: Set<number>;
  /** Entries before it are not for the subscription. */
  readonly first: number;
  consumer: { socket: Socket; id: bigint; permits: number; sent: Set<number> } | undefined;
}

interface Topic {
  readonly stored: Stored[];
  readonly subscriptions: Map<string, Subscription>;
}

export interface PulsarDouble {
  readonly url: string;
  /** Tokens that clients have presented. */
  readonly tokens: string[];
  /** Puts a message on a topic, with metadata of its own. */
  store(topic: string, metadata: Readonly<Record<number, string | number>>, payload: Uint8Array): void;
  /** Payloads on a topic. */
  payloads(topic: string): string[];
  /** Resolves when a subscription has acknowledged all that is on a topic. */
  acknowledged(topic: string, subscription: string): Promise<void>;
  /** Breaks all connections. */
  drop(): void;
  close(): Promise<void>;
}

/**
 * A broker of Pulsar's binary protocol in memory: lookup, partitions, producers, durable subscriptions, acknowledgements and
 * flow control. The client of Apache Pulsar in Go (v0.14.0) produces to it, in batches and one by one, and consumes from it.
 */
export async function startPulsarDouble(partitions: Readonly<Record<string, number>> = {}): Promise<PulsarDouble> {
  const topics = new Map<string, Topic>();
  const sockets = new Set<Socket>();
  const tokens: string[] = [];
  const acks = new EventEmitter();
  const topicOf = (name: string): Topic => {
    const topic = topics.get(name) ?? { stored: [], subscriptions: new Map() };
    topics.set(name, topic);
    return topic;
  };
  const deliver = ({ stored, subscriptions }: Topic) => {
    for (const { acknowledged, first, consumer } of subscriptions.values()) {
      if (!consumer) continue;
      for (const { entry, message } of stored) {
        if (entry < first || acknowledged.has(entry) || consumer.sent.has(entry) || consumer.permits <= 0) continue;
        consumer.sent.add(entry);
        consumer.permits -= message.metadata.number(11) || 1;
        const id = encodeFields({ 1: 7, 2: entry });
        const { metadata, payload } = message;
        consumer.socket.write(
          messageFrame(command.message, { 1: consumer.id, 2: id }, { metadata: metadata.encoded, payload }),
        );
      }
    }
  };
  const store = (topic: Topic, message: NonNullable<Frame['message']>) => {
    topic.stored.push({ entry: topic.stored.length, message });
    deliver(topic);
    return topic.stored.length - 1;
  };
  let url = '';

  const serve = async (socket: Socket) => {
    const consumers = new Map<bigint, { topic: Topic; subscription: Subscription }>();
    const producers = new Map<bigint, Topic>();
    const answer = (type: number, fields: Parameters<typeof encodeFields>[0]) =>
      socket.write(commandFrame(type, fields));
    for await (const { type, fields, message } of framesOf(socket)) {
      if (type === command.connect) {
        tokens.push(fields.text(3));
        answer(command.connected, { 1: 'double', 2: 12 });
      } else if (type === command.ping) answer(command.pong, {});
      else if (type === command.partitionedMetadata)
        answer(command.partitionedMetadataResponse, { 1: partitions[fields.text(1)] ?? 0, 2: fields.integer(2), 3: 0 });
      else if (type === command.lookup) answer(command.lookupResponse, { 1: url, 3: 1, 4: fields.integer(2), 5: true });
      else if (type === command.producer) {
        producers.set(fields.integer(2), topicOf(fields.text(1)));
        answer(command.producerSuccess, { 1: fields.integer(3), 2: 'double-1', 3: -1n & 0xffffffffffffffffn });
      } else if (type === command.send && message) {
        const entry = store(producers.get(fields.integer(1)) as Topic, message);
        const id = encodeFields({ 1: 7, 2: entry });
        answer(command.sendReceipt, { 1: fields.integer(1), 2: fields.integer(2), 3: id });
      } else if (type === command.subscribe) {
        const topic = topicOf(fields.text(1));
        const known = topic.subscriptions.get(fields.text(2));
        const subscription = known ?? { acknowledged: new Set(), first: topic.stored.length, consumer: undefined };
        if (subscription.consumer && fields.number(3) === 0) {
          answer(command.error, { 1: fields.integer(5), 2: 5, 3: 'Exclusive consumer is already connected' });
          continue;
        }
        topic.subscriptions.set(fields.text(2), subscription);
        subscription.consumer = { socket, id: fields.integer(4), permits: 0, sent: new Set() };
        consumers.set(fields.integer(4), { topic, subscription });
        answer(command.success, { 1: fields.integer(5) });
      } else if (type === command.flow) {
        const { topic, subscription } = consumers.get(fields.integer(1)) ?? {};
        if (!topic || !subscription?.consumer) continue;
        subscription.consumer.permits += fields.number(2);
        deliver(topic);
      } else if (type === command.ack) {
        consumers.get(fields.integer(1))?.subscription.acknowledged.add(fields.message(3).number(2));
        acks.emit('ack');
      } else if (type === command.closeProducer || type === command.closeConsumer)
        answer(command.success, { 1: fields.integer(2) });
    }
    for (const { subscription } of consumers.values())
      if (subscription.consumer?.socket === socket) subscription.consumer = undefined;
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    const gone = () => {
      sockets.delete(socket);
      for (const { subscriptions } of topics.values())
        for (const subscription of subscriptions.values())
          if (subscription.consumer?.socket === socket) subscription.consumer = undefined;
    };
    socket.once('close', gone);
    serve(socket).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `pulsar://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url,
    tokens,
    store: (name, metadata, payload) => {
      const fields = new Fields(encodeFields({ 1: 'p', 2: 0, 3: 1_700_000_000_000, ...metadata }));
      store(topicOf(name), { metadata: fields, payload: Buffer.from(payload) });
    },
    payloads: (name) => topicOf(name).stored.map(({ message }) => message.payload.toString('utf8')),
    acknowledged: async (name, subscription) => {
      const { stored, subscriptions } = topicOf(name);
      const { acknowledged, first } = subscriptions.get(subscription) as Subscription;
      while (stored.some(({ entry }) => entry >= first && !acknowledged.has(entry))) await once(acks, 'ack');
    },
    drop,
    close: () => {
      drop();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
