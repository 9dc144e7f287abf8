import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The bytes that came with the head of a request for an upgrade. */
const heads = new WeakMap<IncomingMessage, Buffer>();

/** A request for an upgrade, as the HTTP server hands it over. The answer goes to the socket through the response. */
export function rememberHead(request: IncomingMessage, head: Buffer): void {
  heads.set(request, head);
}

/** What came with the head of a request for an upgrade; undefined for other requests. */
export function headOf(request: IncomingMessage): Buffer | undefined {
  return heads.get(request);
}

/** A connection that has become something else than HTTP: the answer's head, the stream, and what came with the head. */
export interface Joined {
  head: IncomingMessage;
  socket: Duplex;
  first: Buffer;
}

/** From here on both sides are one stream of bytes. */
export function join(request: IncomingMessage, response: ServerResponse, { head, socket, first }: Joined): void {
  const client = request.socket;
  response.detachSocket(client);
  const lines = head.rawHeaders.flatMap((value, index, all) => (index % 2 ? [] : [`${value}: ${all[index + 1]}`]));
  client.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
  client.write(first);
  socket.write(heads.get(request) ?? Buffer.alloc(0));
  client.pipe(socket);
  socket.pipe(client);
  client.on('close', () => socket.destroy());
  // Anyone who waits for the end of the answer learns of it.
  client.once('close', () => response.emit('close'));
  socket.on('close', () => client.destroySoon());
  for (const side of [client, socket]) side.on('error', () => side.destroy());
}
