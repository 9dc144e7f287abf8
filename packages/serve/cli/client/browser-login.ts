import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defineDiagnosis, diagnosisOf, failure } from '@tiphys/diagnosis';
import { guardedServer, requestUrl } from '@tiphys/inbound';
import * as oidc from 'openid-client';
import type { ApiSession } from './api-session.ts';

const ssoLoginFailed = defineDiagnosis('SsoLoginFailed', 'A login by single sign-on did not come to an end', 'P3');

export interface BrowserLoginOptions {
  /** On which the browser comes back; 0 takes a free one. */
  readonly port: number;
  /** Scheme, host and port under which the browser reaches it; `http://localhost:PORT` if absent. */
  readonly callback?: string | undefined;
  /** Is given the address at which the user logs in. */
  readonly show: (url: URL) => void;
  readonly signal: AbortSignal;
}

interface SignOnSettings {
  readonly url?: string;
  readonly oidcConfig?: {
    readonly issuer?: string;
    readonly clientID?: string;
    readonly cliClientID?: string;
    readonly scopes?: readonly string[];
    readonly idTokenClaims?: object;
  };
  readonly dexConfig?: { readonly connectors?: readonly unknown[] };
}

const path = '/auth/callback';

/**
 * Logs in by the identity provider of the server: the authorization code flow with PKCE, state and nonce, which ends at a port of this
 * machine. Resolves to the ID token; rejects with SsoLoginFailed.
 */
export async function browserLogin(session: ApiSession, options: BrowserLoginOptions): Promise<string> {
  const { issuer, clientId, scopes, claims } = clientOf(
    await session.request<SignOnSettings>('GET', '/api/v1/settings'),
    session.server,
  );
  const config = await discovered(issuer, clientId);
  const checks = {
    expectedState: oidc.randomState(),
    expectedNonce: oidc.randomNonce(),
    pkceCodeVerifier: oidc.randomPKCECodeVerifier(),
    idTokenExpected: true,
  };
  let take: (answer: Answer) => void = () => undefined;
  const listener = guardedServer(callback((answer) => take(answer)));
  try {
    const port = await listen(listener, options.port);
    const redirect = `${options.callback?.replace(/(?<!\/)\/+$/, '') ?? `http://localhost:${port}`}${path}`;
    const answer = new Promise<Answer>((resolve, reject) => {
      take = resolve;
      options.signal.addEventListener('abort', () => reject(options.signal.reason), { once: true });
    });
    options.show(
      oidc.buildAuthorizationUrl(config, {
        redirect_uri: redirect,
        scope: scopes.join(' '),
        state: checks.expectedState,
        nonce: checks.expectedNonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
        code_challenge_method: 'S256',
        ...(claims ? { claims: JSON.stringify({ id_token: claims }) } : {}),
      }),
    );
    const { query, say } = await answer;
    try {
      const tokens = await oidc.authorizationCodeGrant(config, new URL(`${redirect}${query}`), checks);
      if (!tokens.id_token) throw new Error('the provider sent no ID token');
      await say(200, 'You are logged in, and can close this window.');
      return tokens.id_token;
    } catch (error) {
      await say(400, 'The login failed; the terminal says why.');
      throw refusal(error);
    }
  } finally {
    listener.closeAllConnections();
    listener.close();
  }
}

/** Who asks for the login, and of whom. */
function clientOf({ oidcConfig, dexConfig, url }: SignOnSettings, server: string) {
  if (oidcConfig?.issuer)
    return {
      issuer: oidcConfig.issuer,
      clientId: oidcConfig.cliClientID || oidcConfig.clientID || '',
      scopes: oidcConfig.scopes?.length ? oidcConfig.scopes : defaultScopes,
      claims: oidcConfig.idTokenClaims,
    };
  if (dexConfig)
    return { issuer: `${url || server}/api/dex`, clientId: 'argo-cd-cli', scopes: defaultScopes, claims: undefined };
  throw failure(ssoLoginFailed, {
    message: `The server ${server} has no single sign-on`,
    remedies: ['Log in with an account of the server: tiphys login --username NAME', 'Or set oidc.config of argocd-cm'],
  });
}

const defaultScopes = ['openid', 'profile', 'email', 'groups'];

async function discovered(issuer: string, clientId: string): Promise<oidc.Configuration> {
  try {
    const url = new URL(issuer);
    return await oidc.discovery(url, clientId, undefined, oidc.None(), {
      // what the administrators of the server wrote is followed, as `argocd` does
      execute: url.protocol === 'http:' ? [oidc.allowInsecureRequests] : [],
    });
  } catch (error) {
    throw failure(
      ssoLoginFailed,
      {
        message: `The identity provider ${issuer} gives no way to log in: ${reasonOf(error)}`,
        remedies: [
          'See whether this machine reaches the provider and trusts its certificate (NODE_EXTRA_CA_CERTS)',
          'Or log in with an account of the server: tiphys login --username NAME',
        ],
      },
      { cause: error },
    );
  }
}

function listen(listener: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    listener.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        failure(
          ssoLoginFailed,
          {
            message: `The browser cannot come back to port ${port}: ${error.code === 'EADDRINUSE' ? 'another program has it' : error.message}`,
            remedies: ['Name another port that the provider permits for callbacks: --sso-port NUMBER'],
          },
          { cause: error },
        ),
      ),
    );
    listener.listen(port, 'localhost', () => resolve((listener.address() as AddressInfo).port));
  });
}

interface Answer {
  /** With its question mark. */
  readonly query: string;
  readonly say: (status: number, text: string) => Promise<void>;
}

/** Answers at the one address at which the browser comes back. */
function callback(take: (answer: Answer) => void): RequestListener {
  return (request, response) => {
    const url = requestUrl(request);
    const say = (status: number, text: string) => sendText(response, status, text);
    if (request.method !== 'GET' || url.pathname !== path) return void say(404, 'There is nothing here.');
    take({ query: url.search, say });
  };
}

/** Plain text: nothing that came in an address becomes a page (CVE-2021-23347). */
function sendText(response: ServerResponse, status: number, text: string): Promise<void> {
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    Connection: 'close',
  });
  return new Promise((resolve) => {
    response.once('close', resolve);
    response.end(`${text}\n`);
  });
}

function refusal(error: unknown) {
  return failure(
    ssoLoginFailed,
    {
      message: `The login was not accepted: ${reasonOf(error)}`,
      remedies: ['Begin again with tiphys login --sso; each login goes through one browser'],
    },
    { cause: error },
  );
}

function reasonOf(error: unknown): string {
  if (error instanceof oidc.AuthorizationResponseError)
    return `the provider refused: ${error.error} ${error.error_description ?? ''}`.trim();
  if (error instanceof oidc.ResponseBodyError)
    return `the provider refused: ${error.error} ${error.error_description ?? ''}`.trim();
  if (error instanceof Error)
    return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
  return diagnosisOf(error).message;
}
