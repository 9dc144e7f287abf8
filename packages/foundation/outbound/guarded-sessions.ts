import type { ClientHttp2Stream, Http2Session } from 'node:http2';

/** What opens streams on HTTP/2 sessions of its own: the session manager of a gRPC client. */
interface Sessions {
  request(...call: never[]): Promise<ClientHttp2Stream>;
}

/**
 * Keeps a server that breaks HTTP/2 from ending the process: the manager of a gRPC client stops listening to a session's errors when it
 * leaves it, though one may still be on its way. Failures reach callers by their streams, as before.
 */
export function guardedSessions<Manager extends Sessions>(manager: Manager): Manager {
  const guarded = new WeakSet<Http2Session>();
  const request = manager.request.bind(manager);
  manager.request = async (...call) => {
    const stream = await request(...call);
    const { session } = stream;
    if (session && !guarded.has(session)) {
      guarded.add(session);
      session.on('error', () => undefined);
    }
    return stream;
  };
  return manager;
}
