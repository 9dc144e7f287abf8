import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type IncomingMessage,
  type RequestListener,
  ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: { readonly key: string; readonly cert: string; readonly ca: string };
  readonly onRequest: RequestListener;
  /** Which requests may become something else than HTTP; they come to `onRequest` too, after `onUpgrade`. */
  readonly mayUpgrade: (request: IncomingMessage) => boolean;
  readonly onUpgrade: (request: IncomingMessage, head: Buffer) => void;
}

const TLS_HANDSHAKE = 0x16;

/** One port that speaks HTTP in the clear and over TLS: the first byte of a connection tells which. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #plain: HttpServer;
  readonly #secure: HttpsServer;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(options: ListenerOptions) {
    this.#options = options;
    const settings = {
      keepAliveTimeout: 90_000,
      requestTimeout: 0,
      headersTimeout: 60_000,
      shouldUpgradeCallback: options.mayUpgrade,
    };
    this.#plain = createHttpServer(settings, options.onRequest);
    this.#secure = createHttpsServer(
      { ...settings, ...options.tls, requestCert: true, rejectUnauthorized: false },
      options.onRequest,
    );
    for (const server of [this.#plain, this.#secure])
      server.on('upgrade', (request, socket, head) => {
        const response = new ServerResponse(request);
        // what refuses the upgrade is the last that this connection hears
        response.shouldKeepAlive = false;
        response.assignSocket(socket as Socket);
        response.once('finish', () => (socket as Socket).destroySoon());
        options.onUpgrade(request, head);
        options.onRequest(request, response);
      });
    this.#server = createServer((socket) => this.#accept(socket));
  }

  /** Resolves to the port. */
  listen(): Promise<number> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port, backlog: 511 }, () => resolve((this.#server.address() as AddressInfo).port));
    });
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    // Answers that are being written get the chance to leave first.
    await new Promise((resolve) => setImmediate(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.setNoDelay(true);
    socket.once('data', (first: Buffer) => {
      socket.pause();
      socket.unshift(first);
      (first[0] === TLS_HANDSHAKE ? this.#secure : this.#plain).emit('connection', socket);
      process.nextTick(() => socket.resume());
    });
  }
}
