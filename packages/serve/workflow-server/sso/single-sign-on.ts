import { randomBytes } from 'node:crypto';
import { requestUrl } from '@tiphys/inbound';
import type { Client, Clock } from '@tiphys/kubernetes';
import {
  Code,
  claimValues,
  type HttpRequest,
  type HttpResponse,
  IdentityProvider,
  type Log,
  RpcError,
  TokenRefused,
} from '@tiphys/server';
import type { JWTPayload } from 'jose';
import { accountToken } from '../common/account-token.ts';
import { type SignedOnUsers, sessionPrefix } from '../common/admission.ts';
import type { Claims } from '../common/caller.ts';
import { cookieOf, sayPlainly, sendTo, setCookie } from './browser.ts';
import { pathWithin, redirectUri } from './redirects.ts';
import { claimsAsSent, type RuleAccount, RuleAccounts } from './rule-accounts.ts';
import { SealedTokens } from './sealed-tokens.ts';
import { type FlowSsoSettings, readSsoSettings } from './sso-settings.ts';

export interface SingleSignOnOptions {
  /** With the rights of the server. */
  readonly client: Client;
  /** Of the server and its Secrets. */
  readonly namespace: string;
  /** The only one that is served: the ServiceAccounts with rules are there. They are in that of the server if it is absent. */
  readonly managedNamespace?: string | undefined;
  readonly sso: Readonly<Record<string, unknown>> | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isSecure: boolean;
}

/** What the first page says of a browser's user; without name nobody is logged in. */
export interface SignedOn {
  /** Where one logs in. */
  readonly login: string;
  readonly name?: string;
  readonly token?: string;
}

/** A login has to be done by then; milliseconds. */
const loginTime = 180_000;

/** Users of an identity provider: they log in by a browser, and have the rights that rules of ServiceAccounts give them. */
export class SingleSignOn implements SignedOnUsers {
  readonly #options: SingleSignOnOptions;
  readonly #settings: FlowSsoSettings;
  readonly #provider: IdentityProvider;
  readonly #tokens: SealedTokens;
  readonly #accounts: RuleAccounts;
  /** Where cookies and pages are; ends with a slash. */
  readonly base: string;
  /** Rules of the namespace that is asked for count, too. */
  readonly delegates: boolean;

  private constructor(options: SingleSignOnOptions, settings: FlowSsoSettings, tokens: SealedTokens) {
    const { client, clock, env } = options;
    this.#options = options;
    this.#settings = settings;
    this.#tokens = tokens;
    this.#provider = new IdentityProvider(settings.provider, { clock });
    this.#accounts = new RuleAccounts(client, clock);
    this.base = `/${(env.ARGO_BASE_HREF ?? '').split('/').filter(Boolean).join('/')}/`.replace('//', '/');
    this.delegates = env.SSO_DELEGATE_RBAC_TO_NAMESPACE === 'true' && !options.managedNamespace;
  }

  /** Throws a diagnosis for settings that cannot be honoured. The provider is asked when the first user comes. */
  static async open(options: SingleSignOnOptions): Promise<SingleSignOn> {
    const settings = await readSsoSettings(options.client, options.namespace, options.sso);
    return new SingleSignOn(options, settings, await SealedTokens.open(options.client, options.namespace));
  }

  close(): Promise<void> {
    return this.#provider.close();
  }

  /** Serves the two addresses of a login; false for another path. */
  async serve(path: string, request: HttpRequest, response: HttpResponse): Promise<boolean> {
    if (path !== '/oauth2/redirect' && path !== '/oauth2/callback') return false;
    const isBegin = path === '/oauth2/redirect';
    try {
      await (isBegin ? this.#begin(request, response) : this.#end(request, response));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#options.log('error', 'a login failed', { error: message });
      const status = error instanceof LoginRefused ? 400 : isBegin ? 503 : 401;
      sayPlainly(
        response,
        status,
        error instanceof TokenRefused ? `the provider's token is refused: ${message}` : message,
      );
    }
    return true;
  }

  async #begin(request: HttpRequest, response: HttpResponse): Promise<void> {
    const { now } = this.#options.clock;
    const asked = requestUrl(request);
    const state = randomBytes(15).toString('hex');
    const attempt = {
      state,
      nonce: randomBytes(15).toString('hex'),
      verifier: randomBytes(32).toString('base64url'),
      redirectUri: this.#redirectUri(request),
      then: pathWithin(asked.searchParams.get('redirect') ?? '') ?? this.base,
    };
    const target = await this.#provider.authorizationUrl(attempt);
    const until = now() + loginTime;
    const sealed = await this.#tokens.seal(attempt, { audience: 'login', until });
    this.#setCookie(response, `login-${state}`, { value: sealed, seconds: loginTime / 1000 });
    sendTo(response, target.href);
  }

  async #end(request: HttpRequest, response: HttpResponse): Promise<void> {
    const asked = requestUrl(request);
    const state = asked.searchParams.get('state') ?? '';
    const now = this.#options.clock.now();
    const sealed = /^[0-9a-f]{30}$/.test(state) ? cookieOf(request, `login-${state}`) : undefined;
    const attempt = sealed ? await this.#tokens.unseal(sealed, { audience: 'login', now }) : undefined;
    if (!attempt || attempt.state !== state)
      throw new LoginRefused('this login was not begun by this browser, or it took too long: begin it again');
    const { nonce, verifier, redirectUri: back, then } = attempt as Record<string, string>;
    const callback = new URL(back as string);
    callback.search = asked.search;
    const { accessToken, claims } = await this.#provider.exchange(callback, {
      state,
      nonce: nonce as string,
      verifier: verifier as string,
    });
    const groups = await this.#groups(claims, accessToken);
    const until = now + this.#settings.sessionMilliseconds;
    const session = await this.#tokens.seal(sessionClaims(claims, groups), { until });
    this.#setCookie(response, `login-${state}`, { value: '', seconds: 0 });
    const seconds = Math.floor(this.#settings.sessionMilliseconds / 1000);
    this.#setCookie(response, 'authorization', { value: `${sessionPrefix}${session}`, seconds });
    this.#options.log('info', 'a user has logged in', { subject: String(claims.sub), groups });
    sendTo(response, then as string);
  }

  #setCookie(response: HttpResponse, name: string, { value, seconds }: { value: string; seconds: number }): void {
    setCookie(response, { name, value, seconds, path: this.base, isSecure: this.#options.isSecure });
  }

  #redirectUri(request: HttpRequest): string {
    const { isSecure } = this.#options;
    return this.#settings.redirectUrl || redirectUri(request, { isSecure, base: this.base });
  }

  async #groups(claims: JWTPayload, accessToken: string): Promise<string[]> {
    const { provider, groupsClaim, groupFilters } = this.#settings;
    const source = provider.userInfo ? await this.#provider.userInfo(accessToken) : claims;
    if (!source) throw new TokenRefused('the provider does not know who it belongs to');
    const groups = claimValues(source, [provider.userInfo ? 'groups' : groupsClaim || 'groups']);
    if (groupFilters.length === 0) return groups;
    return groups.filter((group) => groupFilters.some((filter) => filter.matcher(group).find()));
  }

  /** Who a session's token speaks for. Throws Unauthenticated. */
  async claimsOf(authorization: string): Promise<Claims> {
    const now = this.#options.clock.now();
    const claims = await this.#tokens.unseal(authorization.slice(sessionPrefix.length), { now });
    if (!claims?.sub)
      throw new RpcError(Code.Unauthenticated, 'the session is over, or was made elsewhere: log in again');
    return claimsFrom(claims);
  }

  /** Who is logged in with a browser, with the token for its other clients. */
  async userOf(request: HttpRequest): Promise<SignedOn> {
    const login = `${this.base}oauth2/redirect`;
    const token = cookieOf(request, 'authorization') ?? '';
    if (!token.startsWith(sessionPrefix)) return { login };
    try {
      const { subject, email } = await this.claimsOf(token);
      return { login, name: email ?? subject, token };
    } catch (error) {
      if (error instanceof RpcError) return { login };
      throw error;
    }
  }

  /** The token of a ServiceAccount whose rule the user fits. Throws PermissionDenied if there is none. */
  async rightsOf(claims: Claims, namespace: string): ReturnType<SignedOnUsers['rightsOf']> {
    const { client, log } = this.#options;
    if (!this.#settings.hasRules) {
      log('info', 'a user has the rights of the server', { subject: claims.subject, email: claims.email ?? '' });
      return { claims, authorization: undefined };
    }
    try {
      const found = await this.#account(claims, namespace);
      if (!found) throw new Error('no rule of a ServiceAccount fits the user');
      const { name = '', namespace: home = '' } = found.account.metadata;
      const token = await accountToken(client, found.account);
      log('info', 'a user has the rights of a ServiceAccount', {
        subject: claims.subject,
        email: claims.email ?? '',
        serviceAccount: `${home}/${name}`,
      });
      return {
        claims: { ...claims, serviceAccountName: name, serviceAccountNamespace: home },
        authorization: `Bearer ${token}`,
      };
    } catch (error) {
      log('error', 'a user has no rights', { subject: claims.subject, error: String(error) });
      throw new RpcError(Code.PermissionDenied, 'not allowed', { cause: error });
    }
  }

  async #account(claims: Claims, namespace: string): Promise<RuleAccount | undefined> {
    const home = this.#options.managedNamespace ?? this.#options.namespace;
    const own = await this.#accounts.find(claims, home);
    if (!this.delegates || !namespace || namespace === home) return own;
    const there = await this.#delegated(claims, namespace);
    return there && (!own || there.precedence > own.precedence) ? there : own;
  }

  /** A rule of a tenant's that cannot be evaluated must not shut out those who have rights without it. */
  async #delegated(claims: Claims, namespace: string): Promise<RuleAccount | undefined> {
    try {
      return await this.#accounts.find(claims, namespace);
    } catch (error) {
      this.#options.log('warn', 'the rules of a namespace were left out', { namespace, error: String(error) });
      return undefined;
    }
  }
}

/** What a browser sent that is no end of a login; the message is for its user. */
class LoginRefused extends Error {
  override name = 'LoginRefused';
}

function sessionClaims(claims: JWTPayload, groups: readonly string[]): JWTPayload {
  const { email, name, preferred_username: preferredUsername, sub = '' } = claims as Record<string, string>;
  return claimsAsSent({
    subject: sub,
    groups,
    ...(email ? { email: String(email) } : {}),
    ...(name ? { name: String(name) } : {}),
    ...(preferredUsername ? { preferredUsername: String(preferredUsername) } : {}),
  });
}

function claimsFrom(payload: JWTPayload): Claims {
  const {
    email,
    name,
    preferred_username: preferredUsername,
  } = payload as Readonly<Record<string, string | undefined>>;
  return {
    subject: payload.sub ?? '',
    issuer: payload.iss ?? '',
    groups: claimValues(payload, ['groups']),
    ...(email ? { email } : {}),
    ...(name ? { name } : {}),
    ...(preferredUsername ? { preferredUsername } : {}),
  };
}
