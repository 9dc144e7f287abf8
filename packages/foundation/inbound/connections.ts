import type { Server as HttpServer } from 'node:http';
import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import type { InboundLimits } from './limits.ts';

/** The part of Node's HTTP/1.1 servers that tells their limits. */
type Limited = Pick<HttpServer, 'headersTimeout' | 'requestTimeout' | 'keepAliveTimeout' | 'emit'>;

/** Options for the making of a server that `guardServer` guards: how often it looks. */
export function checksOf({ head }: InboundLimits): { connectionsCheckingInterval: number } {
  return { connectionsCheckingInterval: Math.max(50, Math.round(head / 10)) };
}

/**
 * Applies the limits to a server that is handed its connections: it looks for late heads only once it thinks that it listens.
 * Bodies are `guardBody`'s, as one that goes on may take its time.
 */
export function guardServer(server: HttpServer | Http2SecureServer, limits: InboundLimits): void {
  const limited = server as unknown as Limited;
  limited.headersTimeout = limits.head;
  limited.requestTimeout = 0;
  limited.keepAliveTimeout = limits.idle;
  limited.emit('listening');
}

/** Closes the session once it had no stream for the time that connections may be idle, also one that never had any. */
export function guardSession(session: ServerHttp2Session, { idle }: InboundLimits): void {
  let open = 0;
  session.on('stream', (stream) => {
    open += 1;
    stream.once('close', () => {
      open -= 1;
    });
  });
  session.setTimeout(idle, () => {
    if (open === 0) session.close();
  });
}
