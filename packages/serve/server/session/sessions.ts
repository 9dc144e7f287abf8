import { randomUUID } from 'node:crypto';
import type { Clock } from '@tiphys/kubernetes';
import { decodeJwt, errors, jwtVerify, SignJWT } from 'jose';
import { type Identity, projectRoleOf } from '../rpc/identity.ts';
import { Code, RpcError, unauthenticated } from '../rpc/rpc-error.ts';
import type { ControlPlane } from '../settings/control-plane.ts';
import { durationSeconds } from '../settings/duration.ts';
import type { PasswordHashes } from '../settings/password-hashes.ts';
import type { SingleSignOn } from '../sso/single-sign-on.ts';
import type { Accounts, Capability } from './accounts.ts';
import type { LoginThrottle } from './login-throttle.ts';
import type { Revocations } from './revocations.ts';

/** Of the tokens that we sign ourselves. */
export const localIssuer = 'argocd';
const revoked = 'invalid session: token is revoked, please re-login';
const invalidLogin = 'Invalid username or password';
/** A login that is refused takes at least this long, in milliseconds, whatever the reason. */
const refusalFloor = 250;
/** Logins that are looked at side by side, as ARGOCD_MAX_CONCURRENT_LOGIN_REQUESTS_COUNT: hashing costs time. */
const loginLimit = 50;

export interface SessionsOptions {
  readonly plane: ControlPlane;
  readonly accounts: Accounts;
  readonly passwords: PasswordHashes;
  readonly throttle: LoginThrottle;
  readonly revocations: Revocations;
  readonly clock: Clock;
  readonly sso: SingleSignOn;
  /** Whether a project's role still lists a token; throws or answers false if not. */
  readonly projectToken: (token: { project: string; role: string; issuedAt: number; id: string }) => Promise<boolean>;
}

/**
 * Signs and checks the tokens of local accounts and project roles (HS256, `server.secretkey`), as Argo CD does; tokens of
 * other issuers are left to single sign-on.
 */
export class Sessions {
  readonly #options: SessionsOptions;
  #logins = 0;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** Checks a password. Refusals say nothing about which part was wrong; locked names get ResourceExhausted. */
  async login(name: string, password: string): Promise<string> {
    if (name === '' || password === '') throw unauthenticated('no credentials supplied');
    if (Buffer.byteLength(name) > 32) throw new RpcError(Code.InvalidArgument, 'Username is too long (32 bytes max)');
    const { clock } = this.#options;
    if (this.#logins >= loginLimit)
      throw new RpcError(
        Code.ResourceExhausted,
        'Maximum number of concurrent login requests exceeded. Please try again later.',
      );
    this.#logins += 1;
    const started = clock.now();
    try {
      // who only waits for the floor takes nobody's place
      await this.#verifyPassword(name, password).finally(() => (this.#logins -= 1));
    } catch (error) {
      const rest = refusalFloor - (clock.now() - started);
      if (rest > 0) await clock.sleep(rest);
      throw error;
    }
    const config = this.#options.plane.configMap('argocd-cm');
    return await this.sign(
      `${name}:login`,
      durationSeconds(config['users.session.duration']) ?? 24 * 3600,
      randomUUID(),
    );
  }

  async #verifyPassword(name: string, password: string): Promise<void> {
    const { accounts, throttle } = this.#options;
    const account = (await accounts.list()).find((candidate) => candidate.name === name);
    const known = account !== undefined;
    const wait = await throttle.begin(name, known);
    if (wait > 0)
      throw new RpcError(
        Code.ResourceExhausted,
        Number.isFinite(wait)
          ? `too many failed logins for this user; try again in ${wait} seconds`
          : 'too many failed logins for this user',
      );
    let valid = false;
    try {
      valid = await this.#options.passwords.match(password, account?.passwordHash);
    } finally {
      await throttle.finish(name, known, valid);
    }
    if (!valid || !account) throw unauthenticated(invalidLogin);
    if (!account.enabled) throw unauthenticated(`Account ${name} is disabled`);
    if (!account.capabilities.includes('login'))
      throw unauthenticated(`Account ${name} does not have login capability`);
  }

  /** Whether the password is the account's; for confirmations by somebody who is logged in. Throttled like logins. */
  async confirm(name: string, password: string): Promise<boolean> {
    try {
      await this.#verifyPassword(name, password);
      return true;
    } catch (error) {
      if (error instanceof RpcError && error.code === Code.Unauthenticated) return false;
      throw error;
    }
  }

  /** A token; `seconds` 0 means that it does not expire. */
  async sign(
    subject: string,
    seconds: number,
    id: string,
    issuedAt = Math.floor(this.#options.clock.now() / 1000),
  ): Promise<string> {
    const token = new SignJWT({ jti: id })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer(localIssuer)
      .setSubject(subject)
      .setIssuedAt(issuedAt)
      .setNotBefore(issuedAt);
    if (seconds > 0) token.setExpirationTime(issuedAt + seconds);
    return await token.sign(await this.#key());
  }

  /**
   * Who a token speaks for, and a newer one to go on with where its own end is near. Throws Unauthenticated with the
   * reason, or Unavailable if its issuer cannot be asked.
   */
  async authenticate(token: string): Promise<{ identity: Identity; renewed: string | undefined }> {
    if (issuerOf(token) === localIssuer) {
      const identity = await this.#verifyLocal(token);
      return { identity, renewed: await this.#renew(identity) };
    }
    const found = await this.#options.sso.identify(token);
    if (this.#options.revocations.isRevoked(found.identity.id)) throw unauthenticated(revoked);
    return found;
  }

  async #verifyLocal(token: string): Promise<Identity> {
    const { accounts, revocations, clock } = this.#options;
    let claims: Awaited<ReturnType<typeof jwtVerify>>['payload'];
    try {
      ({ payload: claims } = await jwtVerify(token, await this.#key(), {
        algorithms: ['HS256'],
        issuer: localIssuer,
        currentDate: new Date(clock.now()),
      }));
    } catch (error) {
      if (error instanceof errors.JOSEError)
        throw unauthenticated(
          `invalid session: ${error.code === 'ERR_JWT_EXPIRED' ? 'token has expired, log in again' : error.message}`,
        );
      throw error;
    }
    const issuedAt = claims.iat ?? 0;
    const id = typeof claims.jti === 'string' ? claims.jti : '';
    const fields = { issuer: localIssuer, groups: [], issuedAt, expiresAt: claims.exp, id };
    const projectRole = projectRoleOf(claims.sub ?? '');
    if (projectRole) {
      if (!(await this.#options.projectToken({ ...projectRole, issuedAt, id })))
        throw unauthenticated('invalid session: the project role does not have this token');
      return { ...fields, subject: claims.sub as string, capability: 'apiKey' };
    }
    const [name = '', kind] = (claims.sub ?? '').split(':');
    const capability: Capability = kind === 'login' ? 'login' : 'apiKey';
    const account = (await accounts.list()).find((candidate) => candidate.name === name);
    if (!account) throw unauthenticated(`invalid session: account '${name}' does not exist`);
    if (!account.enabled) throw unauthenticated(`invalid session: account ${name} is disabled`);
    if (!account.capabilities.includes(capability))
      throw unauthenticated(`invalid session: account ${name} does not have '${capability}' capability`);
    if (!id)
      throw unauthenticated(
        'invalid session: token does not have a unique identifier (jti claim) and cannot be validated',
      );
    if (revocations.isRevoked(id)) throw unauthenticated(revoked);
    if (capability === 'login' && claims.exp === undefined)
      throw unauthenticated('invalid session: the token of a login must expire');
    if (capability === 'apiKey' && !account.tokens.some((known) => known.id === id))
      throw unauthenticated(`invalid session: account ${name} does not have token with id ${id}`);
    if (issuedAt < account.passwordChangedAt)
      throw unauthenticated('invalid session: account password has changed since token issued');
    return { ...fields, subject: name, capability };
  }

  /** A new token for a login whose own ends within five minutes; undefined as long as there is time. */
  async #renew({ capability, subject, issuedAt, expiresAt }: Identity): Promise<string | undefined> {
    if (capability !== 'login' || expiresAt === undefined || expiresAt - this.#options.clock.now() / 1000 >= 300)
      return undefined;
    return await this.sign(`${subject}:login`, expiresAt - issuedAt, randomUUID());
  }

  /** The token is refused from now on, by every replica. Tokens without an end are API keys, which are deleted instead. */
  async logout(identity: Identity, token: string): Promise<void> {
    const { revocations, sso } = this.#options;
    const successor = identity.issuer === localIssuer ? undefined : await sso.end(token);
    if (successor) await revocations.revoke(successor.id, successor.endsAt);
    if (identity.expiresAt !== undefined) await revocations.revoke(identity.id, identity.expiresAt);
  }

  async #key(): Promise<Uint8Array> {
    const secret = this.#options.plane.secret('argocd-secret');
    const key = secret['server.secretkey'];
    if (!key)
      throw new RpcError(
        Code.Internal,
        'Secret argocd-secret has no server.secretkey; restart the server to have one made',
      );
    return new TextEncoder().encode(key);
  }
}

/** As the token says; nothing is proved by it. Throws Unauthenticated for what is not a token. */
function issuerOf(token: string): string {
  try {
    return decodeJwt(token).iss ?? '';
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError)
      throw unauthenticated('invalid session: the token is not a JWT');
    throw error;
  }
}
