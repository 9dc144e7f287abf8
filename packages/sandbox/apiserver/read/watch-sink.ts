import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { carrierOf, drained } from '../http/answer.ts';
import { headOf } from '../http/upgrade.ts';

/** Where the events of a watch go: lines of a response, or messages of a WebSocket. */
export interface WatchSink {
  /** False when the client does not keep up: see `drained`. */
  write(frame: string | Buffer): boolean;
  /** Resolves when the client takes more, or is gone. */
  drained(): Promise<void>;
  /** Frames between the two leave together. */
  cork(): void;
  uncork(): void;
  end(last?: string): void;
  /** Calls back when the client is gone; the result cancels. */
  onClose(gone: () => void): () => void;
}

/** Begins the answer of a watch. Undefined for a WebSocket that was refused. */
export function openSink(
  request: IncomingMessage,
  response: ServerResponse,
): WatchSink | Promise<WatchSink | undefined> {
  if (headOf(request) && request.headers.upgrade?.toLowerCase() === 'websocket')
    return websocketSink(request, response);
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
  response.flushHeaders();
  return {
    write: (frame) => response.write(frame),
    drained: () => drained(response),
    cork: () => carrierOf(response).cork(),
    uncork: () => carrierOf(response).uncork(),
    end: (last) => void response.end(last),
    onClose: (gone) => {
      response.on('close', gone);
      return () => response.off('close', gone);
    },
  };
}

async function websocketSink(request: IncomingMessage, response: ServerResponse): Promise<WatchSink | undefined> {
  // The real server takes no client that does not say from where its page is.
  if (request.headers.origin === undefined) {
    response.writeHead(403, { 'content-length': 0 }).end();
    return undefined;
  }
  const { WebSocketServer } = await import('ws');
  const websockets = new WebSocketServer({ noServer: true });
  const connection: Duplex = request.socket;
  response.detachSocket(request.socket);
  const socket = await new Promise<WebSocket | undefined>((resolve) => {
    connection.once('close', () => resolve(undefined));
    websockets.handleUpgrade(request, connection, headOf(request) ?? Buffer.alloc(0), resolve);
  });
  if (!socket) return undefined;
  socket.on('error', () => socket.terminate());
  // Anyone who waits for the end of the answer learns of it.
  socket.once('close', () => response.emit('close'));
  const send = (frame: string | Buffer) => {
    if (socket.readyState === socket.OPEN) socket.send(String(frame));
    return !connection.writableNeedDrain;
  };
  return {
    write: send,
    drained: () => drained({ socket: connection }),
    cork: () => connection.cork(),
    uncork: () => connection.uncork(),
    end: (last) => {
      if (last !== undefined) send(last);
      socket.close(1000);
    },
    onClose: (gone) => {
      socket.on('close', gone);
      return () => socket.off('close', gone);
    },
  };
}
