import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer, type ServerOptions as TlsOptions } from 'node:https';
import { guardBody } from './body.ts';
import { checksOf, guardServer } from './connections.ts';
import { type InboundLimits, inboundLimits } from './limits.ts';

export type { TlsOptions };

/** An HTTP/1.1 server that listens itself, or with `tls` an HTTPS server, whose heads, bodies, idle connections and their number are bounded. */
export function guardedServer(
  listener: RequestListener,
  { tls, limits = inboundLimits }: { readonly tls?: TlsOptions | undefined; readonly limits?: InboundLimits } = {},
): Server {
  const answer: RequestListener = (request, response) => {
    guardBody(request, limits);
    listener(request, response);
  };
  const checks = checksOf(limits);
  const server = tls ? createSecureServer({ ...tls, ...checks }, answer) : createServer(checks, answer);
  server.maxConnections = limits.connections;
  guardServer(server, limits);
  return server;
}
