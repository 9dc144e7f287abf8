import assert from 'node:assert/strict';
import { createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { exportJWK } from 'jose';
import { startTestProvider, type TestProvider } from '../../packages/serve/server/testing/identity-provider.ts';
import { startTestServer, TestClock, type TestServer } from '../../packages/serve/server/testing/start-test-server.ts';

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

async function configured(t: TestContext, issuer: string, clock: TestClock): Promise<TestServer> {
  const server = await startTestServer(t, { clock, callRates: { burst: 1e9, perSecond: 1e9 } });
  await server.configure('argocd-rbac-cm', { 'policy.csv': 'g, devs, role:admin' });
  await server.configure('argocd-cm', {
    'oidc.config': `name: Corp\nissuer: ${issuer}\nclientID: tiphys\nclientSecret: secret\n`,
  });
  return server;
}

async function start(t: TestContext): Promise<{ server: TestServer; provider: TestProvider; clock: TestClock }> {
  const clock = new TestClock();
  const provider = await startTestProvider(t, { clock });
  return { provider, clock, server: await configured(t, provider.issuer, clock) };
}

/** A browser with cookies of its own, which follows nothing. */
function browser({ server }: TestServer) {
  const cookies = new Map<string, string>();
  return async (path: string) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(new URL(path, server.url), { redirect: 'manual', headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value) cookies.set(name, value);
      else cookies.delete(name);
    }
    return {
      status: answer.status,
      location: answer.headers.get('location') ?? '',
      text: await answer.text(),
      cookies,
    };
  };
}

describe('Single sign-on', () => {
  test('takes no token whose head says how it is to be verified', async (t) => {
    const { server, provider } = await start(t);
    const good = await provider.sign(provider.claims);
    assert.equal((await server.call('/api/v1/account', { token: good })).status, 200);
    const [head = '', body = ''] = good.split('.');
    const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string };
    const keys = (await (await fetch(`${provider.issuer}/keys`)).json()) as {
      keys: Parameters<typeof createPublicKey>[0][];
    };
    const publicKey = createPublicKey({ key: keys.keys[0] as never, format: 'jwk' });
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = await exportJWK(own.publicKey);
    const asked: string[] = [];
    const elsewhere = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end(JSON.stringify({ keys: [{ ...jwk, kid: 'evil', alg: 'RS256' }] }));
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    t.after(() => elsewhere.close());
    const away = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/keys`;
    const hmac = (header: object, secret: string | Buffer) => {
      const text = `${part(header)}.${body}`;
      return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
    };
    const signed = async (header: object) => {
      const { SignJWT } = await import('jose');
      const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
      return await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', ...header } as never).sign(own.privateKey);
    };
    const tokens: Record<string, string> = {
      none: `${part({ alg: 'none', kid })}.${body}.`,
      None: `${part({ alg: 'None', kid })}.${body}.`,
      'no algorithm': `${part({ kid })}.${body}.x`,
      'the public key as a secret': hmac({ alg: 'HS256', kid }, pem),
      'the public key as a secret, without kid': hmac({ alg: 'HS256' }, pem),
      'the module as a secret': hmac(
        { alg: 'HS256', kid },
        Buffer.from(String((keys.keys[0] as { n?: string }).n), 'base64url'),
      ),
      'the secret of the client': hmac({ alg: 'HS256', kid }, 'secret'),
      'no secret': hmac({ alg: 'HS256', kid }, ''),
      'a key of its own': await signed({ kid, jwk }),
      'a key of its own elsewhere': await signed({ kid: 'evil', jku: away }),
      'a certificate elsewhere': await signed({ kid: 'evil', x5u: away }),
      'a kid that is a path': await signed({ kid: '../../../../dev/null' }),
      'a kid that is a statement': await signed({ kid: "x' union select 'secret" }),
      'a kid that every object has': await signed({ kid: '__proto__' }),
      'a kid that is no text': `${part({ alg: 'RS256', kid: { $ne: 1 } })}.${body}.x`,
      'what must be understood': await signed({ kid }).then(
        (token) => `${part({ alg: 'RS256', kid, crit: ['exp'], exp: 1 })}.${token.split('.').slice(1).join('.')}`,
      ),
      'an encrypted one': `${part({ alg: 'dir', enc: 'A256GCM' })}..x.y.z`,
      'a head without end': `${part({ alg: 'RS256', kid: 'x'.repeat(5_000) })}.${body}.x`,
    };
    for (const [what, token] of Object.entries(tokens)) {
      const { status, body: told } = await server.call('/api/v1/account', { token });
      assert.equal(status, 401, what);
      assert.doesNotMatch(JSON.stringify(told), /TypeError|RangeError|Cannot read|native code/, what);
    }
    assert.deepEqual(asked, []);
  });

  test('takes no code, state or nonce of another login, and of another issuer nothing', async (t) => {
    const { server, provider } = await start(t);
    const victim = browser(server);
    const attacker = browser(server);
    const first = await attacker('/auth/login');
    const second = await victim('/auth/login');
    assert.notEqual(
      new URL(first.location).searchParams.get('state'),
      new URL(second.location).searchParams.get('state'),
    );
    assert.notEqual(
      new URL(first.location).searchParams.get('nonce'),
      new URL(second.location).searchParams.get('nonce'),
    );
    const given = provider.follow(first.location);
    const own = provider.follow(second.location);
    // the code of one with the state of the other: the verifier and the nonce are those of the other
    const mixed = new URLSearchParams(own.search);
    mixed.set('code', given.searchParams.get('code') ?? '');
    assert.ok((await victim(`${own.pathname}?${mixed}`)).status >= 400);
    for (const [name, value] of [
      ...[
        ['iss', 'https://evil.example'],
        ['response', 'a.b.c'],
        ['error', 'access_denied'],
      ],
      ...[
        ['state', ''],
        ['state', 'x'.repeat(5_000)],
        ['state', '__proto__'],
        ['code', ''],
      ],
    ] as [string, string][]) {
      const again = browser(server);
      const answered = provider.follow((await again('/auth/login')).location);
      const query = new URLSearchParams(answered.search);
      query.set(name, value);
      const told = await again(`${answered.pathname}?${query}`);
      assert.ok(told.status >= 400 && told.status < 500, `${name}=${value.slice(0, 20)}: ${told.status}`);
      assert.doesNotMatch(told.text, /TypeError|Cannot read|<script/);
      assert.ok(!told.cookies.has('argocd.token'), name);
    }
    const twice = browser(server);
    const answered = provider.follow((await twice('/auth/login')).location);
    const state = answered.searchParams.get('state') ?? '';
    assert.ok((await twice(`${answered.pathname}${answered.search}&state=${state}&code=other`)).status >= 400);
  });

  test('sends codes to no address but its own', async (t) => {
    const { server, provider } = await start(t);
    const get = browser(server);
    for (const headers of [
      { host: 'evil.example' },
      { 'x-forwarded-host': 'evil.example' },
      { 'x-forwarded-proto': 'javascript' },
      { forwarded: 'host=evil.example' },
    ]) {
      const answer = await fetch(new URL('/auth/login', server.server.url), { redirect: 'manual', headers });
      const target = answer.headers.get('location');
      if (answer.status === 303)
        assert.doesNotMatch(new URL(target ?? '').searchParams.get('redirect_uri') ?? '', /evil|javascript/);
      else assert.ok(answer.status >= 400 && answer.status < 500);
    }
    for (const query of [
      'redirect_uri=https://evil.example',
      'client_id=evil',
      'nonce=x&state=x',
      'scope=offline_access',
      'return_url=https://evil.example',
    ]) {
      const { status, location } = await get(`/auth/login?${query}`);
      if (status === 303) {
        const asked = new URL(location);
        assert.ok(location.startsWith(provider.issuer), query);
        assert.doesNotMatch(asked.search, /evil|nonce=x&|state=x&/, query);
      } else assert.equal(status, 400, query);
    }
  });

  test('ends with a provider whose answers do not', async (t) => {
    let keys: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
    const provider = createServer((request, response) => {
      if (request.url !== '/.well-known/openid-configuration') return keys(request, response);
      const at = (name: string) => `${issuer}/${name}`;
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          ...{ issuer, authorization_endpoint: at('a'), token_endpoint: at('t'), jwks_uri: at('keys') },
          ...{ response_types_supported: ['code'], subject_types_supported: ['public'] },
          id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
        }),
      );
    });
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
    t.after(() => {
      provider.close();
      provider.closeAllConnections();
    });
    const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    const clock = new TestClock();
    const server = await configured(t, issuer, clock);
    const claims = { iss: issuer, aud: 'tiphys', sub: 'x', exp: 4e9, groups: ['devs'] };
    const token = `${part({ alg: 'RS256', kid: 'x' })}.${part(claims)}.AAAA`;
    const many = Array.from({ length: 20_000 }, (_, index) => ({ kty: 'RSA', kid: `k${index}`, n: 'AQAB', e: 'AQAB' }));
    const answers: Record<string, typeof keys> = {
      'no object': (_, response) => response.end('[]'),
      'no keys': (_, response) => response.end('{"keys":null}'),
      'keys that are none': (_, response) =>
        response.end('{"keys":[null,1,{"kty":"__proto__"},{"kty":"oct","k":"AAAA","kid":"x"}]}'),
      'a secret as key': (_, response) => response.end('{"keys":[{"kty":"oct","k":"AAAA","kid":"x","alg":"RS256"}]}'),
      'many keys': (_, response) => response.end(JSON.stringify({ keys: many })),
      nesting: (_, response) => response.end('['.repeat(500_000)),
      'a redirect': (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      'an answer without end': (_, response) => {
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(1 << 16, 0x20)));
        };
        response.on('drain', more);
        more();
      },
    };
    for (const [what, answer] of Object.entries(answers)) {
      keys = answer;
      clock.advance(4_000);
      const { status, body } = await server.call('/api/v1/applications', { token });
      assert.ok(status === 401 || status === 503, `${what}: ${status} ${JSON.stringify(body)}`);
      assert.doesNotMatch(JSON.stringify(body), /TypeError|RangeError|Cannot read|is not iterable/, what);
    }
    assert.ok(await server.login());
  });
});
