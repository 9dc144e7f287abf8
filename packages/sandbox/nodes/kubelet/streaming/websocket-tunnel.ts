import { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

export const portForwardTunnel = 'SPDY/3.1+portforward.k8s.io';

/** The bytes of a SPDY connection, carried in binary messages as kubectl does it since 1.31. */
export function websocketTunnel(socket: WebSocket): Duplex {
  const tunnel = new Duplex({
    read: () => socket.resume(),
    write: (chunk: Buffer, _encoding, done) => socket.send(chunk, () => done()),
    final: (done) => {
      socket.close(1000);
      done();
    },
    destroy: (_error, done) => {
      socket.terminate();
      done(null);
    },
  });
  socket.on('message', (data: Buffer) => {
    if (!tunnel.push(data)) socket.pause();
  });
  socket.on('error', () => tunnel.destroy());
  socket.on('close', () => tunnel.push(null));
  return tunnel;
}
