import type { ServerContext } from '../context/server-context.ts';
import type { Call } from '../rpc/call.ts';
import type { Identity } from '../rpc/identity.ts';
import { RpcError } from '../rpc/rpc-error.ts';
import { tokenOfCookies } from '../transport/cookies.ts';
import type { HttpRequest } from '../transport/http-message.ts';
import { TerminalRefusal } from './terminal-refusal.ts';

/** How a token stands while its terminal is open. */
export type Standing = 'valid' | 'replaced' | 'forbidden';

/** The token with which a terminal was opened; it is looked at again for as long as the terminal is open. */
export class SessionToken {
  readonly #context: Pick<ServerContext, 'sessions' | 'enforcer'>;
  readonly #token: string;
  readonly identity: Identity;
  /** A newer token for a browser whose own would end within minutes. */
  readonly renewed: string | undefined;

  private constructor(
    context: Pick<ServerContext, 'sessions' | 'enforcer'>,
    token: string,
    found: { identity: Identity; renewed: string | undefined },
  ) {
    this.#context = context;
    this.#token = token;
    this.identity = found.identity;
    this.renewed = found.renewed;
  }

  /** Of the cookie, or of `Authorization: Bearer`; throws a refusal. Nobody opens a terminal without one. */
  static async of(
    context: Pick<ServerContext, 'sessions' | 'enforcer'>,
    request: Pick<HttpRequest, 'headers'>,
  ): Promise<SessionToken> {
    const { authorization, cookie } = request.headers;
    const token = /^Bearer\s+(\S+)$/i.exec(authorization ?? '')?.[1] ?? tokenOfCookies(cookie);
    if (!token) throw new TerminalRefusal(400, 'Auth cookie not found');
    try {
      const found = await context.sessions.authenticate(token);
      return new SessionToken(context, found.renewed ?? token, found);
    } catch (error) {
      if (error instanceof RpcError) throw new TerminalRefusal(401, 'Invalid token');
      throw error;
    }
  }

  call({ headers }: Pick<HttpRequest, 'headers'>): Omit<Call, 'signal'> {
    const header = (name: string) => {
      const value = headers[name];
      return Array.isArray(value) ? value[0] : value;
    };
    return { method: '/terminal', identity: this.identity, token: this.#token, header };
  }

  /** Throws a refusal in Argo CD's words. */
  async assertPermitted(object: string): Promise<void> {
    try {
      const enforcer = await this.#context.enforcer();
      enforcer.enforce(this.identity, 'applications', 'get', object);
      enforcer.enforce(this.identity, 'exec', 'create', object);
    } catch (error) {
      if (error instanceof RpcError) throw new TerminalRefusal(401, error.message);
      throw error;
    }
  }

  /**
   * Looks again: `replaced` if the token has ended, was revoked, or a newer one is due, so that the browser has to come again;
   * `forbidden` if the permission was taken away (CVE-2023-40025, CVE-2024-41666).
   */
  async standing(object: string): Promise<Standing> {
    try {
      const { renewed, identity } = await this.#context.sessions.authenticate(this.#token);
      if (renewed) return 'replaced';
      const enforcer = await this.#context.enforcer();
      const may =
        enforcer.allows(identity, 'applications', 'get', object) && enforcer.allows(identity, 'exec', 'create', object);
      return may ? 'valid' : 'forbidden';
    } catch (error) {
      if (error instanceof RpcError) return 'replaced';
      throw error;
    }
  }
}
