import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { inboundLimits } from '@tiphys/inbound';
import { openMetricsPort } from '@tiphys/metrics';
import { startSandbox } from '@tiphys/sandbox';
import { startTestServer } from '../../packages/serve/server/testing/start-test-server.ts';

const limits = { head: 300, body: 300, idle: 300 };

interface Target {
  readonly port: number;
  readonly path: string;
}

interface MultiplexedTarget extends Target {
  /** A connection that speaks HTTP/2. */
  readonly multiplexed: () => Socket;
}

/** Each kind of server that speaks HTTP/2, with limits that a test can wait for. The sandbox does so over TLS alone. */
const multiplexedServers: Readonly<Record<string, (t: TestContext) => Promise<MultiplexedTarget>>> = {
  Tiphys: async (t) => {
    const { port } = (await startTestServer(t, { limits })).server;
    return { port, path: '/api/v1/session', multiplexed: () => open(port) };
  },
  'the sandbox': async (t) => {
    const sandbox = await startSandbox({ limits, nodes: 0, controllers: false });
    t.after(() => sandbox.close());
    const port = Number(new URL(sandbox.url).port);
    const options = { port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['h2'] };
    return { port, path: '/api/v1/namespaces', multiplexed: () => quiet(connectTls(options)) };
  },
};

const servers: Readonly<Record<string, (t: TestContext) => Promise<Target>>> = {
  ...multiplexedServers,
  'the port for metrics': async (t) => {
    const metrics = await openMetricsPort({
      host: '127.0.0.1',
      port: 0,
      flag: '--metrics-port',
      metrics: async () => '',
      limits: { ...inboundLimits, ...limits },
    });
    t.after(() => metrics.close());
    return { port: metrics.port, path: '/metrics' };
  },
};

function open(port: number): Socket {
  return quiet(connect(port, '127.0.0.1'));
}

function quiet(socket: Socket): Socket {
  socket.on('error', () => undefined);
  socket.resume();
  return socket;
}

/** Status of a request on a connection of its own: those that are kept end when they were idle for a moment. */
const ask = (port: number, path: string) =>
  new Promise<number>((resolve, reject) =>
    get({ port, host: '127.0.0.1', path, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    }).on('error', reject),
  );

/** Fails by the limit of the runner where the server never ends the connection. */
const ended = (socket: Socket) =>
  new Promise<void>((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())));

const frame = (type: number, flags: number, stream: number, payload = Buffer.alloc(0)) => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
};
const preface = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0)]);
/** `:method: GET`, `:scheme: http`, `:path: /` of the static table. */
const getRoot = Buffer.from([0x82, 0x86, 0x84]);

for (const [name, start] of Object.entries(servers))
  describe(`${name} and clients that are slow or many`, () => {
    test('ends heads and bodies that do not go on, and connections that nobody uses', async (t) => {
      const { port, path } = await start(t);
      const post = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n`;
      const slow = [
        '',
        'G',
        `GET ${path} HTTP/1.1\r\nHost: local`,
        `GET / HTTP/1.1\r\nHost: localhost\r\n\r\n`,
        `${post}{"a`,
      ];
      const sockets = slow.map((text) => {
        const socket = open(port);
        if (text) socket.write(text);
        return socket;
      });
      await Promise.all(sockets.map(ended));
    });

    test('ends heads of which a little comes again and again', async (t) => {
      const { port } = await start(t);
      const socket = open(port);
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n');
      const drip = setInterval(() => socket.writable && socket.write('X-A: b\r\n'), 20);
      await ended(socket);
      clearInterval(drip);
    });
  });

for (const [name, start] of Object.entries(multiplexedServers))
  describe(`${name} and clients of HTTP/2 that are slow or many`, () => {
    test('ends HTTP/2 connections without streams', async (t) => {
      const { port, multiplexed } = await start(t);
      const session = connectHttp2(`http://127.0.0.1:${port}`, { createConnection: multiplexed });
      session.on('error', () => undefined);
      await once(session, 'close');
    });

    test('goes on answering while others flood HTTP/2', async (t) => {
      const { port, path, multiplexed } = await start(t);
      const header = Buffer.alloc(16_000, 0x00);
      const floods: Record<string, Buffer> = {
        settings: frame(4, 0, 0, Buffer.from([0, 3, 0, 0, 0, 100])),
        pings: frame(6, 0, 0, Buffer.alloc(8)),
        continuations: frame(9, 0, 1, header),
        'empty data': frame(0, 0, 1),
        priorities: frame(2, 0, 3, Buffer.from([0, 0, 0, 0, 16])),
      };
      for (const [kind, piece] of Object.entries(floods)) {
        const socket = multiplexed();
        socket.write(preface);
        socket.write(frame(1, kind === 'continuations' ? 0 : 4, 1, getRoot));
        const many = Buffer.concat(Array.from({ length: kind === 'continuations' ? 20 : 5_000 }, () => piece));
        for (let sent = 0; sent < 10 && !socket.destroyed; sent += 1)
          if (!socket.write(many)) await Promise.race([once(socket, 'drain'), ended(socket)]);
        assert.ok((await ask(port, `${path}/userinfo`)) < 500, kind);
        socket.destroy();
      }
      // a client that takes back what it asked for, as fast as it can
      const rapid = multiplexed();
      rapid.write(preface);
      for (let id = 1; id < 40_000 && !rapid.destroyed; id += 2)
        if (!rapid.write(Buffer.concat([frame(1, 5, id, getRoot), frame(3, 0, id, Buffer.from([0, 0, 0, 8]))])))
          await Promise.race([once(rapid, 'drain'), ended(rapid)]);
      await ended(rapid);
      assert.ok((await ask(port, `${path}/userinfo`)) < 500);
    });
  });
