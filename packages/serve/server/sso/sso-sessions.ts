import { createHash } from 'node:crypto';
import { type Clock, isConflict, isNotFound } from '@tiphys/kubernetes';
import { type ControlPlane, encodeSecret } from '../settings/control-plane.ts';
import type { TokenSet } from './identity-provider.ts';

/** What is kept of a login at the identity provider, found by its ID token alone. */
export interface SsoSession {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly idToken: string;
  /** When the user logged in, in milliseconds since the epoch; renewals do not move it. */
  readonly startedAt: number;
  /** Seconds since the epoch. */
  readonly endsAt: number;
}

export const sessionSecretType = 'tiphys-session';
const typeLabel = 'argocd.argoproj.io/secret-type';
const endAnnotation = 'tiphys.dev/ends-at';
/** Requests that were under way with the token before it was renewed are still served by the new one. */
const grace = 300;

/**
 * Sessions of single sign-on that can be renewed, one Secret each, so that every replica knows them and a restart loses
 * none. Who does not have the ID token cannot find the session.
 */
export class SsoSessions {
  readonly #plane: ControlPlane;
  readonly #clock: Clock;

  constructor(plane: ControlPlane, clock: Clock) {
    this.#plane = plane;
    this.#clock = clock;
  }

  /** The session of an ID token, or of the token that took its place. */
  find(idToken: string): SsoSession | undefined {
    let data = this.#plane.secret(nameOf(idToken));
    if (data.next) data = this.#plane.secret(data.next);
    if (!data.idToken || Number(data.endsAt) <= this.#clock.now() / 1000) return undefined;
    return {
      accessToken: data.accessToken ?? '',
      refreshToken: data.refreshToken ?? '',
      idToken: data.idToken,
      startedAt: Number(data.startedAt),
      endsAt: Number(data.endsAt),
    };
  }

  /** Keeps a login until `endsAt`, and removes those that have ended. */
  async keep(session: SsoSession): Promise<void> {
    await this.#put(nameOf(session.idToken), session.endsAt, {
      accessToken: session.accessToken,
      refreshToken: session.refreshToken,
      idToken: session.idToken,
      startedAt: String(session.startedAt),
      endsAt: String(session.endsAt),
    });
    await this.#removeEnded();
  }

  /** The tokens of a session change; the old ID token leads to it for a while. */
  async renew(session: SsoSession, tokens: TokenSet): Promise<SsoSession> {
    const renewed = {
      ...session,
      accessToken: tokens.accessToken,
      refreshToken: tokens.refreshToken ?? session.refreshToken,
      idToken: tokens.idToken,
    };
    await this.keep(renewed);
    if (renewed.idToken !== session.idToken)
      await this.#put(nameOf(session.idToken), this.#clock.now() / 1000 + grace, { next: nameOf(renewed.idToken) });
    return renewed;
  }

  /** Forgets the session of an ID token and of what took its place. */
  async end(idToken: string): Promise<void> {
    const name = nameOf(idToken);
    const { next } = this.#plane.secret(name);
    for (const each of [name, ...(next ? [next] : [])]) await this.#remove(each);
  }

  async #put(name: string, endsAt: number, data: Record<string, string>): Promise<void> {
    const metadata = {
      name,
      namespace: this.#plane.namespace,
      labels: { [typeLabel]: sessionSecretType },
      annotations: { [endAnnotation]: String(Math.ceil(endsAt)) },
    };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata, data: encodeSecret(data) };
    for (let attempt = 0; ; attempt++) {
      const existing = await this.#plane.client.find({
        apiVersion: 'v1',
        kind: 'Secret',
        namespace: this.#plane.namespace,
        name,
      });
      try {
        if (!existing) return await this.#plane.createSecret(secret);
        const { resourceVersion } = existing.metadata;
        return await this.#plane.updateSecret({
          ...secret,
          metadata: { ...metadata, ...(resourceVersion ? { resourceVersion } : {}) },
        });
      } catch (error) {
        if (attempt >= 3 || !isConflict(error)) throw error;
      }
    }
  }

  async #removeEnded(): Promise<void> {
    const now = this.#clock.now() / 1000;
    const ended = this.#plane
      .secretsOfType(sessionSecretType)
      .filter(({ metadata }) => Number(metadata.annotations?.[endAnnotation] ?? 0) <= now);
    for (const { metadata } of ended) await this.#remove(metadata.name ?? '');
  }

  async #remove(name: string): Promise<void> {
    try {
      await this.#plane.deleteSecret(name);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

function nameOf(idToken: string): string {
  return `tiphys-session-${createHash('sha256').update(idToken).digest('hex').slice(0, 40)}`;
}
