import { createHmac, randomBytes } from 'node:crypto';
import type { AddressInfo, Server, Socket } from 'node:net';
import rhea, { type Connection, type Container, type EventContext, type Message, type Sender } from 'rhea';
import { forgetLongTimers } from './forget-long-timers.ts';
import { trustedCertificates } from './trusted-certificates.ts';

const { create_container, message: messages, types } = rhea;

/** What somebody put into a queue or a hub. */
export interface Sent {
  readonly body: string;
  readonly id?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly partitionKey?: string;
}

interface Kept extends Sent {
  readonly sequence: number;
  readonly deliveries: number;
}

/** A queue, a subscription, or a partition of a hub. */
interface Entity {
  readonly waiting: Kept[];
  /** Who reads, and for a partition which number it has read. */
  readonly readers: Map<Sender, number>;
  readonly isPartition: boolean;
}

const dataCode = 0x75;
const mostDeliveries = 3;
/** Milliseconds that something may take on a busy machine. */
const patience = 20_000;
const keyName = 'tiphys';
const at = Date.UTC(2026, 0, 2, 3, 4, 5, 120);

/**
 * A namespace of Service Bus and Event Hubs on this machine: AMQP 1.0 over TLS with claims by `$cbs`, whose signatures it checks.
 * Messages of queues are locked until they are settled; events of hubs stay, and are read from a position.
 */
export class AzureDouble {
  /** What clients settled, as `accepted q 1`. */
  readonly settled: string[] = [];
  /** What clients sent to queues, topics and hubs, as `q: body (id)`. */
  readonly sent: string[] = [];
  /** The positions from which partitions were read, as `hub/0 x > '5'`. */
  readonly positions: string[] = [];
  /** The key that signs its claims. */
  key = randomBytes(12).toString('base64');
  readonly #entities = new Map<string, Entity>();
  readonly #replies = new Map<Connection, Map<string, Sender>>();
  readonly #locked = new Map<unknown, { readonly entity: Entity; readonly name: string; readonly kept: Kept }>();
  readonly #sockets = new Set<Socket>();
  readonly #container: Container;
  readonly #waiting: { readonly isMet: () => boolean; readonly done: () => void }[] = [];
  #server: Server | undefined;
  #port = 0;

  constructor() {
    this.#container = create_container({ autoaccept: false, treat_modified_as_released: false } as never);
    this.#container.sasl_server_mechanisms.enable_anonymous();
    this.#container.on('sender_open', (context: EventContext) => this.#readerComes(context));
    this.#container.on('sender_flow', ({ sender }: EventContext) => this.#flow(sender));
    this.#container.on('sender_draining', ({ sender }: EventContext) => sender?.set_drained(true));
    this.#container.on('sender_close', ({ sender }: EventContext) => this.#readerGoes(sender));
    this.#container.on('message', (context: EventContext) => this.#messageComes(context));
    this.#container.on('disconnected', ({ connection }: EventContext) => this.#replies.delete(connection));
    for (const outcome of ['accepted', 'released', 'rejected', 'modified'] as const)
      this.#container.on(outcome, (context: EventContext) => this.#settle(outcome, context));
  }

  /** Listens; its authority is trusted by this process from then on. */
  async start(): Promise<void> {
    forgetLongTimers(patience);
    const { cert, key } = trustedCertificates();
    const server = this.#container.listen({
      port: this.#port,
      host: 'localhost',
      transport: 'tls',
      key,
      cert,
    }) as Server;
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
    this.#port = (server.address() as AddressInfo).port;
  }

  /** `host:port` of the namespace. */
  get address(): string {
    return `localhost:${this.#port}`;
  }

  get keyName(): string {
    return keyName;
  }

  get connectionString(): string {
    return `Endpoint=sb://${this.address}/;SharedAccessKeyName=${keyName};SharedAccessKey=${this.key}`;
  }

  /** Makes a queue, or a subscription by `topic/Subscriptions/name`. */
  addQueue(name: string): void {
    this.#entities.set(name, { waiting: [], readers: new Map(), isPartition: false });
  }

  /** Makes a hub with one partition, `0`. */
  addHub(name: string): void {
    this.#entities.set(`${name}/Partitions/0`, { waiting: [], readers: new Map(), isPartition: true });
  }

  /** Puts something into a queue, a subscription or a hub. */
  put(name: string, sent: Sent): void {
    const entity = this.#entities.get(name) ?? this.#entities.get(`${name}/Partitions/0`);
    if (!entity) throw new Error(`there is no ${name}`);
    entity.waiting.push({ ...sent, sequence: (entity.waiting.at(-1)?.sequence ?? 0) + 1, deliveries: 0 });
    for (const reader of entity.readers.keys()) this.#flow(reader);
  }

  /** Breaks all connections, as a server that is restarted. */
  drop(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Resolves when something is so. */
  async until(isMet: () => boolean): Promise<void> {
    if (isMet()) return;
    const { promise, resolve: done, reject } = Promise.withResolvers<void>();
    const { settled, sent, positions } = this;
    const waited = () => reject(new Error(`it is not so: ${JSON.stringify({ settled, sent, positions })}`));
    const timer = setTimeout(waited, patience);
    this.#waiting.push({ isMet, done });
    await promise.finally(() => clearTimeout(timer));
  }

  async stop(): Promise<void> {
    this.drop();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  #look(): void {
    for (const { isMet, done } of this.#waiting) if (isMet()) done();
  }

  #readerComes({ sender, connection }: EventContext): void {
    if (!sender) return;
    const address = String(sender.source?.address ?? '');
    const name = address.replace(/\/ConsumerGroups\/[^/]+/, '').replace(/\/\$management$/, '');
    const entity = this.#entities.get(name);
    if (!entity || address.endsWith('$management')) {
      const replies = this.#replies.get(connection) ?? new Map<string, Sender>();
      this.#replies.set(connection, replies.set(`${address} ${sender.target?.address ?? ''}`, sender));
      return;
    }
    const filter = String(filterOf(sender) ?? '');
    if (entity.isPartition) this.positions.push(`${name} ${filter}`);
    entity.readers.set(sender, positionOf(filter, entity));
    this.#look();
  }

  #readerGoes(sender: Sender | undefined): void {
    if (sender) for (const { readers } of this.#entities.values()) readers.delete(sender);
  }

  #flow(sender: Sender | undefined): void {
    if (!sender) return;
    for (const [name, entity] of this.#entities) {
      const read = entity.readers.get(sender);
      if (read === undefined || !sender.is_open()) continue;
      let last = read;
      const waiting = entity.isPartition ? entity.waiting.filter(({ sequence }) => sequence > read) : entity.waiting;
      while (sender.sendable() && creditOf(sender) > 0 && waiting.length > 0) {
        const kept = waiting.shift();
        if (!kept) break;
        last = kept.sequence;
        const lock = randomBytes(16);
        // rhea keeps the tag as it is given: the SDK reads the lock from it
        const delivery = sender.send(messageOf(kept), lock as never);
        if (entity.isPartition || delivery.settled) continue;
        this.#locked.set(delivery, { entity, name, kept });
      }
      entity.readers.set(sender, last);
    }
  }

  #settle(outcome: string, { delivery }: EventContext): void {
    const locked = this.#locked.get(delivery);
    if (!delivery || !locked) return;
    this.#locked.delete(delivery);
    const { entity, name, kept } = locked;
    this.settled.push(`${outcome} ${name} ${kept.sequence}`);
    delivery.update(
      true,
      (delivery as unknown as { readonly remote_state: { described(): never } }).remote_state.described(),
    );
    const deliveries = kept.deliveries + 1;
    if (outcome !== 'accepted' && deliveries < mostDeliveries) entity.waiting.unshift({ ...kept, deliveries });
    else if (outcome !== 'accepted') this.settled.push(`dead-lettered ${name} ${kept.sequence}`);
    for (const reader of entity.readers.keys()) this.#flow(reader);
    this.#look();
  }

  #messageComes({ message, receiver, connection, delivery }: EventContext): void {
    const address = String(receiver?.target?.address ?? '');
    delivery?.accept();
    if (!message) return;
    if (address === '$cbs') this.#answer(connection, `${address} `, message, this.#claim(message));
    else if (address.endsWith('$management'))
      this.#answer(connection, `${address} ${message.reply_to}`, message, this.#manage(address, message));
    else this.#keep(address, Buffer.isBuffer(message) ? contentsOf(decoded(message)).map(decoded) : [message]);
  }

  #keep(address: string, each: readonly Message[]): void {
    for (const one of each)
      this.sent.push(`${address}: ${contentsOf(one)[0]}${one.message_id ? ` (${one.message_id})` : ''}`);
    this.#look();
  }

  #answer(connection: Connection, where: string, asked: Message, answer: Message): void {
    const replies = this.#replies.get(connection);
    const found = [...(replies ?? [])].find(
      ([name]) => name === where || (where === '$cbs ' && name.startsWith(where)),
    );
    found?.[1].send({ ...answer, correlation_id: asked.message_id as string });
  }

  /** Whether the key has signed the claim, and what it is for is there, as Azure tells it. */
  #claim({ body, application_properties: asked = {} }: Message): Message {
    const token = new URLSearchParams(String(body).replace(/^SharedAccessSignature /, ''));
    const signed = createHmac('sha256', this.key)
      .update(`${encodeURIComponent(token.get('sr') ?? '')}\n${token.get('se')}`)
      .digest('base64');
    if (token.get('skn') !== keyName || token.get('sig') !== signed)
      return status(401, 'InvalidSignature: The token has an invalid signature.');
    const [, name = ''] = new URL(String(asked.name)).pathname.split('/');
    const isKnown = [...this.#entities.keys()].some((one) => one === name || one.startsWith(`${name}/`));
    return isKnown ? status(202, 'Accepted') : notFound(String(asked.name));
  }

  #manage(address: string, { application_properties: asked = {} }: Message): Message {
    if (asked.operation === 'com.microsoft:peek-message') {
      const [first] = this.#entities.get(address.replace(/\/\$management$/, ''))?.waiting ?? [];
      if (!first) return status(204, 'nothing is there');
      return { ...status(200, 'OK'), body: { messages: [{ message: messages.encode(messageOf(first)) }] } };
    }
    const hub = String(asked.name);
    const entity = this.#entities.get(`${hub}/Partitions/0`);
    if (!entity) return notFound(hub);
    const about = { name: hub, type: asked.type };
    if (asked.type === 'com.microsoft:eventhub') {
      const ids = types.wrap_array(['0'], 0xa1, undefined as never);
      return { ...status(200, 'OK'), body: { ...about, created_at: at, partition_count: 1, partition_ids: ids } };
    }
    const last = entity.waiting.at(-1)?.sequence ?? 0;
    const read = {
      partition: '0',
      begin_sequence_number: 1,
      last_enqueued_sequence_number: last,
      last_enqueued_offset: String(last),
      last_enqueued_time_utc: at,
      is_partition_empty: last === 0,
    };
    return { ...status(200, 'OK'), body: { ...about, ...read } };
  }
}

/** A batch comes as it is sent: a message whose parts are messages. */
const decoded = (bytes: Buffer) => messages.decode(bytes) as unknown as Message;

function status(code: number, text: string): Message {
  const fields = { 'status-code': types.wrap_int(code), 'status-description': text };
  return { application_properties: { ...fields, statusCode: types.wrap_int(code), statusDescription: text }, body: '' };
}

const notFound = (name: string) => status(404, `The messaging entity '${name}' could not be found.`);

function messageOf({ body, id, properties, partitionKey, sequence, deliveries }: Kept): Message {
  return {
    ...(id === undefined ? {} : { message_id: id }),
    ...(properties ? { application_properties: { ...properties } } : {}),
    delivery_count: deliveries,
    message_annotations: {
      'x-opt-sequence-number': types.wrap_long(sequence),
      'x-opt-offset': String(sequence),
      'x-opt-enqueued-time': types.wrap_timestamp(at),
      ...(partitionKey === undefined ? {} : { 'x-opt-partition-key': partitionKey }),
    },
    body: messages.data_section(Buffer.from(body)),
  };
}

function contentsOf({ body }: Message): Buffer[] {
  const { typecode, content } = body as { typecode?: number; content?: Buffer | Buffer[] };
  if (typecode !== dataCode || content === undefined) return [Buffer.from(String(body))];
  return Array.isArray(content) ? content : [content];
}

function filterOf(sender: Sender): unknown {
  const filters = sender.source?.filter as Readonly<Record<string, { value?: unknown }>> | undefined;
  const found = filters?.['apache.org:selector-filter:string'];
  return found?.value ?? found;
}

/** How much a reader has asked for; the types of rhea leave it out. */
function creditOf(sender: Sender): number {
  return (sender as unknown as { readonly credit: number }).credit;
}

/** The number that a reader has read before it comes, by its filter; queues have none. */
function positionOf(filter: string, { waiting, isPartition }: Entity): number {
  if (!isPartition) return 0;
  const value = /'([^']*)'/.exec(filter)?.[1];
  return value === '@latest' ? (waiting.at(-1)?.sequence ?? 0) : Number(value ?? 0);
}
