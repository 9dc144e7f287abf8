import { isIP } from 'node:net';
import { checkedAddresses, isUnresolved } from '@tiphys/outbound';
import type { Credentials } from '../repository/credentials.ts';
import type { RepositoryUrl } from '../repository/repository-url.ts';
import { isExempt } from './git-environment.ts';

/** Where a name leads for the time of one command of git. */
export interface PinnedAddress {
  /** As curl's `--resolve` has it. */
  readonly curl?: string;
  /** The address that ssh connects to, and by which name it looks for the host's key. */
  readonly ssh?: { readonly address: string; readonly alias: string };
}

/**
 * The address that git is to connect to: a name that means another address a moment later leads nowhere else. Throws for hosts at
 * addresses that are not connected to. Undefined where there is none to keep: where a proxy resolves names, and for `git:`. A name
 * that is not found is reported by git.
 */
export async function pinnedAddress(
  remote: RepositoryUrl,
  credentials: Credentials,
): Promise<PinnedAddress | undefined> {
  const { transport, host, port } = remote;
  if (transport === 'local' || isProxied(remote, credentials)) return undefined;
  const addresses = await checkedAddresses(host).catch((error: unknown) => {
    if (isUnresolved(error)) return [];
    throw error;
  });
  const [first] = addresses;
  if (isIP(host) || first === undefined) return undefined;
  // ssh tries one address alone, and networks without IPv6 are more frequent than those without IPv4
  const address = addresses.find((one) => isIP(one) === 4) ?? first;
  if (transport === 'ssh') return { ssh: { address, alias: port === 22 ? host : `[${host}]:${port}` } };
  if (!transport.startsWith('http')) return undefined;
  return { curl: `${host}:${port}:${addresses.map((one) => (isIP(one) === 6 ? `[${one}]` : one)).join(',')}` };
}

/** Whether git asks the host through a proxy, the repository's own or one of the environment. */
export function isProxied({ transport, host }: RepositoryUrl, { proxy, noProxy }: Credentials): boolean {
  const { env } = process;
  if (proxy) return !isExempt(host, noProxy);
  if (!transport.startsWith('http')) return false;
  const set = transport === 'https' ? (env.HTTPS_PROXY ?? env.https_proxy) : env.http_proxy;
  return Boolean(set ?? env.ALL_PROXY ?? env.all_proxy) && !isExempt(host, env.NO_PROXY ?? env.no_proxy);
}
