import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttp2, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer as createTcp, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import { PluginStore } from '../../packages/automate/artifacts/drivers/plugin.ts';
import { HttpClient } from '../../packages/automate/workflow-executor/agent/http-client.ts';
import { runPlugin } from '../../packages/automate/workflow-executor/agent/plugin-task.ts';
import { PluginClient } from '../../packages/render/plugin/plugin-client.ts';

const packed = { data: Buffer.from('x'), checksum: '' };
const metadata = { appName: 'shop', appRelPath: '.', environment: {} };
const grpc = { ':status': 200, 'content-type': 'application/grpc' };
const ok = { 'grpc-status': '0' };

type Answer = (stream: ServerHttp2Stream) => void;

/** A message of a declared size, with what comes of it, as gRPC frames it. */
function frame(flags: number, size: number, bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags, 0);
  head.writeUInt32BE(size, 1);
  return Buffer.concat([head, bytes]);
}

/** Answers with a body and trailers. */
function answer(
  body: Uint8Array,
  trailers: Record<string, string> = ok,
  headers: Record<string, string | number> = grpc,
): Answer {
  return (stream) => {
    stream.respond(headers, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    stream.end(body);
  };
}

let sent = 0;
/** A message that is said to be huge, and whose bytes do not end before the caller leaves. */
const endless: Answer = (stream) => {
  sent = 0;
  stream.respond(grpc);
  stream.write(frame(0, 0xff_ff_ff_f0, Buffer.alloc(0)));
  const more = () => {
    if (stream.destroyed) return;
    sent += 1 << 20;
    if (stream.write(Buffer.alloc(1 << 20))) setImmediate(more);
    else stream.once('drain', more);
  };
  more();
};

const answers: Readonly<Record<string, Answer>> = {
  endless,
  'no message': answer(Buffer.alloc(0)),
  'half a head': answer(Buffer.from([0, 0])),
  'half a message': answer(frame(0, 100, Buffer.from('short'))),
  'no protobuf': answer(frame(0, 4, Buffer.from([0xff, 0xff, 0xff, 0xff]))),
  'a compression that nobody asked for': answer(frame(1, 4, Buffer.from('zzzz'))),
  'unknown flags': answer(frame(0x7e, 4, Buffer.from('zzzz'))),
  'no status': answer(Buffer.alloc(0), {}),
  'an odd status': answer(Buffer.alloc(0), { 'grpc-status': 'NaN', 'grpc-message': '%zz%00' }),
  'an odd failure': answer(Buffer.alloc(0), { 'grpc-status': '9999', 'grpc-status-details-bin': '!!!' }),
  HTML: answer(Buffer.from('<html>'), {}, { ':status': 200, 'content-type': 'text/html' }),
  'a refusal of HTTP': answer(Buffer.from('no'), {}, { ':status': 403 }),
  'a redirect': answer(Buffer.alloc(0), {}, { ':status': 302, location: 'http://169.254.169.254/' }),
  'a reset': (stream) => stream.close(2),
};

async function listening(t: TestContext, server: Server): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'hp-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const socket = join(folder, 's');
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return socket;
}

/** The socket of a plugin that answers so. */
function hostile(t: TestContext, behaves: Answer): Promise<string> {
  const server = createHttp2();
  server.on('stream', (stream) => {
    stream.on('error', () => undefined).resume();
    behaves(stream as ServerHttp2Stream);
  });
  server.on('session', (session) => {
    session.on('error', () => undefined);
    t.after(() => session.destroy());
  });
  t.after(() => server.close());
  return listening(t, server);
}

/** The socket of a plugin that speaks something else. */
function other(t: TestContext, bytes: string): Promise<string> {
  const server = createTcp((socket) => socket.on('error', () => undefined).end(bytes));
  t.after(() => server.close());
  return listening(t, server);
}

async function refused(what: string, call: () => Promise<unknown>): Promise<void> {
  const error = await call().then(
    () => assert.fail(`${what} was taken`),
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof DiagnosisError, `${what}: ${String(error)}`);
  assert.match(error.diagnosis.message, /plugin/, what);
}

test('a config management plugin that answers with anything fails by its name', async (t) => {
  const ask = async (what: string, socket: string) => {
    using client = new PluginClient('odd', socket);
    await refused(what, () => client.generate(metadata, packed, { timeout: 120_000 }));
  };
  for (const [what, behaves] of Object.entries(answers)) await ask(what, await hostile(t, behaves));
  assert.ok(sent < 64 << 20, `${sent} bytes of a message that is too long were taken`);
  for (const bytes of ['', 'HTTP/1.1 200 OK\r\n\r\n', '\u0000'.repeat(100)]) await ask(bytes, await other(t, bytes));
});

test('an artifact plugin that answers with anything fails by its name', async (t) => {
  const ask = async (what: string, socket: string) => {
    const store = new PluginStore({ name: 'odd', key: 'k' }, {
      pluginSocket: () => socket,
      pluginWait: 0,
    } as never);
    try {
      await refused(what, () => store.remove());
      await refused(what, async () => {
        for await (const name of store.files()) assert.fail(name);
        if (what === 'no message') throw new Error('none');
      });
    } finally {
      await store.close();
    }
  };
  for (const [what, behaves] of Object.entries(answers)) await ask(what, await hostile(t, behaves));
  assert.ok(sent < 64 << 20, `${sent} bytes of a message that is too long were taken`);
  for (const bytes of ['', 'HTTP/1.1 200 OK\r\n\r\n']) await ask(bytes, await other(t, bytes));
});

test('an executor plugin that answers with anything is named in what the node says', async (t) => {
  let body = '';
  const server = createServer((_: IncomingMessage, response: ServerResponse) => response.end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const http = new HttpClient();
  t.after(async () => {
    await http.close();
    server.close();
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const signal = new AbortController().signal;
  const workflow = { name: 'w', namespace: 'ns', uid: 'u' };
  for (body of [
    '',
    '5',
    '[]',
    '{',
    '{"node":5}',
    '{"node":[]}',
    '{"node":{"phase":5}}',
    '{"node":{"phase":"Gone"}}',
    '{"node":{"phase":"Running"},"requeue":5}',
    '{"node":{"phase":"Running","outputs":5}}',
    '{"node":{"message":{}}}',
  ])
    await assert.rejects(
      runPlugin({ name: 't' } as never, {
        workflow,
        plugins: [{ name: 'hostile', address, token: 'x', missing: false }],
        http,
        signal,
      }),
      (error: Error) => {
        assert.match(error.message, /^the plugin at http:\/\/127\.0\.0\.1:\d+ answered with /, body);
        return true;
      },
    );
});
