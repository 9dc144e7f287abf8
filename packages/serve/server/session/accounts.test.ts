import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestProvider } from '../testing/identity-provider.ts';
import { startTestServer, TestClock } from '../testing/start-test-server.ts';
import { throttleOptions } from './login-throttle.ts';

const password = 'a-good-password';

test('admin with apiKey still logs in, and its keys work', async (t) => {
  const { call, login, configure } = await startTestServer(t);
  await configure('argocd-cm', { 'accounts.admin': 'apiKey' });
  const admin = await login();
  const { body } = await call('/api/v1/account/admin', { token: admin });
  assert.deepEqual(body.capabilities, ['login', 'apiKey']);
  const key = String((await call('/api/v1/account/admin/token', { token: admin, body: {} })).body.token);
  assert.equal((await call('/api/v1/account', { token: key })).status, 200);
});

test('an account is locked by any spelling of false, and by a value that is none', async (t) => {
  const { call, login, configure } = await startTestServer(t);
  const admin = await login();
  await configure('argocd-cm', { 'accounts.eve': 'login,apiKey,nonsense' });
  for (const [text, enabled] of [
    ['false', false],
    ['False', false],
    ['0', false],
    ['no', false],
    ['true', true],
    ['1', true],
  ] as const) {
    await configure('argocd-cm', { 'accounts.eve.enabled': text });
    const { body } = await call('/api/v1/account/eve', { token: admin });
    assert.equal(body.enabled ?? false, enabled, text);
    assert.deepEqual(body.capabilities, ['login', 'apiKey']);
  }
});

test('a list of tokens that cannot be read locks nobody else out', async (t) => {
  const { client, login, configure } = await startTestServer(t);
  await configure('argocd-cm', { 'accounts.eve': 'apiKey' });
  await client.patch({ apiVersion: 'v1', kind: 'Secret', namespace: 'argocd', name: 'argocd-secret' }, 'merge', {
    data: { 'accounts.eve.tokens': Buffer.from('{not json').toString('base64') },
  });
  await configure('argocd-cm', {});
  assert.match(await login(), /^ey/);
});

test('passwords change by the rules: the current one, the pattern, the right', async (t) => {
  const clock = new TestClock();
  const { call, login, configure, password: first } = await startTestServer(t, { clock });
  await configure('argocd-cm', { 'accounts.eve': 'login', passwordPattern: '^[a-z-]{8,20}$' });
  const admin = await login();
  const change = (token: string, body: object) => call('/api/v1/account/password', { token, method: 'PUT', body });
  clock.advance(3600);
  const words = async (token: string, body: object) => String((await change(token, body)).body.message);
  const eves = { name: 'eve', newPassword: password };
  assert.equal(await words(admin, { ...eves, currentPassword: 'wrong' }), 'current password does not match');
  assert.match(
    await words(admin, { ...eves, newPassword: 'UPPER-CASE', currentPassword: first }),
    /does not match the following/,
  );
  assert.equal(
    (await change(admin, { ...eves, currentPassword: first })).status,
    200,
    'an old session may, with the password',
  );
  const eve = await login('eve', password);
  assert.equal((await change(eve, { name: 'admin', currentPassword: password, newPassword: password })).status, 403);
  assert.equal((await change(eve, { currentPassword: password, newPassword: 'another-good-one' })).status, 200);
  await configure('argocd-cm', { passwordPattern: '(' });
  assert.match(await words(admin, { ...eves, currentPassword: first }), /passwordPattern/);
});

test('a user of the provider may set passwords with the right to, soon after the login', async (t) => {
  const clock = new TestClock();
  const provider = await startTestProvider(t, { clock, lifetime: 3600 });
  const { call, configure, login } = await startTestServer(t, { clock });
  await configure('argocd-rbac-cm', { 'policy.csv': 'p, boss, accounts, update, *, allow' });
  await configure('argocd-cm', {
    'accounts.eve': 'login',
    'oidc.config': `issuer: ${provider.issuer}\nclientID: tiphys`,
  });
  const change = async (token: string) =>
    (await call('/api/v1/account/password', { token, method: 'PUT', body: { name: 'eve', newPassword: password } }))
      .status;
  assert.equal(await change(await provider.sign({ sub: 'clerk' })), 403);
  const boss = await provider.sign({ sub: 'boss' });
  assert.equal(await change(boss), 200);
  assert.match(await login('eve', password), /^ey/);
  clock.advance(301);
  assert.notEqual(await change(boss), 200);
});

test('tokens of an account are listed, deleted once, and refused when they have ended', async (t) => {
  const clock = new TestClock();
  const { call, login, configure } = await startTestServer(t, { clock });
  await configure('argocd-cm', { 'accounts.bot': 'apiKey' });
  const admin = await login();
  const token = String(
    (await call('/api/v1/account/bot/token', { token: admin, body: { id: 'a', expiresIn: 60 } })).body.token,
  );
  const again = await call('/api/v1/account/bot/token', { token: admin, body: { id: 'a' } });
  assert.match(String(again.body.message), /account already has token with id 'a'/);
  const { body } = await call('/api/v1/account/bot', { token: admin });
  const [listed] = body.tokens as { id: string; issuedAt: string; expiresAt: string }[];
  assert.equal(Number(listed?.expiresAt) - Number(listed?.issuedAt), 60);
  assert.equal((await call('/api/v1/account/admin', { token })).status, 403, 'of others nothing');
  assert.equal((await call('/api/v1/account/bot', { token })).status, 200);
  clock.advance(61);
  assert.equal((await call('/api/v1/account/bot', { token })).status, 401);
  assert.equal((await call('/api/v1/account/bot/token/a', { token: admin, method: 'DELETE' })).status, 200);
  assert.equal((await call('/api/v1/account/bot/token/a', { token: admin, method: 'DELETE' })).status, 404);
});

test('logout takes all parts of a cookie away and revokes the token on every replica', async (t) => {
  const first = await startTestServer(t);
  const second = await first.beside();
  const token = await first.login();
  assert.equal((await second.call('/api/v1/account', { token })).status, 200);
  const out = await fetch(`${first.server.url}/auth/logout`, {
    redirect: 'manual',
    headers: { cookie: `argocd.token=2:${token.slice(0, 40)}; argocd.token-1=${token.slice(40)}` },
  });
  const gone = out.headers.getSetCookie().map((line) => line.replace(/;.*/, ''));
  assert.deepEqual(gone, ['argocd.token=', 'argocd.token-1=']);
  for (const { call } of [first, second]) {
    const refusal = await call('/api/v1/account', { token });
    assert.equal(refusal.status, 401);
    assert.match(String(refusal.body.message), /token is revoked/);
  }
});

test('what the server writes down for itself is not taken for a setting, whose change is felt by every application', async (t) => {
  const { call, login, client } = await startTestServer(t);
  await call('/api/v1/session', { body: { username: 'admin', password: 'wrong' } });
  const token = await login();
  await call('/api/v1/repositories', { token, body: { repo: 'https://example.test/r' } });
  await call('/api/v1/repositories', { token });
  await call('/api/v1/session', { token, method: 'DELETE' });
  const list = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'argocd' };
  const named = (items: readonly { metadata: { name?: string } }[]) => items.map(({ metadata }) => metadata.name ?? '');
  const own = named((await client.list(list)).items).filter((name) => name.startsWith('tiphys-'));
  assert.deepEqual(own.map((name) => name.replace(/checks-.*/, 'checks')).sort(), [
    'tiphys-login-attempts',
    'tiphys-repository-checks',
    'tiphys-revoked-tokens',
  ]);
  const settings = await client.list(list, { labelSelector: 'app.kubernetes.io/part-of=argocd' });
  assert.deepEqual(
    named(settings.items).filter((name) => name.startsWith('tiphys-')),
    [],
  );
});

test('failures that another replica saw count', async (t) => {
  const clock = new TestClock();
  const first = await startTestServer(t, { clock });
  const second = await first.beside();
  const attempt = async ({ call }: typeof first, word = 'wrong') =>
    (await call('/api/v1/session', { body: { username: 'admin', password: word } })).status;
  for (let i = 0; i < 5; i++) assert.equal(await attempt(i % 2 ? first : second), 401);
  assert.equal(await attempt(first, first.password), 429);
  assert.equal(await attempt(second, first.password), 429);
});

test('behind a proxy that speaks TLS, cookies are for TLS alone', async (t) => {
  const { call, configure, server, password: word } = await startTestServer(t);
  const cookie = async () =>
    (await call('/api/v1/session', { body: { username: 'admin', password: word } })).headers.get('set-cookie') ?? '';
  assert.match(await cookie(), /; path=\/; SameSite=lax; httpOnly$/);
  await configure('argocd-cm', { url: server.url.replace('http:', 'https:') });
  assert.match(await cookie(), /; path=\/; SameSite=lax; httpOnly; Secure$/);
});

test('limits of logins are read from the variables that Argo CD knows', () => {
  assert.deepEqual(
    throttleOptions({
      ARGOCD_SESSION_FAILURE_MAX_FAIL_COUNT: '3',
      ARGOCD_SESSION_FAILURE_WINDOW_SECONDS: '0',
      ARGOCD_SESSION_MAX_CACHE_SIZE: 'many',
    }),
    { limit: 3, window: 0 },
  );
});
