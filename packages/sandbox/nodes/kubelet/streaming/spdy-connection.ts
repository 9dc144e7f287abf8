import type { Duplex } from 'node:stream';
import { constants, createDeflate, createInflate, type Deflate, type Inflate } from 'node:zlib';
import { spdyDictionary } from './spdy-dictionary.ts';
import { SpdyStream } from './spdy-stream.ts';

const control = { synStream: 1, synReply: 2, rstStream: 3, settings: 4, ping: 6, goAway: 7 } as const;
const fin = 1;
/** Larger frames are refused: what kubectl sends is far below it. */
const maxFrame = 2 ** 20;

/** The server's side of SPDY/3.1 on a connection, as far as `kubectl exec` and `port-forward` use it. No flow control, as their library has none. */
export class SpdyConnection {
  readonly #transport: Duplex;
  readonly #onStream: (stream: SpdyStream) => void;
  readonly #inflate: Inflate = createInflate({ dictionary: spdyDictionary });
  readonly #deflate: Deflate = createDeflate({ dictionary: spdyDictionary });
  readonly #streams = new Map<number, SpdyStream>();
  readonly #inflated: Buffer[] = [];
  readonly #deflated: Buffer[] = [];
  readonly closed: Promise<void>;

  constructor(transport: Duplex, onStream: (stream: SpdyStream) => void) {
    this.#transport = transport;
    this.#onStream = onStream;
    this.#inflate.on('data', (chunk: Buffer) => this.#inflated.push(chunk));
    this.#deflate.on('data', (chunk: Buffer) => this.#deflated.push(chunk));
    this.closed = this.#read()
      .catch((error: unknown) => void transport.destroy(error as Error))
      .then(() => this.#end());
  }

  /** Says that no more streams are taken and closes when all is written. */
  close(): void {
    const body = Buffer.alloc(8);
    this.#transport.end(frame(control.goAway, 0, body));
  }

  async #read(): Promise<void> {
    let buffered: Buffer = Buffer.alloc(0);
    for await (const chunk of this.#transport as AsyncIterable<Buffer>) {
      buffered = buffered.length ? Buffer.concat([buffered, chunk]) : chunk;
      while (buffered.length >= 8) {
        const length = buffered.readUInt32BE(4) & 0xffffff;
        if (length > maxFrame) throw new Error(`SPDY frame of ${length} bytes; at most ${maxFrame} are taken`);
        if (buffered.length < 8 + length) break;
        await this.#take(buffered.subarray(0, 8), buffered.subarray(8, 8 + length));
        buffered = buffered.subarray(8 + length);
      }
    }
  }

  async #take(head: Buffer, body: Buffer): Promise<void> {
    const first = head.readUInt32BE(0);
    const flags = head[4] ?? 0;
    if (!(first & 0x80000000)) {
      const stream = this.#streams.get(first & 0x7fffffff);
      if (body.length) stream?.push(Buffer.from(body));
      if (flags & fin) stream?.push(null);
      return;
    }
    const type = first & 0xffff;
    if (type === control.synStream) await this.#open(body, flags);
    else if (type === control.ping) this.#transport.write(Buffer.concat([head, body]));
    else if (type === control.rstStream) {
      const stream = this.#streams.get(body.readUInt32BE(0) & 0x7fffffff);
      stream?.push(null);
      stream?.destroy();
    } else if (type === control.goAway) this.#transport.end();
  }

  async #open(body: Buffer, flags: number): Promise<void> {
    const id = body.readUInt32BE(0) & 0x7fffffff;
    const headers = decodeHeaders(await this.#transform(this.#inflate, this.#inflated, body.subarray(10)));
    const stream = new SpdyStream(headers, {
      write: (chunk) => this.#transport.write(dataFrame(id, 0, chunk)),
      end: () => this.#transport.write(dataFrame(id, fin, Buffer.alloc(0))),
      drained: (next) => (this.#transport.writableNeedDrain ? void this.#transport.once('drain', next) : next()),
    });
    this.#streams.set(id, stream);
    stream.once('close', () => this.#streams.delete(id));
    if (flags & fin) stream.push(null);
    const reply = Buffer.alloc(4);
    reply.writeUInt32BE(id);
    const none = await this.#transform(this.#deflate, this.#deflated, Buffer.alloc(4));
    this.#transport.write(frame(control.synReply, 0, Buffer.concat([reply, none])));
    this.#onStream(stream);
  }

  /** One header block: the compressors keep their state over the whole connection. */
  #transform(coder: Inflate | Deflate, out: Buffer[], block: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      coder.once('error', reject);
      coder.write(block);
      coder.flush(constants.Z_SYNC_FLUSH, () => {
        coder.off('error', reject);
        resolve(Buffer.concat(out.splice(0)));
      });
    });
  }

  #end(): void {
    for (const stream of this.#streams.values()) {
      stream.push(null);
      stream.destroy();
    }
    this.#inflate.close();
    this.#deflate.close();
  }
}

function frame(type: number, flags: number, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(0x80030000 + type);
  head.writeUInt32BE(flags * 2 ** 24 + body.length, 4);
  return Buffer.concat([head, body]);
}

function dataFrame(id: number, flags: number, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(id);
  head.writeUInt32BE(flags * 2 ** 24 + body.length, 4);
  return Buffer.concat([head, body]);
}

function decodeHeaders(block: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  let at = 4;
  const word = () => {
    const length = block.readUInt32BE(at);
    at += 4 + length;
    return block.toString('utf8', at - length, at);
  };
  for (let left = block.readUInt32BE(0); left > 0; left--) headers.set(word().toLowerCase(), word());
  return headers;
}
