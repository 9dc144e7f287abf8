import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import { GitRepositories } from '../git-repositories.ts';
import { makeCertificate, startGitServer, TestRepository } from '../testing/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-proxy-'));
const head = new TestRepository(join(folder, 'shop')).commit({ a: '1' });
const passed: string[] = [];
const basic = `Basic ${Buffer.from('u:p').toString('base64')}`;

/** A forward proxy that wants `u:p`: absolute URLs for http, CONNECT for https. */
const proxy = createServer((incoming, outgoing) => {
  if (incoming.headers['proxy-authorization'] !== basic) {
    outgoing.writeHead(407, { 'proxy-authenticate': 'Basic realm="proxy"', 'content-length': '0' });
    outgoing.end();
    return;
  }
  passed.push(incoming.method ?? '');
  const forwarded = request(incoming.url ?? '', { method: incoming.method, headers: incoming.headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  incoming.pipe(forwarded);
});
proxy.on('connect', (incoming, socket) => {
  if (incoming.headers['proxy-authorization'] !== basic) {
    socket.end(
      'HTTP/1.1 407 Wanted\r\nProxy-Authenticate: Basic realm="proxy"\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
    );
    return;
  }
  passed.push('CONNECT');
  const [host = '', port] = (incoming.url ?? '').split(':');
  const upstream = connect(Number(port), host, () => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    upstream.pipe(socket);
    socket.pipe(upstream);
  });
  socket.on('error', () => upstream.destroy());
  upstream.on('error', () => socket.destroy());
});
await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
const address = `u:p@127.0.0.1:${(proxy.address() as AddressInfo).port}`;

after(() => {
  proxy.close();
  proxy.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

async function readThrough(url: string, credentials: object): Promise<string[]> {
  const git = new GitRepositories({ cacheDir: join(folder, 'cache'), localRepositories: 'any' });
  passed.length = 0;
  try {
    assert.equal((await git.resolve({ url, credentials }, 'main')).commit, head);
    await git.open({ url, credentials }, head);
    return [...passed];
  } finally {
    await git.close();
  }
}

test('http and https go through the proxy with its credentials, except to hosts that need none', async (t) => {
  const plain = await startGitServer(folder);
  t.after(() => plain.close());
  const through = await readThrough(`${plain.url}/shop`, { proxy: `http://${address}` });
  assert.ok(through.length >= 2, through.join());
  assert.deepEqual(await readThrough(`${plain.url}/shop`, { proxy: `http://${address}`, noProxy: '127.0.0.1' }), []);
  const tls = makeCertificate(join(folder, 'tls'));
  const secure = await startGitServer(folder, { tls });
  t.after(() => secure.close());
  const connected = await readThrough(`${secure.url}/shop`, { proxy: `http://${address}`, ca: tls.cert });
  assert.ok(connected.includes('CONNECT'), connected.join());
});

test('a proxy that is not there is told without its credentials', async () => {
  const git = new GitRepositories({ cacheDir: join(folder, 'cache'), localRepositories: 'any' });
  await assert.rejects(
    git.resolve({ url: 'https://git.invalid/shop', credentials: { proxy: 'http://u:MARKER@127.0.0.1:1' } }, 'main'),
    (error: unknown) => {
      assert.ok(error instanceof DiagnosisError);
      assert.equal(error.diagnosis.cause, 'R8');
      assert.ok(!JSON.stringify([error.diagnosis, error.message]).includes('MARKER'));
      return true;
    },
  );
  await git.close();
});

test('a fault of the proxy is told of the proxy, never of the host behind it', async (t) => {
  const plain = await startGitServer(folder);
  t.after(() => plain.close());
  const git = new GitRepositories({ cacheDir: join(folder, 'cache'), localRepositories: 'any' });
  t.after(() => git.close());
  const port = (proxy.address() as AddressInfo).port;
  const cases = [
    [`${plain.url}/shop`, 'http://127.0.0.1:1', 'ProxyUnreachable', /proxy http:\/\/127\.0\.0\.1:1 .*nothing listens/],
    [`${plain.url}/shop`, `http://127.0.0.1:${port}`, 'ProxyRefused', /wants other credentials \(407\)/],
    ['https://git.invalid/shop', `http://127.0.0.1:${port}`, 'ProxyRefused', /wants other credentials \(407\)/],
    ['https://git.invalid/shop', 'http://proxy.invalid:3128', 'ProxyUnreachable', /its name cannot be resolved/],
  ] as const;
  for (const [url, address, code, message] of cases)
    await assert.rejects(git.resolve({ url, credentials: { proxy: address } }, 'main'), (error: unknown) => {
      assert.ok(error instanceof DiagnosisError);
      assert.equal(error.diagnosis.code, code, error.message);
      assert.match(error.message, message);
      assert.match(JSON.stringify(error.diagnosis.evidence), /proxy of the repository/);
      return true;
    });
});
