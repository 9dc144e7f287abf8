import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { services } from '@tiphys/api';
import { WebSocket } from 'ws';
import { selfSigned } from './testing/self-signed.ts';
import { startTestServer } from './testing/start-test-server.ts';

async function exercise(transport: Transport, password: string): Promise<void> {
  assert.equal((await createClient(services.session, transport).getUserInfo({})).loggedIn, false);
  const { token } = await createClient(services.session, transport).create({ username: 'admin', password });
  const headers = { token };
  const info = await createClient(services.session, transport).getUserInfo({}, { headers });
  assert.equal(info.username, 'admin');
  const list = await createClient(services.project, transport).list({}, { headers });
  assert.deepEqual(
    list.items.map((item) => item.metadata?.name),
    ['default'],
  );
  const refused = await createClient(services.application, transport)
    .list({})
    .catch((error: unknown) => error);
  assert.ok(refused instanceof ConnectError && refused.code === Code.Unauthenticated);
  const told = await createClient(services.notification, transport).listServices({}, { headers });
  assert.deepEqual(told.items, []);
}

test('one cleartext port serves gRPC, gRPC-web over HTTP/1.1 and REST', async (t) => {
  const { server, password, call } = await startTestServer(t);
  await exercise(createGrpcTransport({ baseUrl: server.url }), password);
  await exercise(createGrpcWebTransport({ baseUrl: server.url, httpVersion: '1.1' }), password);
  assert.match(String((await call('/api/version')).body.Version), /^v3\.5\.1\+tiphys/);
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
});

test('a root path in front of gRPC-web and REST is taken away', async (t) => {
  const { server, call } = await startTestServer(t, { fixed: { 'server.rootpath': '/argo-cd' } });
  const transport = createGrpcWebTransport({ baseUrl: `${server.url}/argo-cd`, httpVersion: '1.1' });
  assert.equal((await createClient(services.session, transport).getUserInfo({})).loggedIn, false);
  assert.equal((await call('/argo-cd/api/version')).status, 200);
});

test('a TLS client of a cleartext port fails its handshake at once', async (t) => {
  const { server } = await startTestServer(t);
  const error = await new Promise<Error>((resolve) =>
    connectTls({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false }).on('error', resolve),
  );
  assert.match(String(error), /wrong version number|packet length|EPROTO/i);
});

test('with TLS the same port serves gRPC and REST by ALPN, and sends cleartext browsers there', async (t) => {
  const tls = selfSigned();
  if (!tls) return t.skip('openssl is not on PATH');
  const ca = tls.cert;
  const { server, password } = await startTestServer(t, { tls });
  assert.match(server.url, /^https:/);
  await exercise(createGrpcTransport({ baseUrl: server.url, nodeOptions: { ca } }), password);
  await exercise(createGrpcWebTransport({ baseUrl: server.url, httpVersion: '1.1', nodeOptions: { ca } }), password);
  const upgrade = async (path: string) => {
    const socket = new WebSocket(`${server.url.replace('https', 'wss')}${path}`, { ca });
    const [, answer] = await once(socket, 'unexpected-response');
    answer.resume();
    return answer.statusCode;
  };
  assert.deepEqual(
    [await upgrade('/terminal'), await upgrade('/api/version')],
    [400, 200],
    'upgrades come through TLS too',
  );
  const redirect = await fetch(server.url.replace('https', 'http'), { redirect: 'manual' });
  assert.equal(redirect.status, 307);
  assert.match(redirect.headers.get('location') ?? '', /^https:/);
});

test('a connection that sends nothing, or one byte at a time, does no harm', async (t) => {
  const { server, call } = await startTestServer(t);
  const silent = connectTcp(server.port, '127.0.0.1');
  const slow = connectTcp(server.port, '127.0.0.1');
  const answer = new Promise<string>((resolve) => slow.once('data', (data) => resolve(data.toString())));
  for (const byte of 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n') {
    slow.write(byte);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.match(await answer, /^HTTP\/1\.1 200/);
  assert.equal((await call('/api/version')).status, 200);
  silent.destroy();
  slow.destroy();
});

test('requests that are hardly any do not end the process', async (t) => {
  const { server, call } = await startTestServer(t);
  const raw = (text: string) =>
    new Promise<string>((resolve) => {
      const socket = connectTcp(server.port, '127.0.0.1', () => socket.end(text));
      let answer = '';
      socket.on('data', (data) => (answer += data)).on('close', () => resolve(answer));
    });
  assert.match(
    await raw('POST /session.SessionService/Create HTTP/1.0\r\ncontent-type: application/grpc\r\n\r\n'),
    /^HTTP\/1\.1 400/,
  );
  for (const path of ['//[', '/%', '/api//[', '/api/v1/projects/%', '*', '/auth/logout'])
    await raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  await raw('\x16\x03\x01garbage');
  await raw('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\ngarbage that is no frame at all');
  assert.equal((await call('/api/version')).status, 200);
});

test('clients that go away in the middle of a request or a stream do no harm', async (t) => {
  const { server, call, login } = await startTestServer(t);
  const token = await login();
  const session = connectHttp2(server.url);
  session.on('error', () => undefined);
  t.after(() => session.destroy());
  const open = async (headers: Record<string, string>, end: boolean) => {
    const stream = session.request(
      { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      { endStream: end },
    );
    stream.on('error', () => undefined);
    if (!end) stream.write('{"username":');
    return stream;
  };
  for (let i = 0; i < 20; i++) {
    const streams = await Promise.all([
      open({ ':method': 'POST', ':path': '/api/v1/session' }, false),
      open({ ':method': 'GET', ':path': '/api/v1/stream/applications', accept: 'text/event-stream' }, true),
      open({ ':method': 'GET', ':path': '/api/v1/applications' }, true),
      open({ ':method': 'GET', ':path': '/' }, true),
      open({ ':method': 'POST', ':path': '/session.SessionService/Create', 'content-type': 'application/grpc' }, false),
      open(
        { ':method': 'POST', ':path': '/session.SessionService/Create', 'content-type': 'application/grpc-web+proto' },
        false,
      ),
    ]);
    for (let turn = 0; turn < i; turn++) await new Promise((resolve) => setImmediate(resolve));
    for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
  }
  for (let i = 0; i < 20; i++) {
    const socket = connectTcp(server.port, '127.0.0.1', () =>
      socket.write(
        `POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"user`,
        () => socket.resetAndDestroy(),
      ),
    );
    socket.on('error', () => undefined);
  }
  assert.equal((await call('/api/version')).status, 200);
});

test('a stranger cannot send a large body', async (t) => {
  const { call } = await startTestServer(t);
  const { status, body } = await call('/api/v1/session', { body: { username: 'x', password: 'x'.repeat(100_000) } });
  assert.deepEqual([status, body.message], [413, 'the body is larger than 65536 bytes']);
});

test('REST refuses what a form of another site could send (CVE-2024-22424)', async (t) => {
  const { server, call, login } = await startTestServer(t);
  const token = await login();
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    assert.equal(
      (await call('/api/v1/projects', { token, body: '{}', headers: { 'content-type': type } })).status,
      415,
    );
  }
  for (const origin of ['https://evil.example', 'null', 'file://', 'x'])
    assert.equal((await call('/api/v1/projects', { token, body: {}, headers: { origin } })).status, 403, origin);
  assert.equal((await fetch(`${server.url}/api/v1/session`, { method: 'DELETE' })).status, 415);
});

test('a page behind a proxy is known by the configured url', async (t) => {
  const { call, login, client } = await startTestServer(t);
  const token = await login();
  await client.patch({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'argocd', name: 'argocd-cm' }, 'merge', {
    data: { url: 'https://cd.example' },
  });
  const create = () =>
    call('/api/v1/projects', {
      token,
      body: { project: { metadata: { name: 'p' }, spec: {} } },
      headers: { origin: 'https://cd.example' },
    });
  let answer = await create();
  while (answer.status === 403) answer = await create();
  assert.equal(answer.status, 200);
});

test('errors of REST have the form of the gateway', async (t) => {
  const { call, login } = await startTestServer(t);
  const token = await login();
  assert.deepEqual(await call('/api/v1/projects/none', { token }).then(({ status, body }) => ({ status, body })), {
    status: 404,
    body: {
      error: 'appprojects.argoproj.io "none" not found',
      code: 5,
      message: 'appprojects.argoproj.io "none" not found',
    },
  });
  assert.equal((await call('/api/v1/nothing', { token })).status, 404);
  assert.equal((await call('/api/v1/settings', { token, method: 'PUT', body: {} })).status, 405);
  assert.equal((await call('/api/v1/projects', { token, body: '{"project":' })).status, 400);
  assert.match(
    String((await call('/api/v1/projects', { token, body: { project: { metadata: { name: 7 } } } })).body.message),
    /project\.metadata\.name: wanted a string, found number 7/,
  );
});

test('anonymous settings hold only what a login page needs (CVE-2024-37152)', async (t) => {
  const { call, login } = await startTestServer(t);
  const open = (await call('/api/v1/settings')).body;
  for (const name of [
    'passwordPattern',
    'trackingMethod',
    'kustomizeOptions',
    'resourceOverrides',
    'appLabelKey',
    'installationID',
  ])
    assert.ok(!(name in open), name);
  assert.equal((await call('/api/v1/settings', { token: await login() })).body.trackingMethod, 'annotation');
});

test('a browser logs in with a cookie that scripts cannot read', async (t) => {
  const { server, call, password } = await startTestServer(t);
  const { headers } = await call('/api/v1/session', { body: { username: 'admin', password } });
  const cookie = headers.get('set-cookie') ?? '';
  assert.match(cookie, /^argocd\.token=[^;]+; path=\/; SameSite=lax; httpOnly/);
  const answer = await fetch(`${server.url}/api/v1/session/userinfo`, {
    headers: { cookie: cookie.split(';')[0] as string },
  });
  assert.equal(((await answer.json()) as { username: string }).username, 'admin');
});

test('the web page is served with a policy that runs only its own scripts; unknown paths are the page', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'tiphys-web-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, 'index.html'), '<html><head></head><body>page</body></html>');
  writeFileSync(join(dir, 'app.js'), 'void 0');
  const { server } = await startTestServer(t, { webDir: dir, fixed: { 'server.basehref': '/cd/' } });
  for (const path of ['/', '/applications/argocd/shop', '/..%2f..%2fetc/passwd']) {
    const page = await fetch(`${server.url}${path}`);
    assert.equal(await page.text(), '<html><head><base href="/cd/"></head><body>page</body></html>');
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'self'.*frame-ancestors 'self'/);
    assert.equal(page.headers.get('x-content-type-options'), 'nosniff');
  }
  assert.equal(await (await fetch(`${server.url}/app.js`)).text(), 'void 0');
});
