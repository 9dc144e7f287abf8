import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { type Clock, pause } from '@tiphys/kubernetes';
import { guardedHost } from '@tiphys/outbound';
import type { TlsOptions } from '../tls.ts';
import { encodeFields, type Fields, type FieldValue } from './fields.ts';
import { command, commandFrame, type Frame, framesOf, messageFrame } from './frames.ts';

/** How a client presents itself. */
export interface PulsarAuth {
  /** Pulsar's name of the method, such as `token`. */
  readonly method: string;
  readonly data: Uint8Array;
}

export interface PulsarAddress {
  readonly host: string;
  readonly port: number;
  /** Absent for a connection without TLS. */
  readonly tls?: (TlsOptions & { readonly checkServerIdentity?: () => undefined }) | undefined;
  /** The broker that a proxy is asked to connect to, as `host:port`. */
  readonly broker?: string | undefined;
  readonly auth?: PulsarAuth | undefined;
}

/** The broker refused a request, or the connection is gone. */
export class PulsarError extends Error {}

const protocolVersion = 12;
/** Milliseconds between signs of life; a broker of which nothing was heard for two of them is gone. */
const keepAlive = 30_000;
const handshakeTimeout = 30_000;

/** A connection to a broker of Pulsar in its binary protocol. */
export class PulsarConnection {
  readonly #socket: Socket;
  readonly #waiting = new Map<bigint, PromiseWithResolvers<Frame>>();
  readonly #receipts = new Map<string, PromiseWithResolvers<void>>();
  readonly #onMessage = new Map<bigint, (frame: Frame) => void>();
  readonly #ended = Promise.withResolvers<never>();
  readonly #stop = new AbortController();
  readonly #auth: PulsarAuth | undefined;
  #heard: number;
  #next = 1n;

  private constructor(socket: Socket, auth: PulsarAuth | undefined, now: number) {
    this.#socket = socket;
    this.#auth = auth;
    this.#heard = now;
    this.#ended.promise.catch(() => undefined);
  }

  /** Connects and presents itself. Rejects with the reason that the broker gives. */
  static async open({ host, port, tls, broker, auth }: PulsarAddress, clock: Clock): Promise<PulsarConnection> {
    const target = { host, port, ...guardedHost(host) };
    const socket = tls ? connectSecure({ ...target, servername: host, ...tls }) : connectPlain(target);
    const connection = new PulsarConnection(socket, auth, clock.now());
    const connected = connection.#request(0n);
    socket.setTimeout(handshakeTimeout, () => connection.#end(new PulsarError(`${host}:${port} does not answer`)));
    socket.once(tls ? 'secureConnect' : 'connect', () =>
      socket.write(
        commandFrame(command.connect, {
          1: 'tiphys',
          3: auth?.data,
          4: protocolVersion,
          5: auth?.method,
          6: broker,
        }),
      ),
    );
    void connection.#read(clock);
    try {
      await connected;
    } catch (error) {
      connection.close();
      throw error;
    }
    socket.setTimeout(0);
    void connection.#live(clock);
    return connection;
  }

  /** Rejects when the connection, or one of its consumers and producers, has ended. */
  get ended(): Promise<never> {
    return this.#ended.promise;
  }

  /** An id for a consumer, a producer or a request. */
  id(): bigint {
    return this.#next++;
  }

  /** Sends a command that is answered; `field` is where it has the id of the request. */
  async ask(type: number, field: number, fields: Readonly<Record<number, FieldValue>>): Promise<Fields> {
    const id = this.id();
    const answer = this.#request(id);
    this.send(type, { ...fields, [field]: id });
    return (await answer).fields;
  }

  send(type: number, fields: Readonly<Record<number, FieldValue>>): void {
    this.#socket.write(commandFrame(type, fields));
  }

  /** Sends a message; resolves when the broker has stored it. */
  async publish(producer: bigint, sequence: bigint, message: { metadata: Uint8Array; payload: Uint8Array }) {
    const receipt = Promise.withResolvers<void>();
    this.#receipts.set(`${producer} ${sequence}`, receipt);
    this.#socket.write(messageFrame(command.send, { 1: producer, 2: sequence }, message));
    await Promise.race([receipt.promise, this.ended]);
  }

  /** Calls back for each message of a consumer. */
  onMessage(consumer: bigint, handle: (frame: Frame) => void): void {
    this.#onMessage.set(consumer, handle);
  }

  /** Closes the connection when what was sent is on its way. */
  close(): void {
    this.#socket.end(() => this.#end(new PulsarError('the connection to Pulsar was closed')));
  }

  #request(id: bigint): Promise<Frame> {
    const answer = Promise.withResolvers<Frame>();
    this.#waiting.set(id, answer);
    return Promise.race([answer.promise, this.ended]);
  }

  #end(error: Error): void {
    this.#ended.reject(error);
    this.#stop.abort(error);
    this.#socket.destroy();
  }

  async #read(clock: Clock): Promise<void> {
    try {
      for await (const frame of framesOf(this.#socket as AsyncIterable<Buffer>)) {
        this.#heard = clock.now();
        this.#handle(frame);
      }
      throw new PulsarError('Pulsar closed the connection');
    } catch (error) {
      this.#end(error as Error);
    }
  }

  async #live(clock: Clock): Promise<void> {
    const { signal } = this.#stop;
    for (;;) {
      await pause(clock, keepAlive, signal);
      if (signal.aborted) return;
      if (clock.now() - this.#heard > 2 * keepAlive) this.#end(new PulsarError('Pulsar does not answer any more'));
      else this.send(command.ping, {});
    }
  }

  #handle(frame: Frame): void {
    const { type, fields } = frame;
    if (type === command.connected) this.#answer(0n, frame);
    else if (type === command.ping) this.send(command.pong, {});
    else if (type === command.message) this.#onMessage.get(fields.integer(1))?.(frame);
    else if (type === command.sendReceipt) this.#receipt(fields)?.resolve();
    else if (type === command.sendError) this.#receipt(fields)?.reject(new PulsarError(fields.text(4)));
    else if (type === command.error) this.#refuse(fields.integer(1), fields.text(3));
    else if (type === command.closeConsumer || type === command.closeProducer)
      this.#end(new PulsarError('the broker closed the topic, which another one may serve now'));
    else if (type === command.authChallenge)
      this.send(command.authResponse, { 1: 'tiphys', 2: this.#authData(), 3: protocolVersion });
    else if (type === command.partitionedMetadataResponse) this.#answer(fields.integer(2), frame);
    else if (type === command.lookupResponse) this.#answer(fields.integer(4), frame);
    else if (type === command.success || type === command.producerSuccess) this.#answer(fields.integer(1), frame);
  }

  #authData(): Uint8Array | undefined {
    return this.#auth && encodeFields({ 1: this.#auth.method, 2: this.#auth.data });
  }

  #receipt(fields: Fields): PromiseWithResolvers<void> | undefined {
    const key = `${fields.integer(1)} ${fields.integer(2)}`;
    const receipt = this.#receipts.get(key);
    this.#receipts.delete(key);
    return receipt;
  }

  #answer(id: bigint, frame: Frame): void {
    this.#waiting.get(id)?.resolve(frame);
    this.#waiting.delete(id);
  }

  /** A refusal without a request, as of the connection itself, has the id 0 or -1. */
  #refuse(id: bigint, why: string): void {
    const request = this.#waiting.get(id) ?? this.#waiting.get(0n);
    this.#waiting.delete(id);
    if (request) request.reject(new PulsarError(why));
    else this.#end(new PulsarError(why));
  }
}
