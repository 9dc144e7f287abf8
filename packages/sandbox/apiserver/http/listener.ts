import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type IncomingMessage,
  type RequestListener,
  ServerResponse,
} from 'node:http';
import { createServer as createHttp2Server, type Http2Server } from 'node:http2';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { checksOf, guardBody, guardServer, guardSession, type InboundLimits, inboundLimits } from '@tiphys/inbound';

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: { readonly key: string; readonly cert: string; readonly ca: string };
  readonly onRequest: RequestListener;
  /** Which requests may become something else than HTTP; they come to `onRequest` too, after `onUpgrade`. */
  readonly mayUpgrade: (request: IncomingMessage) => boolean;
  readonly onUpgrade: (request: IncomingMessage, head: Buffer) => void;
  readonly limits?: Partial<InboundLimits>;
}

const TLS_HANDSHAKE = 0x16;

/** Bytes of a request that may be under way before the server has read any: what most bodies need, as kube-apiserver says. */
const WINDOW = 256 * 1024;
const STREAMS = inboundLimits.streams;

/** One port that speaks HTTP/1.1 in the clear and HTTP/1.1 and 2 over TLS: the first byte of a connection tells which, and its ALPN. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #limits: InboundLimits;
  readonly #plain: HttpServer;
  readonly #secure: HttpsServer;
  readonly #multiplexed: Http2Server;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#limits = { ...inboundLimits, idle: 90_000, ...options.limits };
    const settings = { ...checksOf(this.#limits), shouldUpgradeCallback: options.mayUpgrade };
    const onRequest: RequestListener = (request, response) => {
      guardBody(request, this.#limits);
      options.onRequest(request, response);
    };
    this.#plain = createHttpServer(settings, onRequest);
    this.#secure = createHttpsServer(
      {
        ...settings,
        ...options.tls,
        requestCert: true,
        rejectUnauthorized: false,
        ALPNProtocols: ['h2', 'http/1.1'],
        handshakeTimeout: this.#limits.head,
      },
      onRequest,
    );
    for (const server of [this.#plain, this.#secure]) guardServer(server, this.#limits);
    this.#multiplexed = multiplexed(onRequest);
    this.#multiplexed.on('session', (session) => guardSession(session, this.#limits));
    // the HTTPS server's own listener is for HTTP/1.1
    const [begin] = this.#secure.listeners('secureConnection');
    this.#secure.removeAllListeners('secureConnection');
    this.#secure.on('secureConnection', (socket) => {
      if (socket.alpnProtocol === 'h2') this.#multiplexed.emit('connection', socket);
      else begin?.call(this.#secure, socket);
    });
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
    this.#server.maxConnections = this.#limits.connections;
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
    socket.setTimeout(this.#limits.head, () => socket.destroy());
    socket.once('data', (first: Buffer) => {
      socket.setTimeout(0);
      socket.removeAllListeners('timeout');
      socket.pause();
      socket.unshift(first);
      (first[0] === TLS_HANDSHAKE ? this.#secure : this.#plain).emit('connection', socket);
      process.nextTick(() => socket.resume());
    });
  }
}

/**
 * Answers requests of HTTP/2, which read as those of HTTP/1.1: their authority is the header `host`, and pseudo-headers are
 * not among the others. What is different of their responses, `answer.ts` and `watch-sink.ts` know.
 */
function multiplexed(onRequest: RequestListener): Http2Server {
  const server = createHttp2Server(
    {
      settings: { maxConcurrentStreams: STREAMS, initialWindowSize: WINDOW },
      // MB of a connection; a list alone may be larger than the default of 10
      maxSessionMemory: 1000,
      // a client that ends its watches all at once attacks nobody
      streamResetBurst: 10 * STREAMS,
      streamResetRate: STREAMS,
    },
    (request, response) => {
      const { ':authority': host, ...headers } = request.headers;
      const plain = Object.entries({ host, ...headers }).filter(([name]) => !name.startsWith(':'));
      Object.defineProperty(request, 'headers', { value: Object.fromEntries(plain) });
      onRequest(request as unknown as IncomingMessage, response as unknown as ServerResponse<IncomingMessage>);
    },
  );
  server.on('session', (session) => session.setLocalWindowSize(WINDOW * STREAMS));
  server.on('sessionError', (_error, session) => session.destroy());
  return server;
}
