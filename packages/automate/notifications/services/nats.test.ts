import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { connect } from '@nats-io/transport-node';
import { DiagnosisError } from '@tiphys/diagnosis';
import { freePort } from '../../../../scripts/testing/free-ports.ts';
import { Http } from './http.ts';
import { nats } from './queues.ts';
import type { Delivery } from './service.ts';

const delivery = (): Delivery => ({
  id: 'notification-1',
  http: new Http({ env: {} }),
  threads: { get: async () => undefined, put: async () => undefined },
  env: {},
  now: () => 0,
  signal: AbortSignal.timeout(60_000),
});

const program = process.env['NATS_SERVER'] ?? 'nats-server';
const isThere = spawnSync(program, ['--version']).status === 0;

test('nats: a real server hands the message on, and refuses a wrong password', {
  skip: isThere ? false : `no ${program} on this machine (set NATS_SERVER)`,
}, async (t) => {
  const port = await freePort();
  const server = spawn(program, ['-a', '127.0.0.1', '-p', String(port), '--user', 'u', '--pass', 'p']);
  t.after(() => server.kill());
  await new Promise<void>((resolve) => {
    server.stderr.on('data', (chunk: Buffer) => {
      if (String(chunk).includes('Server is ready')) resolve();
    });
  });
  const url = `nats://127.0.0.1:${port}`;
  const listener = await connect({ servers: url, user: 'u', pass: 'p' });
  t.after(() => listener.close());
  const subscription = listener.subscribe('deployments', { max: 1 });
  await listener.flush();
  const options = { url, username: 'u', headers: { team: 'a' } };
  await nats({ ...options, password: 'p' })(
    { message: 'hello', sections: {} },
    { service: 'nats', recipient: 'deployments' },
    delivery(),
  );
  for await (const message of subscription) {
    assert.equal(message.string(), 'hello');
    assert.deepEqual([message.headers?.get('team'), message.headers?.get('Nats-Msg-Id')], ['a', 'notification-1']);
  }
  const refused = nats({ ...options, password: 'wrong' })(
    { message: 'x', sections: {} },
    { service: 'nats', recipient: 'd' },
    delivery(),
  );
  await assert.rejects(
    refused,
    (error) => error instanceof DiagnosisError && error.diagnosis.code === 'NotificationCredentialsRefused',
  );
});

test('nats: the message of the protocol', async (t) => {
  let written = '';
  const server = createServer((socket) => {
    socket.write('INFO {"server_id":"S","version":"2.11.0","proto":1,"headers":true,"max_payload":1048576}\r\n');
    socket.on('data', (chunk) => {
      written += String(chunk);
      for (const _ping of String(chunk).matchAll(/PING\r\n/g)) socket.write('PONG\r\n');
    });
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as AddressInfo;
  const send = nats({ url: `nats://127.0.0.1:${port}`, headers: { team: 'a' } });
  await send({ message: 'hello', sections: {} }, { service: 'nats', recipient: 'deployments' }, delivery());
  assert.match(
    written,
    /HPUB deployments \d+ \d+\r\nNATS\/1\.0\r\nNats-Msg-Id: ?notification-1\r\nteam: ?a\r\n\r\nhello\r\n/,
  );
});
