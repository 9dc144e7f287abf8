import { createHash } from 'node:crypto';
import type { Clock } from '@tiphys/kubernetes';
import { decodeJwt, type JWTPayload } from 'jose';
import { type Identity, projectRoleOf } from '../rpc/identity.ts';
import { Code, RpcError, unauthenticated } from '../rpc/rpc-error.ts';
import type { ControlPlane } from '../settings/control-plane.ts';
import { durationSeconds } from '../settings/duration.ts';
import { IdentityProvider, type TokenSet } from './identity-provider.ts';
import { TokenRefused } from './provider-failure.ts';
import { claimValues, scopesOf } from './scopes.ts';
import { type SsoSession, SsoSessions } from './sso-sessions.ts';
import { type SsoSettings, SsoSettingsReader } from './sso-settings.ts';

export interface SingleSignOnOptions {
  readonly plane: ControlPlane;
  readonly clock: Clock;
  /** Base URL of Dex inside of the cluster; requests to our own `/api/dex` go there. */
  readonly dexServer?: string | undefined;
}

/** An identity from the provider, and a newer token if the session was renewed. */
export interface SsoIdentity {
  readonly identity: Identity;
  readonly renewed: string | undefined;
}

/** Users of one identity provider: who a token of its speaks for, and how sessions are renewed. Settings are live. */
export class SingleSignOn {
  readonly #options: SingleSignOnOptions;
  readonly #sessions: SsoSessions;
  readonly #reader: SsoSettingsReader;
  readonly #renewing = new Map<string, Promise<SsoSession | undefined>>();
  readonly #userInfo = new Map<string, { readonly groups: unknown; readonly until: number }>();
  #provider: IdentityProvider | undefined;

  constructor(options: SingleSignOnOptions) {
    this.#options = options;
    this.#reader = new SsoSettingsReader(options.plane);
    this.#sessions = new SsoSessions(options.plane, options.clock);
  }

  /** Undefined if none is configured; throws a diagnosis for settings that cannot be honoured. */
  settings(): SsoSettings | undefined {
    return this.#reader.read();
  }

  connectors(): { name: string; type: string }[] {
    return this.#reader.connectors();
  }

  /** The provider as it is configured now; undefined if none is. */
  provider(): IdentityProvider | undefined {
    const settings = this.#reader.read();
    if (settings?.key === this.#provider?.settings.key) return this.#provider;
    this.#provider?.close().catch(() => undefined);
    this.#userInfo.clear();
    const { clock, dexServer } = this.#options;
    this.#provider = settings && new IdentityProvider(settings, { clock, dexServer });
    return this.#provider;
  }

  /** Who an ID token speaks for. Throws Unauthenticated with the reason, Unavailable if the provider cannot be asked. */
  async identify(token: string): Promise<SsoIdentity> {
    const provider = this.provider();
    if (!provider) throw unauthenticated('invalid session: SSO is not configured');
    const { claims, expired } = await this.#verified(provider, token);
    if (!expired) {
      const left = (claims.exp ?? 0) - this.#options.clock.now() / 1000;
      const renewed =
        left < provider.settings.refreshThreshold ? await this.#renewed(provider, token, left) : undefined;
      return { identity: await this.#identity(provider, claims, token), renewed: renewed?.idToken };
    }
    // its signature was checked: only who held the session before can have it renewed
    const session = await this.#renewed(provider, token, 0);
    if (!session) throw unauthenticated(`invalid session: ${provider.expiredMessage()}`);
    const fresh = await this.#verified(provider, session.idToken);
    if (fresh.expired) throw unauthenticated(`invalid session: ${provider.expiredMessage()}`);
    return {
      identity: await this.#identity(provider, fresh.claims, session.idToken),
      renewed: session.idToken,
    };
  }

  /** Keeps what a login gave, so that its session can be renewed and its groups asked for. */
  async begin(provider: IdentityProvider, tokens: TokenSet, claims: JWTPayload): Promise<void> {
    const needed = tokens.refreshToken !== undefined || provider.settings.userInfo !== undefined;
    this.#userInfo.delete(String(claims.sub));
    if (!needed) return;
    const { plane, clock } = this.#options;
    const lasts = durationSeconds(plane.configMap('argocd-cm')['users.session.duration']) ?? 24 * 3600;
    const now = clock.now();
    await this.#sessions.keep({
      accessToken: tokens.accessToken,
      refreshToken: tokens.refreshToken ?? '',
      idToken: tokens.idToken,
      startedAt: now,
      endsAt: now / 1000 + lasts,
    });
  }

  /** Ends the session of a token; returns id and end (seconds since the epoch) of the token that has taken its place, if one has. */
  async end(token: string): Promise<{ id: string; endsAt: number | undefined } | undefined> {
    const current = this.#sessions.find(token)?.idToken;
    await this.#sessions.end(token);
    if (current === undefined || current === token) return undefined;
    const claims = decodeJwt(current);
    return { id: tokenId(claims, current), endsAt: claims.exp };
  }

  async #verified(provider: IdentityProvider, token: string) {
    try {
      return await provider.verify(token);
    } catch (error) {
      if (error instanceof TokenRefused)
        throw unauthenticated(`invalid session: failed to verify the token: ${error.message}`);
      throw new RpcError(Code.Unavailable, error instanceof Error ? error.message : String(error), { cause: error });
    }
  }

  async #identity(provider: IdentityProvider, claims: JWTPayload, token: string): Promise<Identity> {
    const federated = (claims.federated_claims as { user_id?: unknown } | undefined)?.user_id;
    const subject = typeof federated === 'string' && federated ? federated : String(claims.sub);
    if (projectRoleOf(subject))
      throw unauthenticated('invalid session: a user of the provider cannot be a project role');
    const withGroups = await this.#withGroups(provider, claims, token);
    return {
      subject,
      name: typeof claims.email === 'string' && claims.email ? claims.email : subject,
      issuer: String(claims.iss),
      groups: claimValues(withGroups, scopesOf(this.#options.plane.configMap('argocd-rbac-cm').scopes)),
      issuedAt: claims.iat ?? 0,
      expiresAt: claims.exp,
      id: tokenId(claims, token),
      capability: 'login',
    };
  }

  async #withGroups(provider: IdentityProvider, claims: JWTPayload, token: string): Promise<JWTPayload> {
    const { userInfo, azureGroupOverage } = provider.settings;
    const overage = (claims._claim_names as { groups?: unknown } | undefined)?.groups !== undefined;
    if (overage && azureGroupOverage && !userInfo)
      throw unauthenticated(
        'invalid session: the user is in more groups than a token holds, and Tiphys does not ask Microsoft Graph for them (azure.enableUserGroupOverageClaim): let the application registration send only assigned groups',
      );
    if (!userInfo) return claims;
    const sub = String(claims.sub);
    const now = this.#options.clock.now() / 1000;
    const known = this.#userInfo.get(sub);
    if (known && known.until > now) return { ...claims, groups: known.groups };
    const session = this.#sessions.find(token);
    if (!session)
      throw unauthenticated(
        `invalid session: no accessToken for ${sub}: log in by the web page, where the server gets one, or put groups into the ID token`,
      );
    let info: JWTPayload | undefined;
    try {
      info = await provider.userInfo(session.accessToken);
    } catch (error) {
      throw new RpcError(Code.Unavailable, error instanceof Error ? error.message : String(error), { cause: error });
    }
    if (!info) throw unauthenticated('invalid session: the userinfo endpoint does not take the access token any more');
    if (info.sub !== claims.sub)
      throw unauthenticated('invalid session: the userinfo endpoint speaks of somebody else than the token');
    const end = Math.min(claims.exp ?? now, userInfo.cacheSeconds > 0 ? now + userInfo.cacheSeconds : Number.MAX_VALUE);
    if (this.#userInfo.size > 10_000) this.#userInfo.clear();
    this.#userInfo.set(sub, { groups: info.groups, until: end });
    return { ...claims, groups: info.groups };
  }

  /** The session's token as it is now: renewed by another request, or renewed here, once for all who ask. */
  async #renewed(provider: IdentityProvider, token: string, left: number): Promise<SsoSession | undefined> {
    const session = this.#sessions.find(token);
    if (!session) return undefined;
    const now = this.#options.clock.now() / 1000;
    const end = decodeJwt(session.idToken).exp ?? 0;
    if (session.idToken !== token && end - now > Math.max(left, 0)) return session;
    if (!session.refreshToken) return undefined;
    let renewing = this.#renewing.get(session.idToken);
    if (!renewing) {
      renewing = this.#renew(provider, session).finally(() => this.#renewing.delete(session.idToken));
      this.#renewing.set(session.idToken, renewing);
    }
    return renewing;
  }

  async #renew(provider: IdentityProvider, session: SsoSession): Promise<SsoSession | undefined> {
    try {
      const { claims, ...tokens } = await provider.refresh(session.refreshToken);
      if (claims.sub !== decodeJwt(session.idToken).sub) return undefined;
      return await this.#sessions.renew(session, tokens);
    } catch (error) {
      // another replica may have used the refresh token a moment ago
      const now = this.#sessions.find(session.idToken);
      if (now && now.idToken !== session.idToken) return now;
      if ((decodeJwt(session.idToken).exp ?? 0) > this.#options.clock.now() / 1000) return undefined;
      if (error instanceof TokenRefused) return undefined;
      throw unauthenticated(`invalid session: the session could not be renewed: ${String((error as Error).message)}`);
    }
  }
}

/** What revocations name a token by: its own id, or its digest where it has none (Dex, Entra). */
function tokenId(claims: JWTPayload, token: string): string {
  for (const id of [claims.jti, claims.uti, claims.at_hash]) if (typeof id === 'string' && id) return id;
  return createHash('sha256').update(token).digest('base64url');
}
