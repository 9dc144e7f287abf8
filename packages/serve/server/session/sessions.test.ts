import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { SignJWT } from 'jose';
import { startTestServer, TestClock } from '../testing/start-test-server.ts';

test('the initial password logs in, and its token says who calls', async (t) => {
  const { call, login, password } = await startTestServer(t);
  assert.ok(password.length >= 16);
  const token = await login();
  assert.deepEqual((await call('/api/v1/session/userinfo', { token })).body, {
    loggedIn: true,
    username: 'admin',
    iss: 'argocd',
  });
  assert.deepEqual((await call('/api/v1/session/userinfo')).body, {});
});

test('a wrong password and an unknown user are refused in the same words', async (t) => {
  const { call } = await startTestServer(t, { clock: new TestClock() });
  const attempts = await Promise.all(
    ['admin', 'nobody'].map((username) => call('/api/v1/session', { body: { username, password: 'wrong' } })),
  );
  for (const { status, body } of attempts) {
    assert.equal(status, 401);
    assert.deepEqual(body, {
      error: 'Invalid username or password',
      code: 16,
      message: 'Invalid username or password',
    });
  }
});

test('attempts side by side cannot pass the limit, and the lock outlives a restart (CVE-2025-61560, CVE-2024-21652)', async (t) => {
  const clock = new TestClock();
  const first = await startTestServer(t, { clock });
  const attempts = await Promise.all(
    Array.from({ length: 30 }, () => first.call('/api/v1/session', { body: { username: 'admin', password: 'wrong' } })),
  );
  assert.equal(attempts.filter(({ status }) => status === 401).length, 5);
  assert.equal(attempts.filter(({ status }) => status === 429).length, 25);
  const second = await first.restart();
  const right = { username: 'admin', password: first.password };
  assert.equal((await second.call('/api/v1/session', { body: right })).status, 429, 'the right password waits too');
  clock.advance(301);
  assert.equal((await second.call('/api/v1/session', { body: right })).status, 200);
});

test('a flood of names does not free a locked account (CVE-2024-21662)', async (t) => {
  const { call } = await startTestServer(t, { clock: new TestClock(), throttle: { size: 3 } });
  const attempt = async (username: string) =>
    (await call('/api/v1/session', { body: { username, password: 'wrong' } })).status;
  for (let i = 0; i < 5; i++) await attempt('admin');
  for (let i = 0; i < 8; i++) await attempt(`name-${i}`);
  assert.equal(await attempt('admin'), 429);
});

test('a session ends after 24 hours, at logout, and when the password changes', async (t) => {
  const clock = new TestClock();
  const { call, login, password } = await startTestServer(t, { clock });
  const status = async (token: string) => (await call('/api/v1/account', { token })).status;

  const loggedOut = await login();
  assert.equal(await status(loggedOut), 200);
  await call('/api/v1/session', { token: loggedOut, method: 'DELETE' });
  assert.equal(await status(loggedOut), 401);

  const before = await login();
  clock.advance(2);
  const changed = await call('/api/v1/account/password', {
    token: before,
    method: 'PUT',
    body: { currentPassword: password, newPassword: 'a-better-one' },
  });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  assert.equal(await status(before), 401);

  const after = await login('admin', 'a-better-one');
  assert.equal(await status(after), 200);
  clock.advance(24 * 3600 + 1);
  assert.equal(await status(after), 401);
});

test('a disabled account loses its tokens at once (CVE-2021-26921)', async (t) => {
  const { call, login, client } = await startTestServer(t);
  await client.patch({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'argocd', name: 'argocd-cm' }, 'merge', {
    data: { 'accounts.bot': 'apiKey' },
  });
  const admin = await login();
  const created = await call('/api/v1/account/bot/token', { token: admin, body: { id: 'ci' } });
  assert.equal(created.status, 200, JSON.stringify(created.body));
  const token = String(created.body.token);
  assert.equal((await call('/api/v1/session/userinfo', { token })).body.username, 'bot');
  assert.deepEqual(
    ((await call('/api/v1/account/bot', { token: admin })).body.tokens as { id: string }[]).map(({ id }) => id),
    ['ci'],
  );
  assert.equal((await call('/api/v1/account/bot/token/ci', { token: admin, method: 'DELETE' })).status, 200);
  assert.equal((await call('/api/v1/account', { token })).status, 401);
});

test('a login whose token never ends is refused though we signed it (CVE-2020-8826)', async (t) => {
  const { call, client } = await startTestServer(t);
  const secret = await client.get({ apiVersion: 'v1', kind: 'Secret', namespace: 'argocd', name: 'argocd-secret' });
  const key = Buffer.from((secret.data as Record<string, string>)['server.secretkey'] ?? '', 'base64');
  const sign = (end?: string) => {
    const token = new SignJWT({ jti: randomUUID() })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('argocd')
      .setSubject('admin:login')
      .setIssuedAt();
    return (end ? token.setExpirationTime(end) : token).sign(key);
  };
  assert.equal((await call('/api/v1/account', { token: await sign('1h') })).status, 200);
  assert.equal((await call('/api/v1/account', { token: await sign() })).status, 401);
});

test('a flood of failed logins side by side is answered, and nobody falls over (CVE-2024-21661)', async (t) => {
  const { call, login } = await startTestServer(t, { clock: new TestClock() });
  const answers = await Promise.all(
    Array.from({ length: 120 }, (_, i) => call('/api/v1/session', { body: { username: `n${i % 40}`, password: 'x' } })),
  );
  assert.ok(answers.every(({ status }) => status === 401 || status === 429));
  assert.match(await login(), /^ey/);
});

test('a token signed by somebody else, or without an algorithm, is refused', async (t) => {
  const { call, login } = await startTestServer(t);
  const [, payload] = (await login()).split('.');
  const unsigned = `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${payload}.`;
  assert.equal((await call('/api/v1/account', { token: unsigned })).status, 401);
  assert.equal((await call('/api/v1/account')).status, 401);
});

test('a browser that stays active gets a new session before the old one ends', async (t) => {
  const clock = new TestClock();
  const { call, login } = await startTestServer(t, { clock });
  const token = await login();
  assert.equal((await call('/api/v1/account', { token })).headers.get('set-cookie'), null);
  clock.advance(24 * 3600 - 200);
  const renewed = /^argocd\.token=([^;]+);/.exec(
    (await call('/api/v1/account', { token })).headers.get('set-cookie') ?? '',
  )?.[1];
  clock.advance(300);
  assert.equal((await call('/api/v1/account', { token })).status, 401);
  assert.equal((await call('/api/v1/account', { token: renewed ?? '' })).status, 200);
});
