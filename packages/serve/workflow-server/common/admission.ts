import { type Client, type ClusterConfig, isForbidden, isUnauthorized, type KubeObject } from '@tiphys/kubernetes';
import { type Admit, Code, RpcError } from '@tiphys/server';
import type { Claims, FlowCall } from './caller.ts';
import { claimsOfToken } from './claims.ts';

export type AuthMode = 'client' | 'server' | 'sso';

/** What tokens of sessions begin with. */
export const sessionPrefix = 'Bearer v2:';

/** Users whom the server itself knows, by single sign-on. */
export interface SignedOnUsers {
  /** Rights depend on the namespace that is asked for. */
  readonly delegates: boolean;
  /** Who a session's token speaks for. Throws Unauthenticated. */
  claimsOf(authorization: string): Promise<Claims>;
  /** Throws PermissionDenied for who has none; without `authorization` they are those of the server. */
  rightsOf(claims: Claims, namespace: string): Promise<{ claims: Claims; authorization: string | undefined }>;
}

export interface AdmissionOptions {
  readonly modes: ReadonlySet<AuthMode>;
  readonly own: Client;
  /** How the server reaches the cluster; who it is there comes from each caller. */
  readonly config: ClusterConfig;
  readonly connect: (config: ClusterConfig) => Client;
  /** For tokens of single sign-on. */
  readonly sso?: SignedOnUsers | undefined;
  readonly now: () => number;
}

interface Known {
  readonly client: Client;
  readonly claims: Claims | undefined;
  readonly until: number;
}

interface Caller {
  readonly client: Client;
  readonly claims: Claims | undefined;
  readonly token: string;
  /** Rights are still to be found out for this user. */
  readonly user?: Claims;
}

/** How long a token that the cluster knew is not asked about again; milliseconds. */
const trusted = 60_000;
/** How many callers are remembered. */
const most = 200;

/** Finds out who calls: the token of the header, else those of cookies, and which of the modes takes it. */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #known = new Map<string, Promise<Known>>();
  #stranger: Client | undefined;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  readonly admit: Admit = async ({ path, header, headers = () => ({}), signal }): Promise<FlowCall> => {
    const callOf = ({ client, claims, token, user }: Caller): FlowCall => ({
      method: path,
      identity: {
        subject: claims?.subject ?? 'anonymous',
        issuer: claims?.issuer ?? '',
        groups: claims?.groups ?? [],
        issuedAt: 0,
        expiresAt: undefined,
        id: '',
        capability: 'apiKey',
      },
      signal,
      token,
      header,
      client: client.as({ component: 'server', purpose: path.split('/').at(-1) ?? '' }),
      claims,
      headers,
      ...(user ? { inNamespace: async (namespace) => callOf(await this.#withRights(user, token, namespace)) } : {}),
    });
    return callOf(await this.#caller(header));
  };

  async #caller(header: (name: string) => string | undefined): Promise<Caller> {
    const { modes, own, sso } = this.#options;
    const offered = tokensOf(header);
    for (const token of offered.length > 0 ? offered : ['']) {
      if (modes.has('sso') && sso && token.startsWith(sessionPrefix)) return await this.#signedOn(sso, token);
      if (modes.has('client') && /^(Bearer|Basic) /.test(token)) return { ...(await this.#clientOf(token)), token };
      if (modes.has('server')) return { client: own, claims: undefined, token };
    }
    throw new RpcError(
      Code.Unauthenticated,
      modes.has('sso')
        ? 'token not valid. Log in at /oauth2/redirect with a browser; the page that follows has the token for clients'
        : 'token not valid. Send one with the header Authorization: Bearer TOKEN; `argo auth token` prints that of your kubeconfig',
    );
  }

  async #signedOn(sso: SignedOnUsers, token: string): Promise<Caller> {
    const claims = await sso.claimsOf(token);
    if (!sso.delegates) return await this.#withRights(claims, token, '');
    // until the namespace is known, nobody
    this.#stranger ??= this.#options.connect(identityless(this.#options.config));
    return { client: this.#stranger, claims, token, user: claims };
  }

  async #withRights(user: Claims, token: string, namespace: string): Promise<Caller> {
    const { claims, authorization } = await (this.#options.sso as SignedOnUsers).rightsOf(user, namespace);
    if (!authorization) return { client: this.#options.own, claims, token };
    return { client: (await this.#clientOf(authorization)).client, claims, token };
  }

  /** The cluster is asked who the token belongs to before anything else is read. */
  async #clientOf(authorization: string): Promise<Known> {
    const now = this.#options.now();
    const known = this.#known.get(authorization);
    if (known) {
      const found = await known;
      if (found.until > now) return found;
      this.#forget(authorization, found.client);
    }
    const asked = this.#ask(authorization, now);
    this.#known.set(authorization, asked);
    asked.catch(() => this.#known.delete(authorization));
    this.#trim();
    return asked;
  }

  async #ask(authorization: string, now: number): Promise<Known> {
    const { config, connect } = this.#options;
    const client = connect({ ...identityless(config), ...identityOf(authorization) });
    try {
      const review = await client.create<KubeObject>({
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'SelfSubjectReview',
        metadata: {},
      });
      const info = (review.status as { userInfo?: { username?: string; groups?: string[] } } | undefined)?.userInfo;
      // a cluster that lets strangers in calls them so
      if (info?.username === 'system:anonymous') throw unauthorized();
      return { client, claims: claimsOfToken(authorization, info), until: now + trusted };
    } catch (error) {
      // whoever may not even ask who they are is somebody, unless the cluster took them for a stranger
      const isStranger = error instanceof Error && error.message.includes('system:anonymous');
      if (isForbidden(error) && !isStranger)
        return { client, claims: claimsOfToken(authorization, undefined), until: now + trusted };
      await client.close();
      throw isUnauthorized(error) || isStranger ? unauthorized() : error;
    }
  }

  #trim(): void {
    for (const [authorization, each] of this.#known) {
      if (this.#known.size <= most) return;
      this.#known.delete(authorization);
      each.then(
        ({ client }) => this.#closeLater(client),
        () => undefined,
      );
    }
  }

  #forget(authorization: string, client: Client): void {
    this.#known.delete(authorization);
    this.#closeLater(client);
  }

  /** Requests that are under way, such as those of logs, may end first. */
  #closeLater(client: Client): void {
    setTimeout(() => void client.close(), 600_000).unref();
  }

  async close(): Promise<void> {
    await this.#stranger?.close();
    for (const each of this.#known.values())
      await each.then(
        ({ client }) => client.close(),
        () => undefined,
      );
  }
}

function unauthorized(): RpcError {
  return new RpcError(Code.Unauthenticated, 'Unauthorized');
}

function tokensOf(header: (name: string) => string | undefined): string[] {
  const authorization = header('authorization');
  if (authorization) return [authorization];
  return (header('cookie') ?? header('grpcgateway-cookie') ?? '').split(';').flatMap((each) => {
    const [name = '', ...rest] = each.trim().split('=');
    const value = rest.join('=').replace(/^"|"$/g, '');
    return name === 'authorization' && value ? [value] : [];
  });
}

/** The way to the cluster without who the server is there. */
function identityless({ server, name, tls, proxyUrl, namespace }: ClusterConfig): ClusterConfig {
  const { ca, serverName, insecure } = tls ?? {};
  return {
    server,
    ...(name ? { name } : {}),
    tls: { ...(ca ? { ca } : {}), ...(serverName ? { serverName } : {}), ...(insecure ? { insecure } : {}) },
    ...(proxyUrl ? { proxyUrl } : {}),
    ...(namespace ? { namespace } : {}),
  };
}

function identityOf(authorization: string): Partial<ClusterConfig> {
  const [scheme = '', value = ''] = authorization.split(' ');
  if (scheme === 'Bearer') return { bearerToken: value.trim() };
  const [username = '', ...password] = Buffer.from(value, 'base64').toString('utf8').split(':');
  return { username, password: password.join(':') };
}
