import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type IncomingMessage,
  type RequestListener,
} from 'node:http';
import {
  createServer as createHttp2Server,
  createSecureServer,
  type Http2SecureServer,
  type Http2Server,
} from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { checksOf, guardBody, guardServer, guardSession, type InboundLimits, inboundLimits } from '@tiphys/inbound';

export interface TlsFiles {
  /** PEM */
  readonly cert: string;
  /** PEM */
  readonly key: string;
}

export interface Port {
  readonly port: number;
  /** Connections from now on see another certificate; without effect on a port that has none. */
  renew(tls: TlsFiles): void;
  /** Stops listening, and ends what is open. */
  close(): Promise<void>;
}

/** Requests over HTTP/1.1 that take over their connection. */
export interface Upgrades {
  wants(request: IncomingMessage): boolean;
  serve(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

const tlsHandshake = 0x16;
const http2Preface = 'PRI * HTTP/2';

/**
 * One TCP port for HTTP/1.1, cleartext HTTP/2 and, with `tls`, both over TLS: the first bytes of a connection decide.
 * With `tls` cleartext requests are sent to https. Without it a TLS client gets a cleartext answer, so that its
 * handshake fails at once.
 */
export async function openPort(options: {
  port: number;
  host: string;
  tls?: TlsFiles | undefined;
  handler: RequestListener;
  /** Every other request for an upgrade is answered as if it had asked for none. */
  upgrades?: Upgrades;
  limits?: Partial<InboundLimits>;
}): Promise<Port> {
  const { tls, upgrades } = options;
  const limits = { ...inboundLimits, ...options.limits };
  /** Connections on which an answer is being written. */
  const answering = new WeakSet<object>();
  const handler: RequestListener = (request, response) => {
    guardBody(request, limits);
    const { socket } = request;
    answering.add(socket);
    response.once('close', () => answering.delete(socket));
    options.handler(request, response);
  };
  const sockets = new Set<Socket>();
  const http1: HttpServer = createHttpServer(checksOf(limits), tls ? redirectToTls : handler);
  const streams = { settings: { maxConcurrentStreams: limits.streams } };
  const http2: Http2Server = createHttp2Server(streams, handler as never);
  const secure: Http2SecureServer | undefined =
    tls &&
    createSecureServer(
      {
        ...streams,
        ...checksOf(limits),
        cert: tls.cert,
        key: tls.key,
        allowHTTP1: true,
        minVersion: 'TLSv1.2',
        handshakeTimeout: limits.head,
      },
      handler as never,
    );
  for (const server of [http1, secure]) if (server) guardServer(server, limits);
  for (const server of [http2, secure]) server?.on('session', (session) => guardSession(session, limits));
  if (upgrades) {
    const server = secure ?? http1;
    // the server for TLS takes no such option, but asks its property as the other one does
    Object.assign(server, { shouldUpgradeCallback: (request: IncomingMessage) => upgrades.wants(request) });
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      upgrades.serve(request, socket, head),
    );
  }
  const tcp = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.setTimeout(limits.head, () => socket.destroy());
    route(socket);
  });
  tcp.maxConnections = limits.connections;
  const route = (socket: Socket) => {
    socket.setNoDelay(true);
    socket.once('readable', () => {
      const head: Buffer | null = socket.read();
      if (!head) {
        if (socket.readableEnded) socket.end();
        else route(socket);
        return;
      }
      socket.setTimeout(0);
      socket.removeAllListeners('timeout');
      socket.unshift(head);
      if (head[0] === tlsHandshake) {
        if (secure) secure.emit('connection', socket);
        else socket.end('HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTPS request to an HTTP server.\n');
      } else if (
        !tls &&
        head.subarray(0, http2Preface.length).toString('latin1') === http2Preface.slice(0, head.length)
      )
        http2.emit('connection', socket);
      else http1.emit('connection', socket);
    });
  };
  for (const server of [http2, secure]) server?.on('sessionError', () => undefined);
  for (const server of [http1, secure])
    server?.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) =>
      answering.has(socket) ? socket.destroy() : refuse(error, socket),
    );
  await new Promise<void>((resolve, reject) => {
    tcp.once('error', reject);
    tcp.listen(options.port, options.host, resolve);
  });
  return {
    port: (tcp.address() as AddressInfo).port,
    renew: ({ cert, key }) => secure?.setSecureContext({ cert, key, minVersion: 'TLSv1.2' }),
    close: () =>
      new Promise((resolve) => {
        tcp.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Says why a head was not read, and ends the connection. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy();
  const reason = new Map([
    ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
    ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
  ]);
  const status = reason.get(error.code ?? '') ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}

const redirectToTls: RequestListener = (request, response) => {
  response.writeHead(307, { Location: `https://${request.headers.host ?? ''}${request.url ?? '/'}` });
  response.end();
};
