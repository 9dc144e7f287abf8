import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { matchListed, matchNegatable, matchPath, watchedPaths } from '@tiphys/glob';
import { parseCertificateRequest } from '@tiphys/pki';
import { satisfies } from '@tiphys/template';
import { concerns, type WebhookEvent } from '@tiphys/webhooks';
import { parseYaml } from '@tiphys/yaml';
import { startTestServer } from '../../packages/serve/server/testing/start-test-server.ts';

// What backtracks does not end: these tests fail by the limit of the runner.

test('a pushed file cannot make an annotation of paths slow', () => {
  const repoURL = 'https://host.example/team/shop';
  const event: WebhookEvent = {
    kind: 'push',
    urls: [repoURL],
    revision: 'main',
    touchedHead: true,
    changedFiles: [`${'a'.repeat(4000)}!`],
  };
  for (const hostile of [`/${'*'.repeat(12)}x`, `/${'*a'.repeat(12)}x`, `/${'*[a-z]'.repeat(200)}x`]) {
    const source = { repoURL, targetRevision: 'HEAD', paths: watchedPaths(hostile, 'apps') };
    assert.equal(concerns(event, source), false);
  }
});

test('patterns of projects, lists and paths take time linear in the text', () => {
  const text = `${'a'.repeat(2000)}!`;
  for (const pattern of ['*a'.repeat(200), '{a,a,aa}'.repeat(30), `${'?*'.repeat(100)}x`]) {
    assert.equal(matchNegatable(pattern, text), false);
    assert.equal(matchPath(pattern, text), false);
  }
  for (const pattern of ['/^(a+)+$/', '/^(a|aa)+$/', '/^(?=a)(a+)+$/', '/(a*)*b/'])
    assert.equal(matchListed([pattern], text), false);
});

test('ranges of versions take time linear in the text', () => {
  assert.equal(satisfies('1.2.3', `1${'      1'.repeat(200)} !`), false);
});

test('documents of many levels and many tokens take time linear in the text', () => {
  const depth = 900;
  // of the processor, and of two texts of one length: neither load nor the machine decides
  const time = (levels: number) => {
    const text = `${'['.repeat(levels)}${'a,'.repeat(100_000)}${']'.repeat(levels)}`;
    const begun = process.cpuUsage();
    parseYaml(text);
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1000;
  };
  time(1);
  const [flat, deep] = [time(1), time(depth)];
  assert.ok(deep < 6 * flat + 300, `${deep} ms of ${depth} levels, ${flat} ms of one`);
});

test('PEM blocks that begin and do not end take time linear in the text', () => {
  assert.throws(
    () => parseCertificateRequest('-----BEGIN CERTIFICATE REQUEST-----\n'.repeat(300_000)),
    /PEM block type/,
  );
});

test('addresses with a long run of slashes are answered at once', async (t) => {
  const { call, login } = await startTestServer(t, { callRates: { burst: 1e9, perSecond: 1e9 } });
  const token = await login();
  // anyone who reads the run from each of its places takes hours for one of them
  const server = `https://host.example${'/'.repeat(500_000)}x`;
  const spec = { project: 'default', source: { repoURL: server, path: '.' }, destination: { server, namespace: 'x' } };
  const metadata = { name: 'shop' };
  for (const [path, body] of [
    ['/api/v1/applications?validate=false', { metadata, spec }],
    ['/api/v1/projects', { project: { metadata, spec: { sourceRepos: [server], destinations: [{ server }] } } }],
    ['/api/v1/repositories', { repo: server, type: 'helm', name: 'x' }],
    ['/api/v1/repocreds', { url: server }],
    ['/api/v1/clusters', { server, name: 'x', config: {} }],
    ['/api/v1/session', { username: ' '.repeat(1_000_000), password: `${' '.repeat(1_000_000)}x` }],
  ] as const) {
    const { status, body: told } = await call(path, { token, body });
    assert.ok(status < 500 || status === 503, `${path}: ${status} ${JSON.stringify(told).slice(0, 300)}`);
  }
  assert.equal((await call('/api/version')).status, 200);
});

describe('Bodies that are too large', () => {
  test('are answered, whether their size was told or not', async (t) => {
    const { server, login } = await startTestServer(t);
    const token = await login();
    const piece = new Uint8Array(1 << 16).fill(0x20);
    const pieces = (count: number) =>
      new ReadableStream({
        pull(controller) {
          if (count-- > 0) controller.enqueue(piece);
          else controller.close();
        },
      });
    const send = async (path: string, count: number, headers: Record<string, string>) =>
      await fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
        body: pieces(count),
        duplex: 'half',
      } as RequestInit);
    const answer = await send('/api/v1/applications', 100, {});
    assert.deepEqual(
      [answer.status, ((await answer.json()) as { message: string }).message],
      [413, 'the body is larger than 4194304 bytes'],
    );
    const stranger = await send('/api/v1/session', 20, { authorization: '' });
    assert.equal(stranger.status, 413);
    const webhook = await send('/api/webhook', 1000, { 'x-github-event': 'push' });
    assert.equal(webhook.status, 413);
  });
});

test('one user who sends too many requests is refused before they are read, and nobody else is', async (t) => {
  const world = await startTestServer(t, { callRates: { burst: 30, perSecond: 0 } });
  await world.configure('argocd-cm', { 'accounts.guest': 'login' });
  const admin = await world.login();
  const password = 'guests-password-1';
  await world.call('/api/v1/account/password', {
    method: 'PUT',
    token: admin,
    headers: { 'content-type': 'application/json' },
    body: { name: 'guest', currentPassword: world.password, newPassword: password },
  });
  const guest = await world.login('guest', password);
  const statuses: number[] = [];
  for (let count = 0; count < 40; count += 1)
    statuses.push((await world.call('/api/v1/applications', { token: guest })).status);
  assert.equal(statuses.filter((status) => status === 200).length, 30);
  assert.deepEqual(new Set(statuses.slice(30)), new Set([429]));
  const large = await world.call('/api/v1/applications', { token: guest, body: 'x'.repeat(1 << 20) });
  assert.equal(large.status, 429);
  assert.equal((await world.call('/api/v1/applications', { token: admin })).status, 200);
  assert.equal((await world.call('/api/version')).status, 200);
});
