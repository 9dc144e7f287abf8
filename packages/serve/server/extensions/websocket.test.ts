import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { startTestServer } from '../testing/start-test-server.ts';
import { withNames } from './websocket.ts';

/** A backend that says back what it is told, and refuses what asks for `/closed`. */
async function echo(t: TestContext) {
  const seen: { url: string; headers: IncomingHttpHeaders }[] = [];
  const server = createServer((_, answer) => answer.writeHead(418).end('no WebSocket'));
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    seen.push({ url: request.url ?? '', headers: request.headers });
    if (request.url === '/closed')
      return socket.end('HTTP/1.1 409 Conflict\r\ncontent-length: 6\r\nconnection: close\r\n\r\nclosed');
    sockets.handleUpgrade(request, socket, head, (client) => {
      client.send('welcome');
      client.on('message', (data, isBinary) => client.send(data, { binary: isBinary }));
    });
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const client of sockets.clients) client.terminate();
    server.close();
  });
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function start(t: TestContext, policy = 'p, role:admin, extensions, invoke, live, allow') {
  const backend = await echo(t);
  const { server, call, configure, login } = await startTestServer(t);
  await configure('argocd-cmd-params-cm', { 'server.enable.proxy.extension': 'true' });
  await configure('argocd-rbac-cm', { 'policy.csv': policy });
  await configure('argocd-cm', { 'extension.config.live': `services:\n- url: ${backend.url}\n` });
  const token = await login();
  const spec = {
    source: { repoURL: 'https://git.example.com/app.git', path: '.' },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
    project: 'default',
  };
  await call('/api/v1/applications?validate=false', { token, body: { metadata: { name: 'shop' }, spec } });
  const open = (path: string, headers: Record<string, string> = {}) => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}`, {
      headers: { cookie: `argocd.token=${token}`, ...headers },
    });
    // what is refused is reported by an event of its own
    socket.on('error', () => undefined);
    t.after(() => socket.terminate());
    return socket;
  };
  /** Status and text of a refusal. */
  const refusal = async (path: string, headers: Record<string, string> = {}) => {
    const [, answer] = await once(open(path, headers), 'unexpected-response');
    let text = '';
    for await (const chunk of answer) text += String(chunk);
    return [answer.statusCode, text.trim()];
  };
  return { ...backend, open, refusal };
}

const named = 'Argocd-Application-Name=argocd:shop&Argocd-Project-Name=default';
const names = { 'argocd-application-name': 'argocd:shop', 'argocd-project-name': 'default' };

test('a WebSocket of a page is joined with one to the backend, which learns who asks and no cookie', async (t) => {
  const { seen, open } = await start(t);
  const socket = open(`/extensions/live/stream?${named}&since=5`);
  const [welcome] = await once(socket, 'message');
  assert.equal(String(welcome), 'welcome');
  socket.send(Buffer.from([1, 2, 3]));
  const [echoed, isBinary] = await once(socket, 'message');
  assert.deepEqual([[...(echoed as Buffer)], isBinary], [[1, 2, 3], true]);
  const { url, headers } = seen[0] ?? { url: '', headers: {} };
  assert.equal(url, '/stream?since=5');
  assert.deepEqual([headers.cookie, headers['argocd-username']], [undefined, 'admin']);
  const closed = once(socket, 'close');
  socket.close();
  await closed;
});

test('a program may send the names as headers; what the backend refuses is told as it says it', async (t) => {
  const { open, refusal } = await start(t);
  const [welcome] = await once(open('/extensions/live/', names), 'message');
  assert.equal(String(welcome), 'welcome');
  assert.deepEqual(await refusal('/extensions/live/closed', names), [409, 'closed']);
});

test('pages of other sites, callers without the right, and requests without an application are refused', async (t) => {
  const { seen, refusal } = await start(t, 'p, role:admin, extensions, invoke, other, allow');
  const [foreign, why] = await refusal('/extensions/live/', { ...names, origin: 'https://evil.example' });
  assert.equal(foreign, 403);
  assert.match(String(why), /a page of https:\/\/evil\.example may open no WebSocket here/);
  assert.equal((await refusal('/extensions/live/', names))[0], 403);
  assert.equal((await refusal('/extensions/live/'))[0], 400);
  assert.equal((await refusal('/extensions/live/', { ...names, cookie: '' }))[0], 401);
  assert.deepEqual(seen, []);
});

test('names are taken out of the address, and nothing else', () => {
  assert.deepEqual(withNames('/extensions/live/a?b=c%20d').url, '/extensions/live/a?b=c%20d');
  assert.deepEqual(withNames(`/extensions/live/a?${named}`).url, '/extensions/live/a');
});
