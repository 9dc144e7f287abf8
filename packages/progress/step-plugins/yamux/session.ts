import type { Duplex } from 'node:stream';
import { decodeFrame, encodeFrame, type Frame, flag, frameType, headerLength } from './frame.ts';

/** Bytes that a side may send before the other says that it has taken them. */
const window = 256 * 1024;

/** One stream of a session. */
export interface MuxStream {
  readonly id: number;
  write(data: Uint8Array): void;
  /** What is told of the stream: its data, and its end with the error if there was one. */
  onData: (data: Uint8Array) => void;
  onEnd: (error?: Error) => void;
}

interface OpenStream extends MuxStream {
  /** Bytes that may still be sent. */
  credit: number;
  /** What waits for credit. */
  waiting: Uint8Array[];
}

/** The client's side of yamux over one connection: several streams, opened from here alone. */
export class MuxSession {
  readonly #connection: Duplex;
  readonly #streams = new Map<number, OpenStream>();
  #nextId = 1;
  #pending: Buffer = Buffer.alloc(0);
  #ended: Error | undefined;

  constructor(connection: Duplex) {
    this.#connection = connection;
    connection.on('data', (bytes: Buffer) => this.#receive(bytes));
    connection.on('error', (error) => this.#end(error));
    connection.on('close', () => this.#end(new Error('the connection is closed')));
  }

  /** Opens a stream. */
  open(): MuxStream {
    if (this.#ended) throw this.#ended;
    const id = this.#nextId;
    this.#nextId += 2;
    const stream: OpenStream = {
      id,
      credit: window,
      waiting: [],
      write: (data) => {
        stream.waiting.push(data);
        this.#flush(stream);
      },
      onData: () => {},
      onEnd: () => {},
    };
    this.#streams.set(id, stream);
    this.#send({ type: frameType.windowUpdate, flags: flag.syn, stream: id, length: 0 });
    return stream;
  }

  close(): void {
    this.#connection.destroy();
  }

  #send(frame: Frame, data?: Uint8Array): void {
    if (this.#ended) return;
    this.#connection.write(data ? Buffer.concat([encodeFrame(frame), data]) : encodeFrame(frame));
  }

  #flush(stream: OpenStream): void {
    while (stream.waiting.length > 0 && stream.credit > 0) {
      const data = stream.waiting.shift() as Uint8Array;
      const part = data.subarray(0, stream.credit);
      if (part.length < data.length) stream.waiting.unshift(data.subarray(part.length));
      stream.credit -= part.length;
      this.#send({ type: frameType.data, flags: 0, stream: stream.id, length: part.length }, part);
    }
  }

  #receive(bytes: Buffer): void {
    this.#pending = Buffer.concat([this.#pending, bytes]);
    try {
      while (this.#pending.length >= headerLength) {
        const frame = decodeFrame(this.#pending);
        const size = frame.type === frameType.data ? frame.length : 0;
        if (size > window) throw new Error(`a frame of ${size} bytes where ${window} are allowed`);
        if (this.#pending.length < headerLength + size) return;
        const data = this.#pending.subarray(headerLength, headerLength + size);
        this.#pending = this.#pending.subarray(headerLength + size);
        this.#handle(frame, data);
      }
    } catch (error) {
      this.#end(error as Error);
    }
  }

  #handle(frame: Frame, data: Uint8Array): void {
    if (frame.type === frameType.ping) {
      if (frame.flags & flag.syn) this.#send({ ...frame, flags: flag.ack });
      return;
    }
    if (frame.type === frameType.goAway) {
      this.#end(new Error('the plugin ends the session'));
      return;
    }
    const stream = this.#streams.get(frame.stream);
    if (!stream) return;
    if (frame.type === frameType.windowUpdate) {
      stream.credit += frame.length;
      this.#flush(stream);
    } else if (data.length > 0) {
      // what is taken at once may be sent again at once
      this.#send({ type: frameType.windowUpdate, flags: 0, stream: stream.id, length: data.length });
      stream.onData(data);
    }
    if (frame.flags & (flag.fin | flag.rst)) {
      this.#streams.delete(stream.id);
      stream.onEnd(frame.flags & flag.rst ? new Error('the plugin reset the stream') : undefined);
    }
  }

  #end(error: Error): void {
    if (this.#ended) return;
    this.#ended = error;
    this.#connection.destroy();
    for (const stream of this.#streams.values()) stream.onEnd(error);
    this.#streams.clear();
  }
}
