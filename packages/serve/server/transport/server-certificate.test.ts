import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { encodeSecret } from '../settings/control-plane.ts';
import { selfSigned } from '../testing/self-signed.ts';
import { startTestServer } from '../testing/start-test-server.ts';
import type { TlsFiles } from './port.ts';

const secret = (name: string, { cert, key }: TlsFiles) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'argocd' },
  data: encodeSecret({ 'tls.crt': cert, 'tls.key': key }),
});

async function nameShown(port: number): Promise<string> {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return String(CN);
}

function certificates(t: TestContext): [TlsFiles, TlsFiles] | undefined {
  const [first, second] = [selfSigned('first'), selfSigned('second')];
  if (first && second) return [first, second];
  t.skip('openssl is not on PATH');
  return undefined;
}

test('a server of its own shows the certificate of argocd-server-tls, and a renewed one without a restart', async (t) => {
  const made = certificates(t);
  if (!made) return;
  const told: string[] = [];
  const plain = await startTestServer(t, { log: (_level, message) => void told.push(message) });
  assert.match(plain.server.url, /^http:/);
  await plain.client.create(secret('argocd-server-tls', made[0]));
  const { server } = await plain.beside({ ownCertificate: true });
  assert.match(server.url, /^https:/);
  assert.equal(await nameShown(server.port), 'first');
  const change = (data: Record<string, string>) =>
    plain.client.patch({ apiVersion: 'v1', kind: 'Secret', namespace: 'argocd', name: 'argocd-server-tls' }, 'merge', {
      data: encodeSecret(data),
    });
  await change({ 'tls.crt': made[1].cert });
  while (!told.some((text) => text.includes('cannot be used'))) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(await nameShown(server.port), 'first', 'one without its key is not shown');
  await change({ 'tls.key': made[1].key });
  while ((await nameShown(server.port)) !== 'second') await new Promise((resolve) => setTimeout(resolve, 20));
  const insecure = await plain.beside({ ownCertificate: true, fixed: { 'server.insecure': 'true' } });
  assert.match(insecure.server.url, /^http:/);
});

test('a certificate that cannot be used keeps a server from starting, with the name of its Secret', async (t) => {
  const plain = await startTestServer(t);
  await plain.client.create(secret('argocd-server-tls', { cert: 'no certificate', key: 'no key' }));
  await assert.rejects(plain.beside({ ownCertificate: true }), /Secret argocd-server-tls cannot be used/);
});
