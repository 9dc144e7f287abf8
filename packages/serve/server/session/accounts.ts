import { timestamp } from '@tiphys/kubernetes';
import { Code, RpcError } from '../rpc/rpc-error.ts';
import type { ControlPlane } from '../settings/control-plane.ts';

export type Capability = 'login' | 'apiKey';

/** An API token of an account; the token itself is never stored. */
export interface AccountToken {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly iat: number;
  /** Seconds since the epoch; 0 or absent if it does not expire. */
  readonly exp?: number;
}

/** A local account. */
export interface Account {
  readonly name: string;
  readonly enabled: boolean;
  readonly capabilities: readonly Capability[];
  readonly passwordHash: string;
  /** Seconds since the epoch; 0 if the password was never changed. */
  readonly passwordChangedAt: number;
  readonly tokens: readonly AccountToken[];
}

/** What passwords must look like where `passwordPattern` of argocd-cm says nothing. */
export const defaultPasswordPattern = '^.{8,32}$';

/** Local accounts as `argocd-cm` (`accounts.NAME`, `admin.enabled`) and `argocd-secret` declare them. */
export class Accounts {
  readonly #plane: ControlPlane;

  constructor(plane: ControlPlane) {
    this.#plane = plane;
  }

  async list(): Promise<Account[]> {
    const [config, secret] = await Promise.all([
      this.#plane.configMap('argocd-cm'),
      this.#plane.secret('argocd-secret'),
    ]);
    const names = new Set(['admin']);
    for (const key of Object.keys(config)) {
      const name = /^accounts\.([^.]+)(?:\.enabled)?$/.exec(key)?.[1];
      if (name) names.add(name);
    }
    return [...names].map((name) => accountOf(name, config, secret));
  }

  /** Throws NotFound, with Argo CD's words. */
  async get(name: string): Promise<Account> {
    const account = (await this.list()).find((candidate) => candidate.name === name);
    if (!account) throw new RpcError(Code.NotFound, `account '${name}' does not exist`);
    return account;
  }

  async setPassword(name: string, hash: string, now: number): Promise<void> {
    await this.#plane.change('Secret', 'argocd-secret', (data) => ({
      ...data,
      [`${prefix(name)}.password`]: hash,
      [`${prefix(name)}.passwordMtime`]: timestamp(now),
    }));
  }

  /** Replaces the tokens of an account by what `change` makes of them, under optimistic locking. */
  async changeTokens(
    name: string,
    change: (tokens: readonly AccountToken[]) => readonly AccountToken[],
  ): Promise<void> {
    const key = `${prefix(name)}.tokens`;
    await this.#plane.change('Secret', 'argocd-secret', (data) => ({
      ...data,
      [key]: JSON.stringify(change(parseTokens(data[key]))),
    }));
  }
}

function prefix(name: string): string {
  return name === 'admin' ? 'admin' : `accounts.${name}`;
}

function accountOf(name: string, config: Record<string, string>, secret: Record<string, string>): Account {
  const declared = config[`accounts.${name}`];
  const own = config[`accounts.${name}.enabled`];
  const enabled = name === 'admin' ? (config['admin.enabled'] ?? own) : own;
  const changedAt = Date.parse(secret[`${prefix(name)}.passwordMtime`] ?? '');
  const capabilities = (declared ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item): item is Capability => item === 'login' || item === 'apiKey');
  return {
    name,
    enabled: isEnabled(enabled, name),
    capabilities: name === 'admin' ? [...new Set<Capability>(['login', ...capabilities])] : capabilities,
    passwordHash: secret[`${prefix(name)}.password`] ?? '',
    passwordChangedAt: Number.isNaN(changedAt) ? 0 : Math.floor(changedAt / 1000),
    tokens: parseTokens(secret[`${prefix(name)}.tokens`]),
  };
}

/** As Go's ParseBool. A value that is none locks an account rather than leaving it open; admin alone stays, as in Argo CD. */
function isEnabled(text: string | undefined, name: string): boolean {
  if (text === undefined) return true;
  if (/^(0|f|F|false|False|FALSE)$/.test(text.trim())) return false;
  return name === 'admin' || /^(1|t|T|true|True|TRUE)$/.test(text.trim());
}

/** A list that cannot be read has no valid token; it must not keep others from logging in. */
function parseTokens(text: string | undefined): AccountToken[] {
  if (!text) return [];
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
  if (!Array.isArray(parsed)) return [];
  return (parsed as AccountToken[]).filter((token) => typeof token?.id === 'string' && typeof token.iat === 'number');
}
