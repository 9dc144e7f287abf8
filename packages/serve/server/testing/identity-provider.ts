import { createHash, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { Clock } from '@tiphys/kubernetes';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

interface Grant {
  readonly nonce: string;
  readonly challenge: string;
  readonly redirectUri: string;
}

export interface TestProviderOptions {
  readonly clock: Clock;
  /** `tiphys` by default. */
  readonly clientId?: string;
  /** The client needs no secret, as that of a command line. */
  readonly publicClient?: boolean;
  /** Below the origin; none by default. */
  readonly path?: string;
  readonly tls?: { cert: string; key: string };
  /** Seconds that ID tokens live; 300 by default. */
  readonly lifetime?: number;
}

/** An OpenID provider on a loopback port: discovery, keys, authorization code with PKCE, refresh, userinfo. */
export interface TestProvider {
  issuer: string;
  /** Where it listens. */
  readonly origin: string;
  clientSecret: string;
  /** Claims of the tokens that it gives. */
  claims: JWTPayload;
  /** What the userinfo endpoint says; undefined answers 401. */
  userInfo: JWTPayload | undefined;
  /** Answers nothing but 503 while it is true. */
  away: boolean;
  /** Paths that were asked for. */
  readonly requests: string[];
  /** Signs with a new key from now on. */
  rotate(): Promise<void>;
  /** Signs claims as the provider does; `iss`, `aud` and times are filled in. */
  sign(claims?: JWTPayload, options?: { alg?: string; key?: CryptoKey }): Promise<string>;
  /** What a user does: follows the authorization URL and is sent back; the callback's path and query. */
  follow(authorizationUrl: string): URL;
}

export async function startTestProvider(t: TestContext, options: TestProviderOptions): Promise<TestProvider> {
  const { clock, clientId = 'tiphys', path: base = '', lifetime = 300 } = options;
  const grants = new Map<string, Grant>();
  const refreshTokens = new Map<string, string>();
  let serial = 0;
  const newKey = async () => ({ ...(await generateKeyPair('RS256', { extractable: true })), kid: `key-${++serial}` });
  let key = await newKey();
  const sign: TestProvider['sign'] = async (claims = {}, { alg = 'RS256', key: signer } = {}) => {
    const now = Math.floor(clock.now() / 1000);
    const payload = {
      iss: provider.issuer,
      aud: clientId,
      iat: now,
      exp: now + lifetime,
      jti: randomUUID(),
      ...claims,
    };
    return new SignJWT(payload).setProtectedHeader({ alg, kid: key.kid }).sign(signer ?? key.privateKey);
  };
  const tokens = async (extra: JWTPayload) => {
    const refresh = randomUUID();
    refreshTokens.set(refresh, String(provider.claims.sub));
    return {
      access_token: randomUUID(),
      token_type: 'Bearer',
      expires_in: lifetime,
      refresh_token: refresh,
      id_token: await sign({ ...provider.claims, ...extra }),
    };
  };
  const grant = async (form: URLSearchParams, authorization: string | undefined) => {
    const basic = Buffer.from((authorization ?? '').replace(/^Basic /, ''), 'base64').toString();
    const open = options.publicClient && authorization === undefined && form.get('client_id') === clientId;
    if (!open && decodeURIComponent(basic) !== `${clientId}:${provider.clientSecret}`)
      return [401, { error: 'invalid_client' }] as const;
    if (form.get('grant_type') === 'refresh_token') {
      const known = refreshTokens.delete(form.get('refresh_token') ?? '');
      return known ? ([200, await tokens({})] as const) : ([400, { error: 'invalid_grant' }] as const);
    }
    const code = form.get('code') ?? '';
    const found = grants.get(code);
    grants.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!found || found.challenge !== challenge || found.redirectUri !== form.get('redirect_uri'))
      return [400, { error: 'invalid_grant' }] as const;
    return [200, await tokens({ nonce: found.nonce })] as const;
  };
  const answer = async (path: string, form: URLSearchParams, authorization: string | undefined) => {
    if (provider.away) return [503, { error: 'away' }] as const;
    switch (path) {
      case '/.well-known/openid-configuration':
        return [
          200,
          {
            issuer: provider.issuer,
            authorization_endpoint: `${provider.issuer}/authorize`,
            token_endpoint: `${provider.issuer}/token`,
            jwks_uri: `${provider.issuer}/keys`,
            userinfo_endpoint: `${provider.issuer}/userinfo`,
            response_types_supported: ['code'],
            subject_types_supported: ['public'],
            id_token_signing_alg_values_supported: ['RS256'],
          },
        ] as const;
      case '/keys':
        return [
          200,
          { keys: [{ ...(await exportJWK(key.publicKey)), kid: key.kid, alg: 'RS256', use: 'sig' }] },
        ] as const;
      case '/token':
        return await grant(form, authorization);
      case '/userinfo':
        return provider.userInfo ? ([200, provider.userInfo] as const) : ([401, {}] as const);
      default:
        return [404, {}] as const;
    }
  };
  const listener: Parameters<typeof createServer>[1] = (request, response) => {
    const path = ((request.url ?? '').split('?')[0] ?? '').slice(base.length);
    provider.requests.push(path);
    // a browser comes here by itself, and its user agrees
    if (path === '/authorize') {
      response.writeHead(302, { location: provider.follow(new URL(request.url ?? '', provider.origin).href).href });
      response.end();
      return;
    }
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString('utf8');
    });
    request.on('end', () => {
      answer(path, new URLSearchParams(body), request.headers.authorization).then(
        ([status, value]) => {
          response.writeHead(status, { 'content-type': 'application/json' });
          response.end(JSON.stringify(value));
        },
        (error: unknown) => response.destroy(error as Error),
      );
    });
  };
  const server: Server = options.tls
    ? (createTlsServer(options.tls, listener as never) as unknown as Server)
    : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `${options.tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: TestProvider = {
    origin,
    issuer: `${origin}${base}`,
    clientSecret: 'secret',
    claims: { sub: 'u-1', email: 'ada@example.com', groups: ['devs'] },
    userInfo: undefined,
    away: false,
    requests: [],
    async rotate() {
      key = await newKey();
    },
    sign,
    follow(text) {
      const { searchParams: asked } = new URL(text);
      const code = randomUUID();
      grants.set(code, {
        nonce: asked.get('nonce') ?? '',
        challenge: asked.get('code_challenge') ?? '',
        redirectUri: asked.get('redirect_uri') ?? '',
      });
      const back = new URL(asked.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', asked.get('state') ?? '');
      return back;
    },
  };
  return provider;
}
