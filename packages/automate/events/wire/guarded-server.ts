import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { checksOf, guardBody, guardServer, inboundLimits } from '@tiphys/inbound';

/** An HTTP server, or with `tls` an HTTPS server, whose heads, bodies and idle connections are bounded in time. */
export function guardedServer(
  listener: RequestListener,
  tls?: { readonly cert: string; readonly key: string },
): Server {
  const answer: RequestListener = (request, response) => {
    guardBody(request, inboundLimits);
    listener(request, response);
  };
  const checks = checksOf(inboundLimits);
  const server = tls ? createSecureServer({ ...tls, ...checks }, answer) : createServer(checks, answer);
  server.maxConnections = inboundLimits.connections;
  guardServer(server, inboundLimits);
  return server;
}
