import { readFile } from 'node:fs/promises';
import { failure } from '@tiphys/diagnosis';
import type { Clock } from '@tiphys/kubernetes';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import * as oidc from 'openid-client';
import { providerRefused } from './diagnoses.ts';
import { causeText, isNetwork, parseObject, TokenRefused, unreachable } from './provider-failure.ts';
import { providerFetch } from './provider-fetch.ts';
import type { SsoSettings } from './sso-settings.ts';

/** Claims of an ID token whose signature, issuer and audience were checked. */
export interface VerifiedToken {
  readonly claims: JWTPayload;
  /** Its end has passed. */
  readonly expired: boolean;
}

export interface TokenSet {
  readonly idToken: string;
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
}

const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'EdDSA',
  'Ed25519',
];
/** What is known of a provider serves so long, in milliseconds; when it is away, longer. */
const discoveryAge = 3_600_000;
/** Between two looks for new keys that strangers' tokens can cause, in milliseconds. */
const keyPause = 5_000;
/** A failed look serves all for so long, in milliseconds. */
const failureAge = 2_000;
/** `nbf` may be ahead of our clock by so much, in seconds, as in go-oidc. */
const notBeforeLeeway = 300;

/** One OpenID provider, looked at when it is first needed. Keys are fetched again when a token names one that is not known. */
export class IdentityProvider {
  readonly settings: SsoSettings;
  readonly #clock: Clock;
  readonly #http: ReturnType<typeof providerFetch>;
  #found: { readonly config: oidc.Configuration; readonly at: number } | undefined;
  #failed: { readonly error: unknown; readonly at: number } | undefined;
  #looking: Promise<oidc.Configuration> | undefined;
  #keys: { readonly set: ReturnType<typeof createLocalJWKSet>; readonly at: number } | undefined;
  #skew = 0;

  /** `dexServer`: base URL of Dex, for settings that use it. */
  constructor(settings: SsoSettings, options: { clock: Clock; dexServer?: string | undefined }) {
    this.settings = settings;
    this.#clock = options.clock;
    this.#http = providerFetch({
      rootCa: settings.rootCa,
      // Dex is reached inside of the cluster, with a certificate of its own making
      insecure: settings.insecure || settings.dex,
      rewrite: rewriteOf(settings, options.dexServer),
      onDate: (date) => {
        this.#skew = Math.round((date - this.#clock.now()) / 1000);
      },
    });
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  /** Where a browser goes to log in. */
  async authorizationUrl(request: {
    redirectUri: string;
    state: string;
    nonce: string;
    verifier: string;
  }): Promise<URL> {
    const config = await this.#discover();
    const { scopes, requestedClaims, domainHint } = this.settings;
    return oidc.buildAuthorizationUrl(config, {
      redirect_uri: request.redirectUri,
      scope: scopes.join(' '),
      state: request.state,
      nonce: request.nonce,
      // always: a provider that does not know it ignores it
      code_challenge: await oidc.calculatePKCECodeChallenge(request.verifier),
      code_challenge_method: 'S256',
      ...(Object.keys(requestedClaims).length > 0 ? { claims: JSON.stringify({ id_token: requestedClaims }) } : {}),
      ...(domainHint ? { domain_hint: domainHint } : {}),
    });
  }

  /** Changes the code of a callback into tokens; `callback` is the redirect URI with the query as it came. */
  async exchange(
    callback: URL,
    checks: { state: string; nonce: string; verifier: string },
  ): Promise<TokenSet & { claims: JWTPayload }> {
    const config = await this.#discover();
    const tokens = await this.#ask('the token request', () =>
      oidc.authorizationCodeGrant(config, callback, {
        expectedState: checks.state,
        expectedNonce: checks.nonce,
        pkceCodeVerifier: checks.verifier,
        idTokenExpected: true,
      }),
    );
    const set = tokenSet(tokens, undefined);
    const { claims, expired } = await this.verify(set.idToken);
    if (expired) throw new TokenRefused('the provider gave a token that has ended already');
    return { ...set, claims };
  }

  /** Tokens for a refresh token; the new ID token is checked as any other. */
  async refresh(refreshToken: string): Promise<TokenSet & { claims: JWTPayload }> {
    const config = await this.#discover();
    const tokens = await this.#ask('the refresh of a session', () => oidc.refreshTokenGrant(config, refreshToken));
    const set = tokenSet(tokens, refreshToken);
    const { claims, expired } = await this.verify(set.idToken);
    if (expired) throw new TokenRefused('the provider gave a token that has ended already');
    return { ...set, claims };
  }

  /** What the provider says of the user of an access token; undefined if it does not take the token any more. */
  async userInfo(accessToken: string): Promise<JWTPayload | undefined> {
    const url = this.settings.userInfo?.url ?? '';
    const answer = await this.#reach(url, () =>
      this.#http.fetch(url, { headers: { authorization: `Bearer ${accessToken}`, accept: 'application/json' } }),
    );
    if (answer.status === 401) return undefined;
    const text = await answer.text();
    if (answer.status !== 200) throw unreachable(this.settings.issuer, `${url} answered ${answer.status}`);
    if (answer.headers.get('content-type')?.startsWith('application/jwt')) return (await this.verify(text)).claims;
    return parseObject(text, url, this.settings.issuer);
  }

  /**
   * Checks signature (by the provider's keys, with asymmetric algorithms alone), issuer, audience and start of an ID token.
   * Throws TokenRefused, or the diagnosis if the provider cannot be asked for its keys.
   */
  async verify(token: string): Promise<VerifiedToken> {
    const config = await this.#discover();
    const supported = config.serverMetadata().id_token_signing_alg_values_supported ?? ['RS256'];
    const allowed = algorithms.filter((name) => supported.includes(name));
    const attempt = async (keys: ReturnType<typeof createLocalJWKSet>) =>
      (
        await jwtVerify(token, keys, {
          algorithms: allowed.length > 0 ? allowed : ['RS256'],
          // its end is judged below, where it is told apart
          clockTolerance: Number.MAX_SAFE_INTEGER,
          currentDate: new Date(this.#clock.now()),
        })
      ).payload;
    try {
      return this.#check(await attempt(await this.#keySet(false)));
    } catch (error) {
      const stale =
        error instanceof errors.JWKSNoMatchingKey ||
        error instanceof errors.JWSSignatureVerificationFailed ||
        error instanceof errors.JWKSMultipleMatchingKeys;
      if (stale && this.#clock.now() - (this.#keys?.at ?? 0) >= keyPause) {
        try {
          return this.#check(await attempt(await this.#keySet(true)));
        } catch (second) {
          throw refusalOf(second);
        }
      }
      throw refusalOf(error);
    }
  }

  #check(claims: JWTPayload): VerifiedToken {
    const { issuer, audiences, skipAudienceCheckWhenAbsent } = this.settings;
    // accounts.google.com leaves its scheme out
    if (claims.iss !== issuer && !(issuer === 'https://accounts.google.com' && claims.iss === 'accounts.google.com'))
      throw new TokenRefused(`its issuer is ${String(claims.iss)}, not ${issuer}`);
    const audience = claims.aud === undefined ? [] : [claims.aud].flat();
    if (audience.length === 0 && !skipAudienceCheckWhenAbsent) throw new TokenRefused('it has no audience (aud)');
    if (audience.length > 0 && !audience.some((name) => audiences.includes(name)))
      throw new TokenRefused(`it was made for ${audience.join(', ')}, not for ${audiences.join(' or ')}`);
    const now = this.#clock.now() / 1000;
    if (typeof claims.exp !== 'number') throw new TokenRefused('it has no end (exp)');
    if (typeof claims.nbf === 'number' && claims.nbf > now + notBeforeLeeway)
      throw new TokenRefused(`it is not valid before ${new Date(claims.nbf * 1000).toISOString()}${this.#skewText()}`);
    if (!claims.sub) throw new TokenRefused('it names nobody (sub)');
    return { claims, expired: claims.exp <= now };
  }

  /** A difference of the clocks explains times that make no sense (failure R5). */
  #skewText(): string {
    if (Math.abs(this.#skew) < 30) return '';
    return `; the clock of this machine is ${Math.abs(this.#skew)} s ${this.#skew > 0 ? 'behind' : 'ahead of'} that of ${new URL(this.settings.issuer).host}`;
  }

  /** What an ended token is told. */
  expiredMessage(): string {
    return `token has expired, log in again${this.#skewText()}`;
  }

  async #keySet(again: boolean): Promise<ReturnType<typeof createLocalJWKSet>> {
    if (this.#keys && !again && this.#clock.now() - this.#keys.at < discoveryAge) return this.#keys.set;
    const { jwks_uri: url } = (await this.#discover(again)).serverMetadata();
    if (!url) throw unreachable(this.settings.issuer, 'its configuration names no jwks_uri');
    try {
      const answer = await this.#reach(url, () => this.#http.fetch(url, { headers: { accept: 'application/json' } }));
      if (answer.status !== 200) throw unreachable(this.settings.issuer, `${url} answered ${answer.status}`);
      const set = parseObject(await answer.text(), url, this.settings.issuer) as unknown as JSONWebKeySet;
      this.#keys = { set: createLocalJWKSet(set), at: this.#clock.now() };
    } catch (error) {
      // keys that served until now are better than none: the provider may only be away
      if (!this.#keys) throw error;
      this.#keys = { set: this.#keys.set, at: this.#clock.now() };
    }
    return this.#keys.set;
  }

  async #discover(again = false): Promise<oidc.Configuration> {
    const known = await this.#discovered(again);
    const { issuer, clientId, clientSecret } = this.settings;
    const metadata = {
      ...(clientSecret ? { client_secret: clientSecret } : {}),
      [oidc.clockSkew]: Math.round((this.#clock.now() - Date.now()) / 1000),
      [oidc.clockTolerance]: notBeforeLeeway,
    };
    const config = new oidc.Configuration(known.serverMetadata(), clientId, metadata, this.#clientAuth());
    config[oidc.customFetch] = this.#http.fetch as oidc.CustomFetch;
    if (issuer.startsWith('http:')) oidc.allowInsecureRequests(config);
    return config;
  }

  async #discovered(again: boolean): Promise<oidc.Configuration> {
    const now = this.#clock.now();
    if (this.#found && !again && now - this.#found.at < discoveryAge) return this.#found.config;
    if (this.#failed && now - this.#failed.at < failureAge) {
      if (this.#found) return this.#found.config;
      throw this.#failed.error;
    }
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    try {
      return await this.#looking;
    } catch (error) {
      if (this.#found) return this.#found.config;
      throw error;
    }
  }

  async #look(): Promise<oidc.Configuration> {
    const { issuer, clientId, clientSecret } = this.settings;
    try {
      const config = await this.#reach(issuer, () =>
        oidc.discovery(new URL(issuer), clientId, clientSecret || undefined, this.#clientAuth(), {
          [oidc.customFetch]: this.#http.fetch as oidc.CustomFetch,
          timeout: 20,
          // providers inside of a cluster are often without TLS; what the operator wrote counts
          ...(issuer.startsWith('http:') ? { execute: [oidc.allowInsecureRequests] } : {}),
        }),
      );
      this.#found = { config, at: this.#clock.now() };
      this.#failed = undefined;
      return config;
    } catch (error) {
      this.#failed = { error, at: this.#clock.now() };
      throw error;
    }
  }

  /** As golang.org/x/oauth2 finds out by trying, taken from what the provider declares. */
  #clientAuth(): oidc.ClientAuth {
    const { azureWorkloadIdentity, clientId, clientSecret } = this.settings;
    return (server, client, body, headers) => {
      if (azureWorkloadIdentity) {
        body.set('client_id', clientId);
        body.set('client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
        body.set('client_assertion', this.#assertion);
        return;
      }
      if (!clientSecret) return oidc.None()(server, client, body, headers);
      const methods = server.token_endpoint_auth_methods_supported;
      const post = methods?.includes('client_secret_post') && !methods.includes('client_secret_basic');
      return (post ? oidc.ClientSecretPost : oidc.ClientSecretBasic)(clientSecret)(server, client, body, headers);
    };
  }

  #assertion = '';

  /** The service account's token, which Kubernetes changes about every hour. */
  async #readAssertion(): Promise<void> {
    if (!this.settings.azureWorkloadIdentity) return;
    const file = process.env.AZURE_FEDERATED_TOKEN_FILE;
    if (!file)
      throw failure(providerRefused, {
        message: 'oidc.config asks for Azure workload identity, but AZURE_FEDERATED_TOKEN_FILE is not set',
        remedies: ['Give the service account of the server the annotations of Azure workload identity'],
      });
    this.#assertion = (await readFile(file, 'utf8')).trim();
  }

  async #ask<T>(what: string, work: () => Promise<T>): Promise<T> {
    await this.#readAssertion();
    const { issuer, clientId } = this.settings;
    try {
      return await work();
    } catch (error) {
      if (error instanceof oidc.ResponseBodyError)
        throw failure(
          providerRefused,
          {
            message: `The identity provider refused ${what}: ${error.error}${error.error_description ? ` (${error.error_description})` : ''}`,
            place: { remote: issuer },
            evidence: { status: error.status, client: clientId },
            remedies: [
              error.error === 'invalid_client'
                ? 'Correct clientID and clientSecret in oidc.config'
                : 'Log in again; see the log of the provider for more',
            ],
          },
          { cause: error },
        );
      if (error instanceof oidc.AuthorizationResponseError)
        throw new TokenRefused(`${error.error}${error.error_description ? `: ${error.error_description}` : ''}`);
      if (error instanceof oidc.ClientError && error.code !== 'OAUTH_TIMEOUT' && !isNetwork(error))
        throw new TokenRefused(causeText(error));
      throw unreachable(issuer, causeText(error), error);
    }
  }

  async #reach<T>(url: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const { issuer } = this.settings;
      throw unreachable(issuer, `${url === issuer ? '' : `${url}: `}${causeText(error)}`, error);
    }
  }
}

const wellKnown = '/.well-known/openid-configuration';

function rewriteOf({ dex, issuer, discoveredAt }: SsoSettings, dexServer: string | undefined) {
  if (dex && dexServer)
    return { from: issuer, to: `${new URL(dexServer).origin}${new URL(issuer).pathname}`, isInside: true };
  if (!discoveredAt) return undefined;
  return { from: `${issuer}${wellKnown}`, to: `${discoveredAt}${wellKnown}`, isInside: false };
}

function tokenSet(tokens: oidc.TokenEndpointResponse, refreshToken: string | undefined): TokenSet {
  if (!tokens.id_token) throw new TokenRefused('the provider gave no ID token: the scope openid must be asked for');
  return {
    idToken: tokens.id_token,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? refreshToken,
  };
}

function refusalOf(error: unknown): unknown {
  return error instanceof errors.JOSEError ? new TokenRefused(error.message) : error;
}
