import { type IncomingMessage, request as requestPlain, ServerResponse } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { Duplex } from 'node:stream';
import { applicationHeader, isOfOneHop, projectHeader } from './header-names.ts';
import type { ProxyService } from './proxy-settings.ts';

/** The headers that name the application, as parameters of the address: browsers send none of their own with a WebSocket. The address is without them then. */
export function withNames(url: string): { url: string; names: ReadonlyMap<string, string> } {
  const [path = '', query] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  const names = new Map<string, string>();
  for (const [name, value] of [...parameters])
    if ([applicationHeader, projectHeader].includes(name.toLowerCase())) {
      names.set(name.toLowerCase(), value);
      parameters.delete(name);
    }
  if (names.size === 0) return { url, names };
  return { url: parameters.size > 0 ? `${path}?${parameters}` : path, names };
}

interface Joined {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What the client has sent after its request. */
  readonly head: Buffer;
  readonly path: string;
  readonly service: ProxyService;
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Milliseconds until the backend must have answered the request for a WebSocket. */
  readonly timeout: number;
}

/** Asks the backend for a WebSocket, and joins both connections until one of them ends. What the backend refuses is reported as it says it. */
export function joinWebSocket({ request, socket, head, path, service: { url }, headers, timeout }: Joined): void {
  const outgoing = (url.protocol === 'https:' ? requestSecure : requestPlain)(url.origin, {
    path,
    headers: { ...headers, host: url.host, connection: 'Upgrade', upgrade: 'websocket' },
    agent: false,
  });
  const late = setTimeout(() => outgoing.destroy(new Error(`no answer within ${timeout / 1000} s`)), timeout);
  const gone = () => outgoing.destroy();
  socket.once('close', gone);
  outgoing.on('upgrade', (answer, backend, first) => {
    clearTimeout(late);
    socket.off('close', gone);
    const lines = Object.entries(answer.headers)
      .filter(([name]) => !isOfOneHop(name))
      .flatMap(([name, value]) => [value ?? []].flat().map((one) => `${name}: ${one}`));
    socket.write(
      ['HTTP/1.1 101 Switching Protocols', 'connection: Upgrade', 'upgrade: websocket', ...lines, '', ''].join('\r\n'),
    );
    if (first.length > 0) socket.write(first);
    if (head.length > 0) backend.write(head);
    backend.on('error', () => socket.destroy());
    backend.on('close', () => socket.destroy());
    socket.on('close', () => backend.destroy());
    backend.pipe(socket);
    socket.pipe(backend);
  });
  outgoing.on('response', (answer) => {
    clearTimeout(late);
    const response = responseOn(request, socket);
    response.statusCode = answer.statusCode ?? 502;
    for (const [name, value] of Object.entries(answer.headers))
      if (value !== undefined && !isOfOneHop(name)) response.setHeader(name, value);
    answer.on('error', () => socket.destroy());
    answer.pipe(response);
  });
  outgoing.on('error', ({ message }) => {
    clearTimeout(late);
    if (!socket.destroyed)
      refuseUpgrade(request, socket, 502, `The backend at ${url.host} cannot be reached: ${message}`);
  });
  outgoing.end();
}

export function refuseUpgrade(request: IncomingMessage, socket: Duplex, status: number, message: string): void {
  if (socket.destroyed) return;
  const response = responseOn(request, socket);
  response.statusCode = status;
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.end(`${message}\n`);
}

function responseOn(request: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as never);
  response.on('finish', () => socket.end());
  return response;
}
