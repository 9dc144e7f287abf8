import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { connect } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { WebSocket } from 'ws';

const cluster = await startSandbox({ controllers: false, nodes: 0 });
const client = connect(cluster.config, { caller: { component: 'test', purpose: 'watch' } });
after(async () => {
  await client.close();
  await cluster.close();
});

const path = '/api/v1/namespaces/default/secrets?watch=1';
const open = (query = '', headers: Record<string, string> = { origin: 'https://example.com' }) =>
  new WebSocket(`${cluster.url.replace(/^http/, 'ws')}${path}${query}`, {
    headers: { authorization: `Bearer ${cluster.config.bearerToken}`, ...headers },
    rejectUnauthorized: false,
  });
const secret = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'default' } });

test('a watch over a WebSocket has one event a message, and ends with its time', async () => {
  await client.create(secret('first'));
  const socket = open('&timeoutSeconds=1');
  const seen: string[] = [];
  socket.on('message', (data: Buffer, binary) => {
    const { type, object } = JSON.parse(String(data)) as { type: string; object: { metadata: { name: string } } };
    seen.push(`${type} ${object.metadata.name} ${binary ? 'binary' : 'text'}`);
  });
  await once(socket, 'message');
  await client.create(secret('second'));
  const [code] = await once(socket, 'close');
  assert.equal(code, 1000);
  assert.deepEqual(seen, ['ADDED first text', 'ADDED second text']);
});

test('what is wrong with a watch is answered without a WebSocket', async () => {
  const codes = [open('', {}), open('&fieldSelector=nonsense%3Dx'), open('', { authorization: 'Bearer wrong' })].map(
    (socket) =>
      new Promise((resolve) => {
        socket.on('unexpected-response', (_, answer) => {
          resolve(answer.statusCode);
          socket.terminate();
        });
        socket.on('error', () => undefined);
      }),
  );
  assert.deepEqual(await Promise.all(codes), [403, 400, 401]);
});
