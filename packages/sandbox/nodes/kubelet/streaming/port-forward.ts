import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { SpdyConnection } from './spdy-connection.ts';
import type { SpdyStream } from './spdy-stream.ts';

/**
 * `portforward.k8s.io` over SPDY: a pair of streams a connection, `data` and `error`, told together by `requestID`.
 * Connections go to this machine's loopback, where the processes of all pods listen.
 */
export function forwardPorts(transport: Duplex): Promise<void> {
  const errors = new Map<string, SpdyStream>();
  const { closed } = new SpdyConnection(transport, (stream) => {
    stream.on('error', () => stream.destroy());
    const id = stream.headers.get('requestid') ?? '';
    if (stream.headers.get('streamtype') === 'error') {
      stream.resume();
      errors.set(id, stream);
      return;
    }
    const error = errors.get(id);
    errors.delete(id);
    forward(stream, error, Number(stream.headers.get('port')));
  });
  return closed;
}

function forward(data: SpdyStream, error: SpdyStream | undefined, port: number): void {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  const failed = (reason: Error) => {
    error?.end(`error forwarding port ${port} to the pod's processes: ${reason.message}`);
    data.destroy();
  };
  socket.once('error', failed);
  socket.once('connect', () => {
    socket.off('error', failed);
    socket.on('error', () => data.end());
    data.pipe(socket);
    socket.pipe(data);
  });
  socket.once('close', () => error?.end());
  data.once('close', () => socket.destroy());
}
