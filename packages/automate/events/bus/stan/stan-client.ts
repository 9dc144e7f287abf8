import { randomBytes } from 'node:crypto';
import { createInbox, type NatsConnection, type Subscription } from '@nats-io/transport-node';
import { Decoded, encodeFields, type Fields } from './protocol.ts';

const timeout = 30_000;
const discoverPrefix = '_STAN.discover';
/** Positions where a subscription begins. */
export const startAt = { newOnly: 0, first: 4 } as const;

export interface StanSubscribe {
  readonly channel: string;
  /** Name that the server remembers the place by; empty remembers nothing. */
  readonly durable: string;
  /** Queue group; empty for none. */
  readonly queue: string;
  readonly startPosition: number;
  readonly ackWaitSeconds: number;
  readonly maxInFlight: number;
  readonly onMessage: (message: StanMessage) => void;
}

export interface StanMessage {
  readonly sequence: bigint;
  readonly data: string;
  readonly redelivered: boolean;
  ack(): void;
}

/** A client of NATS Streaming: its protobuf messages over a connection of NATS. */
export class StanClient {
  readonly #connection: NatsConnection;
  readonly #clientId: string;
  readonly #heartbeat: Subscription;
  readonly #subjects: {
    readonly publish: string;
    readonly subscribe: string;
    readonly close: string;
    readonly subClose: string;
  };

  private constructor(connection: NatsConnection, clientId: string, heartbeat: Subscription, answer: Decoded) {
    this.#connection = connection;
    this.#clientId = clientId;
    this.#heartbeat = heartbeat;
    this.#subjects = {
      publish: answer.text(1),
      subscribe: answer.text(2),
      close: answer.text(4),
      subClose: answer.text(6),
    };
  }

  /** Introduces itself to the cluster; the connection is the client's from then on. */
  static async connect(connection: NatsConnection, clusterId: string, clientId: string): Promise<StanClient> {
    const inbox = createInbox();
    const heartbeat = connection.subscribe(inbox, { callback: (_error, message) => void message.respond() });
    const request: Fields = new Map<number, string | number | Uint8Array>([
      [1, clientId],
      [2, inbox],
      [3, 1],
      [4, Buffer.from(clientId)],
      [5, 5],
      [6, 3],
    ]);
    const answer = await ask(connection, `${discoverPrefix}.${clusterId}`, request);
    refuseWith(answer.text(5));
    return new StanClient(connection, clientId, heartbeat, answer);
  }

  get connected(): boolean {
    return !this.#connection.isClosed();
  }

  /** Resolves when the cluster has stored the message. */
  async publish(channel: string, data: string): Promise<void> {
    const guid = randomBytes(11).toString('hex');
    const request = new Map<number, string | Uint8Array>([
      [1, this.#clientId],
      [2, guid],
      [3, channel],
      [5, Buffer.from(data)],
      [6, Buffer.from(this.#clientId)],
    ]);
    const answer = await ask(this.#connection, `${this.#subjects.publish}.${channel}`, request);
    refuseWith(answer.text(2));
  }

  /** Subscribes; gives what leaves again, with or without being forgotten by the server. */
  async subscribe(options: StanSubscribe): Promise<{ close(): Promise<void> }> {
    const { channel, durable, queue, startPosition, ackWaitSeconds, maxInFlight, onMessage } = options;
    const inbox = createInbox();
    let ackInbox = '';
    const early: Uint8Array[] = [];
    const hear = (bytes: Uint8Array) => {
      const message = new Decoded(bytes);
      const sequence = message.number(1);
      const ack = () =>
        this.#connection.publish(
          ackInbox,
          encodeFields(
            new Map<number, string | bigint>([
              [1, channel],
              [2, sequence],
            ]),
          ),
        );
      onMessage({ sequence, data: message.text(4), redelivered: message.number(6) === 1n, ack });
    };
    const subscription = this.#connection.subscribe(inbox, {
      callback: (_error, { data }) => {
        if (ackInbox) hear(data);
        else early.push(data);
      },
    });
    const request = new Map<number, string | number>([
      [1, this.#clientId],
      [2, channel],
      ...(queue ? [[3, queue] as const] : []),
      [4, inbox],
      [5, maxInFlight],
      [6, ackWaitSeconds],
      ...(durable ? [[7, durable] as const] : []),
      [10, startPosition],
    ]);
    const answer = await ask(this.#connection, this.#subjects.subscribe, request);
    refuseWith(answer.text(3));
    ackInbox = answer.text(2);
    for (const bytes of early) hear(bytes);
    return {
      close: async () => {
        const leave = new Map([
          [1, this.#clientId],
          [2, channel],
          [3, ackInbox],
          ...(durable ? [[4, durable] as const] : []),
        ]);
        await ask(this.#connection, this.#subjects.subClose, leave);
        subscription.unsubscribe();
      },
    };
  }

  async close(): Promise<void> {
    await ask(this.#connection, this.#subjects.close, new Map([[1, this.#clientId]])).catch(() => undefined);
    this.#heartbeat.unsubscribe();
    await this.#connection.close();
  }
}

async function ask(connection: NatsConnection, subject: string, fields: Fields): Promise<Decoded> {
  const { data } = await connection.request(subject, encodeFields(fields), { timeout });
  return new Decoded(data);
}

function refuseWith(problem: string): void {
  if (problem) throw new Error(problem);
}
