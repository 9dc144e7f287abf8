import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { requestUrl } from '@tiphys/inbound';
import type { WebSocket } from 'ws';
import type { ContainerProcess, ExecSession } from '../container-runtime.ts';
import type { Kubelet } from '../kubelet.ts';
import { forwardPorts } from './port-forward.ts';
import { outcomeOf, type RemoteChannels } from './remote-channels.ts';
import { spdyChannels } from './spdy-channels.ts';
import { remoteCommandProtocols, websocketChannels } from './websocket-channels.ts';
import { portForwardTunnel, websocketTunnel } from './websocket-tunnel.ts';

const notRun =
  'simulated pods run no process: start the sandbox with the process runtime (`tiphys up --runtime process`), or use a cluster with real nodes';

/**
 * The kubelets' `/exec`, `/attach` and `/portForward`: WebSockets, and SPDY for older clients. Containers without a process
 * are refused with 501.
 */
export async function serveStreams(
  kubelet: Kubelet,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const url = requestUrl(request);
  const [, section = '', namespace, pod, container = ''] = url.pathname.split('/').map(decodeURIComponent);
  const run = kubelet.run(`${namespace}/${pod}`);
  if (!run) return refuse(socket, 404, `pod does not exist`);
  if (section === 'portForward') {
    if (!run.mains.some(({ process }) => process && !process.exit)) return refuse(socket, 501, notRun);
    const transport = await upgrade(request, socket, head, 'portforward.k8s.io');
    return transport
      ? forwardPorts('socket' in transport ? websocketTunnel(transport.socket) : transport.spdy)
      : undefined;
  }
  const found = run.container(container);
  if (!found?.running) return refuse(socket, 404, `container not found (${JSON.stringify(container)})`);
  if (!found.process) return refuse(socket, 501, notRun);
  const on = (name: string, alias: string) =>
    ['1', 'true'].includes(url.searchParams.get(name) ?? url.searchParams.get(alias) ?? '');
  const tty = on('tty', 'tty');
  const wanted = {
    stdin: on('input', 'stdin'),
    stdout: on('output', 'stdout'),
    stderr: on('error', 'stderr') && !tty,
    tty,
  };
  const transport = await upgrade(request, socket, head, 'v4.channel.k8s.io');
  if (!transport) return;
  const channels =
    'socket' in transport ? websocketChannels(transport.socket, wanted) : await spdyChannels(transport.spdy, wanted);
  if (section === 'attach') return attach(found.process, channels);
  return execute(found.process.exec(url.searchParams.getAll('command'), { tty }), channels);
}

async function execute(session: ExecSession, channels: RemoteChannels): Promise<void> {
  channels.stdin?.pipe(session.stdin);
  if (!channels.stdin) session.stdin.end();
  session.stdin.on('error', () => channels.stdin?.unpipe());
  channels.onResize((size) => session.resize(size));
  const written = [
    [session.stdout, channels.stdout],
    [session.stderr, channels.stderr ?? channels.stdout],
  ] as const;
  const copied = written.map(async ([from, to]) => {
    for await (const chunk of from as AsyncIterable<Buffer>)
      await new Promise<void>((resolve) => (to ? to.write(chunk, () => resolve()) : resolve()));
  });
  void channels.closed.then(() => session.kill());
  const code = await session.exit;
  await Promise.all(copied);
  await channels.finish(outcomeOf(code));
}

async function attach(process: ContainerProcess, channels: RemoteChannels): Promise<void> {
  const ended = Promise.withResolvers<void>();
  if (process.stdin) channels.stdin?.pipe(process.stdin, { end: process.stdinOnce });
  channels.onResize((size) => process.resize(size));
  const stop = process.onOutput((stream, chunk) => {
    if (chunk.length > 0) (stream === 'stderr' ? (channels.stderr ?? channels.stdout) : channels.stdout)?.write(chunk);
    if (process.exit) ended.resolve();
  });
  if (process.exit) ended.resolve();
  await Promise.race([ended.promise, channels.closed]);
  stop();
  await channels.finish(outcomeOf(process.exit?.code ?? 0));
}

type Transport = { socket: WebSocket } | { spdy: Duplex };

/** Agrees on a protocol; undefined where that was refused. */
async function upgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  spdyProtocol: string,
): Promise<Transport | undefined> {
  const wanted = request.headers.upgrade?.toLowerCase();
  if (wanted === 'websocket') {
    const { WebSocketServer } = await import('ws');
    const websockets = new WebSocketServer({
      noServer: true,
      handleProtocols: (offered) =>
        [portForwardTunnel, ...remoteCommandProtocols].find((protocol) => offered.has(protocol)) ?? false,
    });
    return new Promise((resolve) => {
      socket.once('close', () => resolve(undefined));
      websockets.handleUpgrade(request, socket, head, (client) => resolve({ socket: client }));
    });
  }
  if (wanted !== 'spdy/3.1') {
    refuse(
      socket,
      400,
      `unable to upgrade: the protocol ${JSON.stringify(wanted ?? '')} is not served; use websocket or SPDY/3.1`,
    );
    return undefined;
  }
  const offered = [request.headers['x-stream-protocol-version'] ?? []].flat().flatMap((text) => text.split(/,\s*/));
  if (!offered.includes(spdyProtocol)) {
    refuse(
      socket,
      403,
      `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(' ')}], server accepts [${spdyProtocol}]`,
    );
    return undefined;
  }
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${spdyProtocol}\r\n\r\n`,
  );
  if (head.length) socket.unshift(head);
  return { spdy: socket };
}

/** Answers in plain HTTP that there will be no upgrade. */
export function refuse(socket: Duplex, status: number, text: string): void {
  socket.end(
    `HTTP/1.1 ${status} \r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );
}
