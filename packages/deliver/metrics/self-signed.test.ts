import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { selfSignedCertificate } from './self-signed.ts';

test('a server can speak TLS with it, for its name and for a year', async (t) => {
  const now = Date.now();
  const { cert, key } = await selfSignedCertificate('localhost', now);
  const certificate = new X509Certificate(cert);
  assert.equal(certificate.checkHost('localhost'), 'localhost');
  assert.ok(certificate.verify(certificate.publicKey));
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  assert.ok(from <= now - 3_599_000 && to > now + 364 * 24 * 3_600_000);
  const server = createServer({ cert, key }, (socket) => socket.end('hello')).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket: TLSSocket = connect({ host: '127.0.0.1', port, servername: 'localhost', ca: cert });
  await once(socket, 'secureConnect');
  assert.equal(socket.authorized, true);
  const [told] = (await once(socket, 'data')) as [Buffer];
  assert.equal(told.toString(), 'hello');
});
