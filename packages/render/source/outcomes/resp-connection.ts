import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export interface RedisOptions {
  readonly host: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
  readonly database?: number;
  /** TLS, verified by the given authorities or those of the system. */
  readonly tls?: { readonly ca?: string; readonly insecure?: boolean };
  /** Milliseconds for one command, connecting included. */
  readonly timeout: number;
}

type Reply = string | number | Buffer | null | Error;

const maxReply = 512 * 1024 * 1024;

/** One connection that speaks RESP 2: commands go out at once, replies come back in order. */
export class RespConnection {
  readonly #socket: Socket;
  readonly #waiting: PromiseWithResolvers<Reply>[] = [];
  readonly #timeout: number;
  #chunks: Buffer[] = [];
  #buffered = 0;
  #wanted = 0;
  #ended: Error | undefined;

  constructor(socket: Socket, timeout: number) {
    this.#socket = socket;
    this.#timeout = timeout;
    socket.setNoDelay(true);
    socket.unref();
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', (error) => this.#end(error));
    socket.on('close', () => this.#end(new Error('the connection was closed')));
  }

  /** Connects, logs in and chooses the database. */
  static async open({ host, port, username, password, database, tls, timeout }: RedisOptions): Promise<RespConnection> {
    const socket = tls
      ? connectTls({
          host,
          port,
          servername: host,
          rejectUnauthorized: !tls.insecure,
          ...(tls.ca ? { ca: tls.ca } : {}),
        })
      : connectTcp({ host, port });
    const connection = new RespConnection(socket, timeout);
    try {
      if (password) await connection.send('AUTH', ...(username ? [username] : []), password);
      if (database) await connection.send('SELECT', String(database));
      await connection.send('PING');
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  get ended(): boolean {
    return this.#ended !== undefined;
  }

  /** The reply; rejects with an error of the server, of the network or of time. */
  async send(...parts: readonly (string | Buffer)[]): Promise<Exclude<Reply, Error>> {
    if (this.#ended) throw this.#ended;
    const waiting = Promise.withResolvers<Reply>();
    this.#waiting.push(waiting);
    this.#socket.write(encode(parts));
    const timer = setTimeout(() => this.#end(new Error(`no answer within ${this.#timeout} ms`)), this.#timeout);
    try {
      const reply = await waiting.promise;
      if (reply instanceof Error) throw reply;
      return reply;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#end(new Error('the connection was closed'));
  }

  #end(error: Error): void {
    if (this.#ended) return;
    this.#ended = error;
    this.#socket.destroy();
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    if (this.#buffered > maxReply) {
      this.#end(new Error('the answer is too long'));
      return;
    }
    if (this.#buffered < this.#wanted) return;
    let buffer = Buffer.concat(this.#chunks);
    for (;;) {
      const read = readReply(buffer);
      if (read.kind === 'more') {
        this.#wanted = read.bytes;
        break;
      }
      if (read.kind === 'wrong') {
        this.#end(new Error('the server does not speak RESP'));
        return;
      }
      buffer = buffer.subarray(read.end);
      this.#waiting.shift()?.resolve(read.reply);
    }
    this.#chunks = [buffer];
    this.#buffered = buffer.length;
  }
}

type Read =
  | { readonly kind: 'more'; readonly bytes: number }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'reply'; readonly reply: Reply; readonly end: number };

function readReply(buffer: Buffer): Read {
  const line = buffer.indexOf('\r\n');
  if (line < 0) return { kind: 'more', bytes: 0 };
  const text = buffer.toString('utf8', 1, line);
  const end = line + 2;
  switch (String.fromCharCode(buffer[0] as number)) {
    case '+':
      return { kind: 'reply', reply: text, end };
    case '-':
      return { kind: 'reply', reply: new Error(text), end };
    case ':':
      return { kind: 'reply', reply: Number(text), end };
    case '$': {
      const length = Number(text);
      if (length < 0) return { kind: 'reply', reply: null, end };
      if (!Number.isSafeInteger(length) || length > maxReply) return { kind: 'wrong' };
      if (buffer.length < end + length + 2) return { kind: 'more', bytes: end + length + 2 };
      return { kind: 'reply', reply: Buffer.from(buffer.subarray(end, end + length)), end: end + length + 2 };
    }
    default:
      return { kind: 'wrong' };
  }
}

function encode(parts: readonly (string | Buffer)[]): Buffer {
  const pieces: Buffer[] = [Buffer.from(`*${parts.length}\r\n`)];
  for (const part of parts) {
    const bytes = Buffer.from(part);
    pieces.push(Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n'));
  }
  return Buffer.concat(pieces);
}
