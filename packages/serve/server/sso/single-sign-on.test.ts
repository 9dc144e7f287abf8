import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeCertificate } from '@tiphys/git/testing';
import { startTestProvider, type TestProvider, type TestProviderOptions } from '../testing/identity-provider.ts';
import { startTestServer, TestClock, type TestServer } from '../testing/start-test-server.ts';

const policy = { 'policy.csv': 'g, devs, role:admin\ng, ada@example.com, role:readonly' };

async function start(
  t: TestContext,
  { oidc = '', provider: settings = {} }: { oidc?: string; provider?: Partial<TestProviderOptions> } = {},
): Promise<{ server: TestServer; provider: TestProvider; clock: TestClock; browser: Browser }> {
  const clock = new TestClock();
  const provider = await startTestProvider(t, { clock, ...settings });
  const server = await startTestServer(t, { clock });
  await server.configure('argocd-rbac-cm', policy);
  await server.configure('argocd-cm', {
    'oidc.config': `name: Corp\nissuer: ${provider.issuer}\nclientID: tiphys\nclientSecret: $sso:secret\n${oidc}`,
  });
  await server.client.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'sso', namespace: 'argocd', labels: { 'app.kubernetes.io/part-of': 'argocd' } },
    data: { secret: Buffer.from('secret\n').toString('base64') },
  });
  await server.configure('argocd-cm', {});
  return { server, provider, clock, browser: browserOf(server) };
}

/** Keeps cookies, follows nothing by itself. */
interface Browser {
  readonly cookies: Map<string, string>;
  get(
    path: string,
    headers?: Record<string, string>,
  ): Promise<{ status: number; location: string; text: string; headers: Headers }>;
  token(): string;
}

function browserOf({ server }: TestServer): Browser {
  const cookies = new Map<string, string>();
  return {
    cookies,
    token: () => cookies.get('argocd.token') ?? '',
    async get(path, headers = {}) {
      const answer = await fetch(new URL(path, server.url), {
        redirect: 'manual',
        headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '), ...headers },
      });
      for (const line of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value) cookies.set(name, value);
        else cookies.delete(name);
      }
      const location = answer.headers.get('location') ?? '';
      return { status: answer.status, location, text: await answer.text(), headers: answer.headers };
    },
  };
}

async function logIn(
  browser: Browser,
  provider: TestProvider,
  query = '',
): Promise<{ status: number; location: string; text: string }> {
  const begun = await browser.get(`/auth/login${query}`);
  assert.equal(begun.status, 303, begun.text);
  const { pathname, search } = provider.follow(begun.location);
  return await browser.get(`${pathname}${search}`);
}

test('a user of the provider logs in by code, PKCE, state and nonce, and has the rights of its groups', async (t) => {
  const { server, provider, browser } = await start(t);
  const begun = await browser.get('/auth/login?return_url=/applications');
  const asked = new URL(begun.location);
  assert.equal(asked.origin, provider.issuer);
  assert.equal(asked.searchParams.get('redirect_uri'), `${server.server.url}/auth/callback`);
  assert.equal(asked.searchParams.get('scope'), 'openid profile email groups');
  assert.equal(asked.searchParams.get('code_challenge_method'), 'S256');
  const flags = begun.headers.getSetCookie()[0] ?? '';
  assert.match(flags, /^argocd\.oauthstate=.*httpOnly/);
  const { pathname, search } = provider.follow(begun.location);
  const done = await browser.get(`${pathname}${search}`);
  assert.equal(done.status, 303, done.text);
  assert.equal(done.location, '/applications');
  const token = browser.token();
  assert.deepEqual((await server.call('/api/v1/session/userinfo', { token })).body, {
    loggedIn: true,
    username: 'ada@example.com',
    iss: provider.issuer,
    groups: ['devs'],
  });
  assert.equal((await server.call('/api/v1/account/can-i/clusters/delete/x', { token })).body.value, 'yes');
});

test('the groups are the claims that argocd-rbac-cm names, live', async (t) => {
  const { server, provider } = await start(t);
  const token = await provider.sign({ ...provider.claims, groups: undefined });
  const mayDelete = async () => (await server.call('/api/v1/account/can-i/clusters/delete/x', { token })).body.value;
  const mayGet = async () => (await server.call('/api/v1/account/can-i/clusters/get/x', { token })).body.value;
  assert.equal(await mayGet(), 'no');
  await server.configure('argocd-rbac-cm', { scopes: '[groups, email]' });
  assert.equal(await mayGet(), 'yes');
  assert.equal(await mayDelete(), 'no');
});

test('a callback with the state of another browser, a repeated one and a forged one are refused (CVE-2022-31034)', async (t) => {
  const { server, provider, browser } = await start(t);
  const victim = browserOf(server);
  await victim.get('/auth/login');
  const attacker = await browser.get('/auth/login');
  const { pathname, search } = provider.follow(attacker.location);
  assert.equal((await victim.get(`${pathname}${search}`)).status, 400);
  assert.equal((await browser.get('/auth/callback?code=x&state=guess')).status, 400);
  assert.equal((await browser.get(`${pathname}${search}`)).status, 303);
  assert.equal((await browser.get(`${pathname}${search}`)).status, 400, 'the attempt was used up');
});

test('what a link puts into the callback comes back as text (CVE-2022-31102)', async (t) => {
  const { browser } = await start(t);
  const answer = await browser.get('/auth/callback?code=x&state="><script>1</script>&error=<script>2</script>');
  assert.equal(answer.status, 400);
  assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
});

test('nobody is sent to another host after a login', async (t) => {
  const { browser } = await start(t);
  for (const target of [
    'https://evil.test/',
    '//evil.test',
    '/\\evil.test',
    '/\t/evil.test',
    'javascript:alert(1)',
    'http://evil.test@127.0.0.1/',
  ])
    assert.equal((await browser.get(`/auth/login?return_url=${encodeURIComponent(target)}`)).status, 400, target);
});

const refused: [what: string, sign: (provider: TestProvider) => Promise<string>][] = [
  ['for another audience (CVE-2023-22482)', (provider) => provider.sign({ ...provider.claims, aud: 'other' })],
  ['without audience', (provider) => provider.sign({ ...provider.claims, aud: [] })],
  ['that has ended', (provider) => provider.sign({ ...provider.claims, exp: 1 })],
  ['without end', (provider) => provider.sign({ ...provider.claims, exp: 'never' as never })],
  ['that is not valid yet', (provider) => provider.sign({ ...provider.claims, nbf: 4e9 })],
  ['for a project role', (provider) => provider.sign({ ...provider.claims, sub: 'proj:default:ci' })],
  [
    'signed by another key',
    (provider) =>
      provider.sign(provider.claims, {
        key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey as never,
      }),
  ],
  [
    'of another issuer',
    async (provider) => {
      const [head, , tail] = (await provider.sign(provider.claims)).split('.');
      const body = Buffer.from(JSON.stringify({ iss: 'https://evil.test', sub: 'x', exp: 4e9 })).toString('base64url');
      return `${head}.${body}.${tail}`;
    },
  ],
  [
    'without signature',
    async (provider) => {
      const [, body] = (await provider.sign(provider.claims)).split('.');
      return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`;
    },
  ],
];
test('tokens are refused', async (t) => {
  const { server, provider } = await start(t);
  for (const [what, sign] of refused)
    await t.test(what, async () => {
      assert.equal((await server.call('/api/v1/account', { token: await sign(provider) })).status, 401);
    });
});

test('a token for another audience lets nobody in; one of several is enough, and more can be allowed (CVE-2023-22482)', async (t) => {
  const { server, provider } = await start(t, { oidc: 'allowedAudiences: [tiphys, cli]' });
  const statusWith = async (aud: string | string[]) =>
    (await server.call('/api/v1/account', { token: await provider.sign({ ...provider.claims, aud }) })).status;
  for (const aud of [['x', 'tiphys'], 'cli']) assert.equal(await statusWith(aud), 200);
  for (const aud of ['other', ['other', 'tiphys2'], [], '']) assert.equal(await statusWith(aud), 401, String(aud));
});

test('an invalid token is no anonymous user with its claims (CVE-2022-29165)', async (t) => {
  const { server, provider } = await start(t);
  await server.configure('argocd-cm', { 'users.anonymous.enabled': 'true' });
  const token = await provider.sign({ ...provider.claims, aud: 'other' });
  assert.equal((await server.call('/api/v1/account/can-i/clusters/get/x', { token })).body.value, 'no');
  assert.deepEqual((await server.call('/api/v1/session/userinfo', { token })).body, {});
});

test('who cannot log in because the clock of this machine is behind is told of the clock, and can once it is right (R5)', async (t) => {
  const { server, provider, browser, clock } = await start(t);
  // answers of the provider have the time of the machine that the test runs on; ours is made ten minutes behind it
  clock.advance((Date.now() - clock.now()) / 1000 - 600);
  const now = Math.floor(Date.now() / 1000);
  const token = await provider.sign({ ...provider.claims, iat: now, nbf: now, exp: now + 3600 });
  const refused = await server.call('/api/v1/account', { token });
  assert.equal(refused.status, 401);
  assert.match(
    String(refused.body.message),
    /it is not valid before \S+; the clock of this machine is (59\d|60\d|61\d) s behind that of 127\.0\.0\.1/,
  );
  clock.advance(600);
  assert.equal((await server.call('/api/v1/account', { token })).status, 200);
  assert.notEqual((await logIn(browser, provider)).status, 401, 'and by the browser');
});

test('keys that the provider changes are fetched again', async (t) => {
  const { server, provider, clock } = await start(t);
  const status = async (token: string) => (await server.call('/api/v1/account', { token })).status;
  assert.equal(await status(await provider.sign(provider.claims)), 200);
  await provider.rotate();
  clock.advance(6);
  assert.equal(await status(await provider.sign(provider.claims)), 200);
  const before = provider.requests.length;
  const forged = await provider.sign(provider.claims, {
    key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey as never,
  });
  for (let i = 0; i < 5; i++) assert.equal(await status(forged), 401);
  assert.ok(provider.requests.length - before <= 2, 'strangers cannot make the server ask again and again');
});

test('a provider that is away is named, believed to be back when it is, and local accounts can log in meanwhile', async (t) => {
  const { server, provider, clock } = await start(t);
  provider.away = true;
  const token = await provider.sign(provider.claims);
  const answer = await server.call('/api/v1/account', { token });
  assert.equal(answer.status, 503);
  assert.match(String(answer.body.message), new RegExp(`failed to query provider "${provider.issuer}"`));
  assert.ok(await server.login());
  provider.away = false;
  clock.advance(3);
  assert.equal((await server.call('/api/v1/account', { token })).status, 200);
  provider.away = true;
  clock.advance(7200);
  const later = await provider.sign(provider.claims);
  assert.equal((await server.call('/api/v1/account', { token: later })).status, 200, 'known keys still serve');
});

test('logout revokes a token of the provider everywhere and sends the user to its logout page', async (t) => {
  const { server, provider, browser } = await start(t, {
    oidc: 'logoutURL: https://idp.test/out?id={{token}}&back={{logoutRedirectURL}}',
  });
  await logIn(browser, provider);
  const token = browser.token();
  const other = await provider.sign(provider.claims);
  const out = await browser.get('/auth/logout');
  assert.equal(out.location, `https://idp.test/out?id=${token}&back=${encodeURIComponent(server.server.url)}`);
  assert.equal(browser.token(), '');
  const refusal = await server.call('/api/v1/account', { token });
  assert.equal(refusal.status, 401);
  assert.match(String(refusal.body.message), /token is revoked/);
  const second = await server.restart();
  assert.equal((await second.call('/api/v1/account', { token })).status, 401, 'after a restart too');
  assert.equal((await second.call('/api/v1/account', { token: other })).status, 200);
});

test('a session is renewed when its token has ended, once for all requests, until the session itself ends', async (t) => {
  const { server, provider, browser, clock } = await start(t);
  await server.configure('argocd-cm', { 'users.session.duration': '1h' });
  await logIn(browser, provider);
  const first = browser.token();
  clock.advance(301);
  const answers = await Promise.all(Array.from({ length: 5 }, () => server.call('/api/v1/account', { token: first })));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200, 200],
  );
  assert.equal(provider.requests.filter((path) => path === '/token').length, 2);
  assert.equal((await browser.get('/api/v1/account')).status, 200);
  assert.notEqual(browser.token(), first);
  const second = await server.restart();
  clock.advance(301);
  assert.equal((await second.call('/api/v1/account', { token: browser.token() })).status, 200, 'by another replica');
  clock.advance(3600);
  assert.equal((await second.call('/api/v1/account', { token: browser.token() })).status, 401);
});

test('a session is renewed before its token ends where asked for, and logout ends what took its place', async (t) => {
  const { server, provider, browser, clock } = await start(t, { oidc: 'refreshTokenThreshold: 2m' });
  await logIn(browser, provider);
  const first = browser.token();
  assert.equal((await browser.get('/api/v1/account')).status, 200);
  assert.equal(browser.token(), first, 'not yet');
  clock.advance(200);
  assert.equal((await browser.get('/api/v1/account')).status, 200);
  const second = browser.token();
  assert.notEqual(second, first);
  await fetch(`${server.server.url}/auth/logout`, { redirect: 'manual', headers: { cookie: `argocd.token=${first}` } });
  for (const token of [first, second]) assert.equal((await server.call('/api/v1/account', { token })).status, 401);
});

test('who only knows whose session it is cannot have it renewed', async (t) => {
  const { server, provider, browser, clock } = await start(t);
  await logIn(browser, provider);
  clock.advance(301);
  const claims = Buffer.from(
    JSON.stringify({ iss: provider.issuer, aud: 'tiphys', sub: 'u-1', exp: 1, iat: 0 }),
  ).toString('base64url');
  const [head, , tail] = browser.token().split('.');
  assert.equal((await server.call('/api/v1/account', { token: `${head}.${claims}.${tail}` })).status, 401);
  const older = await provider.sign({ ...provider.claims, exp: 1 });
  assert.equal((await server.call('/api/v1/account', { token: older })).status, 401);
});

test('groups come from the userinfo endpoint where asked for', async (t) => {
  const { server, provider, browser } = await start(t, {
    oidc: 'enableUserInfoGroups: true\nuserInfoPath: /userinfo\nuserInfoCacheExpiration: 5m',
  });
  provider.claims = { sub: 'u-1' };
  provider.userInfo = { sub: 'u-1', groups: ['devs'] };
  await logIn(browser, provider);
  const may = async () =>
    (await server.call('/api/v1/account/can-i/clusters/delete/x', { token: browser.token() })).body.value;
  assert.equal(await may(), 'yes');
  assert.equal(await may(), 'yes');
  assert.equal(provider.requests.filter((path) => path === '/userinfo').length, 1);
  provider.userInfo = { sub: 'somebody-else', groups: ['devs'] };
  await logIn(browser, provider);
  assert.equal((await server.call('/api/v1/account', { token: browser.token() })).status, 401);
});

test('settings tell clients where to log in, and nothing that is secret', async (t) => {
  const { server, provider } = await start(t, { oidc: 'cliClientID: cli\nrequestedScopes: [openid, groups]' });
  const { body } = await server.call('/api/v1/settings');
  assert.deepEqual(body.oidcConfig, {
    name: 'Corp',
    issuer: provider.issuer,
    clientID: 'tiphys',
    cliClientID: 'cli',
    scopes: ['openid', 'groups'],
  });
  assert.ok(!JSON.stringify(body).includes('secret:'));
});

test('the certificate of the provider is verified, by rootCA where it is given (CVE-2022-31105)', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-sso-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const tls = makeCertificate(join(folder, 'host'));
  const other = makeCertificate(join(folder, 'other'));
  for (const [rootCa, status] of [
    [undefined, 502],
    [other.cert, 502],
    [tls.cert, 303],
  ] as const) {
    const oidc = rootCa ? `rootCA: |\n  ${rootCa.trim().replaceAll('\n', '\n  ')}` : '';
    const { browser } = await start(t, { oidc, provider: { tls } });
    const answer = await browser.get('/auth/login');
    assert.equal(answer.status, status, answer.text);
    if (status === 502) assert.match(answer.text, /rootCA of oidc.config/);
  }
});

test('Dex is the issuer below our own address, reached through the server', async (t) => {
  const clock = new TestClock();
  const dex = await startTestProvider(t, { clock, clientId: 'argo-cd', path: '/api/dex' });
  const server = await startTestServer(t, { clock, dexServer: dex.origin });
  dex.issuer = `${server.server.url}/api/dex`;
  const key = await server.client.get({ apiVersion: 'v1', kind: 'Secret', namespace: 'argocd', name: 'argocd-secret' });
  const signing = Buffer.from((key.data as Record<string, string>)['server.secretkey'] ?? '', 'base64');
  dex.clientSecret = createHash('sha256').update(signing).digest('base64url').slice(0, 40);
  await server.configure('argocd-rbac-cm', { 'policy.csv': 'g, ada, role:admin' });
  await server.configure('argocd-cm', {
    url: server.server.url,
    'dex.config': 'connectors: [{type: github, id: github, name: GitHub}]',
  });
  assert.deepEqual((await server.call('/api/v1/settings')).body.dexConfig, {
    connectors: [{ name: 'GitHub', type: 'github' }],
  });
  const found = await server.call('/api/dex/.well-known/openid-configuration');
  assert.equal(found.body.issuer, dex.issuer);
  dex.claims = { sub: 'Cg', email: 'ada@example.com', federated_claims: { user_id: 'ada', connector_id: 'github' } };
  const browser = browserOf(server);
  const begun = await browser.get('/auth/login');
  assert.match(begun.location, /scope=openid\+profile\+email\+groups\+federated%3Aid/);
  const { pathname, search } = dex.follow(begun.location);
  const done = await browser.get(`${pathname}${search}`);
  assert.equal(done.status, 303, done.text);
  const token = browser.token();
  assert.equal((await server.call('/api/v1/account/can-i/clusters/delete/x', { token })).body.value, 'yes');
});

test('settings that cannot be honoured are named when somebody logs in', async (t) => {
  const { server, browser } = await start(t);
  await server.configure('argocd-cm', {
    'oidc.config': 'issuer: https://idp.test\nclientID: x\nclientSecret: $nowhere:key',
  });
  const answer = await browser.get('/auth/login');
  assert.equal(answer.status, 502);
  assert.match(answer.text, /oidc\.config\.clientSecret refers to key of Secret nowhere/);
});
