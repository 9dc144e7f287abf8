import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { sendRequest } from './http-request.ts';

/** Answers the first request of each connection, and closes the connection at the second, as one whose time is over. */
describe('a request on a connection that its server closes', () => {
  const seen: string[] = [];
  const used = new WeakSet<Socket>();
  let server: Server;
  let url: string;
  const send = (method: string, headers: readonly (readonly [string, string])[] = []) =>
    sendRequest({ url, method, headers, body: 'x', timeout: 60_000, signal: new AbortController().signal });

  before(async () => {
    server = createServer((request, response) => {
      seen.push(request.method ?? '');
      if (used.has(request.socket)) return void request.socket.destroy();
      used.add(request.socket);
      response.end('ok');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  it('is sent again where that does no harm', async () => {
    await send('GET');
    assert.equal((await send('GET')).body, 'ok');
    assert.equal((await send('POST', [['Idempotency-Key', '1']])).body, 'ok');
    assert.deepEqual(seen, ['GET', 'GET', 'GET', 'POST', 'POST']);
  });

  it('fails where it might be done twice', async () => {
    seen.length = 0;
    await assert.rejects(send('POST'), /POST http:.* failed: ECONNRESET/);
    assert.deepEqual(seen, ['POST']);
  });
});
