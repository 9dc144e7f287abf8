import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { Metrics } from '@tiphys/metrics';
import { startTestServer } from '../testing/start-test-server.ts';
import { Backends } from './forward.ts';
import { readProxyExtensions } from './proxy-settings.ts';

interface Seen {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A backend that remembers what it was asked, and says who it is. */
async function backend(t: TestContext, name = 'backend') {
  const seen: Seen[] = [];
  const server = createServer((asked, answer) => {
    let body = '';
    asked.on('data', (chunk: Buffer) => (body += chunk.toString()));
    asked.on('end', () => {
      seen.push({ method: asked.method ?? '', url: asked.url ?? '', headers: asked.headers, body });
      answer.writeHead(asked.url === '/teapot' ? 418 : 200, { 'content-type': 'application/json', 'x-from': name });
      answer.end(JSON.stringify({ name, url: asked.url }));
    });
  });
  return { seen, url: await listen(t, server) };
}

async function listen(t: TestContext, server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function start(t: TestContext, config: Record<string, string>, secret: Record<string, string> = {}) {
  const told: string[] = [];
  const metrics = new Metrics({ version: '0.0.0', applicationLabels: [], applicationConditions: [] });
  const started = await startTestServer(t, {
    log: (level, message) => void (level === 'error' && told.push(message)),
    metrics: metrics.server,
  });
  const { client, call, configure, login } = started;
  await client.patch({ apiVersion: 'v1', kind: 'Secret', namespace: 'argocd', name: 'argocd-secret' }, 'merge', {
    stringData: secret,
  });
  await configure('argocd-cmd-params-cm', { 'server.enable.proxy.extension': 'true' });
  // as upstream, not even administrators have it unless it is given to them
  await configure('argocd-rbac-cm', { 'policy.csv': 'p, role:admin, extensions, invoke, *, allow' });
  await configure('argocd-cm', config);
  const token = await login();
  const spec = {
    source: { repoURL: 'https://git.example.com/app.git', path: '.' },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
    project: 'default',
  };
  const created = await call('/api/v1/applications?validate=false', {
    token,
    body: { metadata: { name: 'shop' }, spec },
  });
  assert.equal(created.status, 200, JSON.stringify(created.body));
  const names = { 'argocd-application-name': 'argocd:shop', 'argocd-project-name': 'default' };
  const ask = (path: string, headers: Record<string, string> = {}, options: { method?: string; body?: unknown } = {}) =>
    call(path, { token, ...options, headers: { ...names, ...headers } });
  return { ...started, ask, token, told, metrics };
}

const one = (url: string, more = '') => `services:\n- url: ${url}\n${more}`;

test('a request of an extension reaches its backend without credentials, with who asks and for which application', async (t) => {
  const { seen, url } = await backend(t);
  const header = "  headers:\n  - {name: Authorization, value: '$metrics.token'}\n  - {name: X-Plain, value: plain}\n";
  const { ask, metrics } = await start(
    t,
    { 'extension.config.metrics': one(url, header) },
    { 'metrics.token': 'Bearer s3' },
  );
  const answer = await ask('/extensions/metrics/api/rows?from=1', {
    cookie: 'argocd.token=abc; other=1',
    'argocd-username': 'somebody-else',
    'argocd-user-groups': 'admins',
    'x-forwarded-for': '10.0.0.1',
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('x-from'), 'backend');
  const [asked] = seen;
  assert.equal(asked?.url, '/api/rows?from=1');
  const { headers } = asked as Seen;
  assert.equal(headers.cookie, undefined);
  assert.equal(headers.authorization, 'Bearer s3');
  assert.equal(headers['x-plain'], 'plain');
  assert.equal(headers['argocd-username'], 'admin');
  assert.equal(headers['argocd-user-id'], 'admin');
  assert.equal(headers['argocd-user-groups'], undefined);
  assert.equal(headers['argocd-namespace'], 'argocd');
  assert.equal(headers['argocd-application-name'], 'argocd:shop');
  assert.equal(headers['argocd-target-cluster-url'], 'https://kubernetes.default.svc');
  assert.equal(headers['x-forwarded-for'], '127.0.0.1');
  const posted = await ask('/extensions/metrics', {}, { body: { of: 'a page' } });
  assert.deepEqual(
    [posted.status, seen[1]?.method, seen[1]?.url, seen[1]?.body],
    [200, 'POST', '/', '{"of":"a page"}'],
  );
  assert.equal((await ask('/extensions/metrics/teapot')).status, 418);
  const text = await metrics.text('server');
  assert.match(text, /argocd_proxy_extension_request_total\{extension="metrics",status="200"\} 2/);
  assert.match(text, /argocd_proxy_extension_request_duration_seconds_count\{extension="metrics"\} 3/);
});

test('a path never leads to another host than that of the settings', async (t) => {
  const { seen, url } = await backend(t);
  const { server, token } = await start(t, { 'extension.config.metrics': one(url) });
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const path = '/extensions/metrics//other.example/x';
    const headers = {
      authorization: `Bearer ${token}`,
      'argocd-application-name': 'argocd:shop',
      'argocd-project-name': 'default',
    };
    request(server.url, { path, headers }, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end();
  });
  assert.deepEqual([status, seen[0]?.url], [200, '//other.example/x']);
});

test('who may not see the application, or not invoke the extension, does not reach the backend', async (t) => {
  const { seen, url } = await backend(t);
  const { call, configure, client, ask, login } = await start(t, {
    'extension.config.metrics': one(url),
    'accounts.viewer': 'login',
  });
  const admin = await login();
  assert.equal((await call('/extensions/metrics/')).status, 401);
  assert.equal((await ask('/extensions/metrics/', { 'argocd-application-name': 'shop' })).status, 400);
  assert.equal((await ask('/extensions/metrics/', { 'argocd-application-name': 'argocd:none' })).status, 404);
  assert.equal((await ask('/extensions/metrics/', { 'argocd-project-name': '' })).status, 400);
  assert.equal((await ask('/extensions/metrics/', { 'argocd-project-name': 'other' })).status, 404);
  assert.equal((await ask('/extensions/unknown/')).status, 404);
  const secret = { apiVersion: 'v1', kind: 'Secret', namespace: 'argocd', name: 'argocd-initial-admin-secret' };
  const { data } = (await client.get(secret)) as unknown as { data: { password: string } };
  await call('/api/v1/account/password', {
    token: admin,
    method: 'PUT',
    body: {
      name: 'viewer',
      currentPassword: Buffer.from(data.password, 'base64').toString(),
      newPassword: 'viewer-password',
    },
  });
  const viewer = await login('viewer', 'viewer-password');
  const headers = { 'argocd-application-name': 'argocd:shop', 'argocd-project-name': 'default' };
  const asViewer = () => call('/extensions/metrics/', { token: viewer, headers });
  assert.equal((await asViewer()).status, 403);
  await configure('argocd-rbac-cm', { 'policy.default': 'role:readonly' });
  const refused = await asViewer();
  assert.equal(refused.status, 403);
  assert.match(String(refused.body.text), /permission denied: extensions, invoke, metrics/);
  assert.equal(seen.length, 0);
  await configure('argocd-rbac-cm', { 'policy.csv': 'p, viewer, extensions, invoke, metrics, allow' });
  assert.equal((await asViewer()).status, 200);
});

test('off unless the settings say so, and a backend that is not there is told', async (t) => {
  const { ask, configure } = await start(t, { 'extension.config.metrics': one('http://127.0.0.1:9') });
  const gone = await ask('/extensions/metrics/');
  assert.equal(gone.status, 502);
  assert.match(String(gone.body.text), /backend of the extension metrics at 127\.0\.0\.1:9 cannot be reached/);
  await configure('argocd-cmd-params-cm', { 'server.enable.proxy.extension': 'false' });
  const off = await ask('/extensions/metrics/');
  assert.equal(off.status, 404);
  assert.match(String(off.body.text), /set server\.enable\.proxy\.extension to "true"/);
});

test('a backend that does not answer is given up, by the time of its settings', async (t) => {
  const server = createServer((asked) => void asked.resume());
  const url = await listen(t, server);
  const { ask } = await start(t, { 'extension.config.metrics': `responseTimeout: 50ms\n${one(url)}` });
  const late = await ask('/extensions/metrics/');
  assert.equal(late.status, 504);
  assert.match(
    String(late.body.text),
    /metrics at \S+ has not answered within 0\.05 s; its responseTimeout is in argocd-cm/,
  );
});

test('an answer that has begun, and a body that goes on, may take as long as they will', async (t) => {
  const tail = Promise.withResolvers<void>();
  const backend = createServer((asked, answer) => {
    asked.once('data', () => {
      t.mock.timers.tick(59_000);
      answer.write('begun ');
      void tail.promise.then(() => answer.end('ended'));
    });
  });
  const { extensions } = readProxyExtensions({ 'extension.config.metrics': one(await listen(t, backend)) });
  const extension = extensions.get('metrics');
  const [service] = extension?.services ?? [];
  assert.ok(extension && service);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const backends = new Backends(extension);
  t.after(() => backends.close());
  const front = createServer((request, response) => {
    void backends.forward({ request, response, path: '/' }, service, { 'transfer-encoding': 'chunked' });
    t.mock.timers.tick(59_000);
  });
  const asked = request(await listen(t, front), { method: 'POST' });
  asked.write('some');
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    asked.on('response', resolve).on('error', reject);
  });
  t.mock.timers.tick(600_000);
  tail.resolve();
  asked.end();
  assert.deepEqual([answer.statusCode, await text(answer)], [200, 'begun ended']);
});

test("of several services the one of the application's cluster is asked, and settings take effect at once", async (t) => {
  const [here, there] = [await backend(t, 'here'), await backend(t, 'there')];
  const services = (server: string) =>
    `services:\n- {url: "${here.url}", cluster: {server: "${server}"}}\n- {url: "${there.url}", cluster: {name: far}}\n`;
  const { ask, configure, told } = await start(t, {
    'extension.config.metrics': services('https://kubernetes.default.svc'),
  });
  assert.equal((await ask('/extensions/metrics/')).body.name, 'here');
  await configure('argocd-cm', { 'extension.config.metrics': services('https://elsewhere') });
  assert.equal((await ask('/extensions/metrics/')).status, 400);
  await configure('argocd-cm', {
    'extension.config.metrics': one(there.url, '  headers: [{name: X-Key, value: $none}]\n'),
  });
  const unresolved = await ask('/extensions/metrics/');
  assert.match(
    String(unresolved.body.text),
    /header X-Key of the extension is key none of Secret argocd-secret, which is not there/,
  );
  await configure('argocd-cm', { 'extension.config.metrics': 'services: []' });
  assert.equal((await ask('/extensions/metrics/')).status, 404);
  assert.equal(told.filter((line) => /the extension metrics has no services/.test(line)).length, 1);
});

test('settings that cannot be used are told by field, and leave the other extensions alone', () => {
  const read = (config: Record<string, string>) => {
    const { extensions, problems } = readProxyExtensions(config);
    return { names: [...extensions.keys()], messages: problems.map(({ message }) => message) };
  };
  const service = '{services: [{url: http://b}]}';
  assert.deepEqual(read({}), { names: [], messages: [] });
  const { names, messages } = read({
    'extension.config': [
      'extensions:',
      `- {name: fine, backend: ${service}}`,
      `- {name: "no/slash", backend: ${service}}`,
      '- {name: ftp, backend: {services: [{url: ftp://b}]}}',
      '- {name: two, backend: {services: [{url: http://a}, {url: http://b}]}}',
      '- {name: head, backend: {services: [{url: http://a, headers: [{name: Argocd-Username, value: me}]}]}}',
      '- {name: slow, backend: {connectionTimeout: soon, services: [{url: http://a}]}}',
      `- {name: twice, backend: ${service}}`,
    ].join('\n'),
    'extension.config.twice': service,
    'extension.config.own': service,
    'extension.config.broken': 'services: [',
  });
  assert.deepEqual(names, ['fine', 'own']);
  assert.deepEqual(
    messages.map((message) => message.replace(/ is not YAML: .*/s, ' is not YAML')),
    [
      'the name "no/slash" has other characters than letters, digits, - and _',
      'extension.config.extensions[2].backend.services[0].url is not an address that begins with http:// or https://',
      'extension.config.extensions[3].backend.services[0] has no cluster, which tells several services apart',
      'the header Argocd-Username is set by the server itself',
      'extension.config.extensions[5].backend.connectionTimeout is not a duration such as 2s',
      'extension.config.broken is not YAML',
      'extension.config.twice describes the extension twice, which is there twice',
    ],
  );
});

test('scripts of extensions are served as one; what is no script is told on the page, and alone left out', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'tiphys-extensions-'));
  const webDir = mkdtempSync(join(tmpdir(), 'tiphys-page-'));
  t.after(() => {
    for (const folder of [dir, webDir]) rmSync(folder, { recursive: true, force: true });
  });
  writeFileSync(join(webDir, 'index.html'), '<html><head></head><body>page</body></html>');
  const { call } = await startTestServer(t, { webDir, extensionsDir: dir });
  assert.deepEqual(await call('/extensions.js').then(({ status, body }) => [status, body.text]), [200, '']);
  const before = await call('/');
  assert.match(
    before.headers.get('content-security-policy') ?? '',
    /require-trusted-types-for 'script'; trusted-types default/,
  );
  assert.doesNotMatch(String(before.body.text), /data-extended/);
  mkdirSync(join(dir, 'b'));
  writeFileSync(join(dir, 'b', 'extension-b.js'), 'globalThis.ran.push("b");');
  writeFileSync(join(dir, 'extension-a.js'), 'globalThis.ran.push("a"); throw new Error("no");');
  writeFileSync(join(dir, 'extension-bad.js'), 'globalThis.ran.push("bad"');
  writeFileSync(join(dir, 'other.js'), 'globalThis.ran.push("other");');
  symlinkSync(join(dir, 'other.js'), join(dir, 'extension-link.js'));
  const { headers, body } = await call('/extensions.js');
  assert.match(headers.get('content-type') ?? '', /^text\/javascript/);
  const events: unknown[] = [];
  const scope = { ran: [] as string[], dispatchEvent: (event: CustomEvent) => events.push(event.detail), CustomEvent };
  const { createContext, runInContext } = await import('node:vm');
  const inside = createContext(scope);
  runInContext('globalThis.ran = ran', inside);
  runInContext(String(body.text), inside);
  assert.deepEqual(scope.ran, ['a', 'b']);
  assert.deepEqual(
    events.map((event) => (event as { name: string }).name),
    ['extension-a.js', 'extension-bad.js'],
  );
  const after = await call('/applications');
  assert.match(String(after.body.text), /<html data-extended>/);
  assert.doesNotMatch(after.headers.get('content-security-policy') ?? '', /trusted-types/);
});
