import { isIP } from 'node:net';
import { checkedAddresses } from '@tiphys/outbound';
import type { Credentials } from './credentials.ts';
import { isExempt } from './git-environment.ts';
import type { RepositoryUrl } from './repository-url.ts';

/**
 * The address that git is to connect to, as curl's `--resolve` has it: a name that means another address a moment later leads
 * nowhere else. Throws for hosts at addresses that are not connected to. Undefined where there is none to keep: for SSH, and where a
 * proxy resolves names. A name that is not found is told by git.
 */
export async function pinnedAddress(remote: RepositoryUrl, credentials: Credentials): Promise<string | undefined> {
  const { transport, host, port } = remote;
  if (transport === 'local' || isProxied(remote, credentials)) return undefined;
  const addresses = await checkedAddresses(host).catch((error: unknown) => {
    if (['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  });
  if (!transport.startsWith('http') || isIP(host) || addresses.length === 0) return undefined;
  return `${host}:${port}:${addresses.map((address) => (isIP(address) === 6 ? `[${address}]` : address)).join(',')}`;
}

function isProxied({ transport, host }: RepositoryUrl, { proxy, noProxy }: Credentials): boolean {
  const { env } = process;
  if (proxy) return !isExempt(host, noProxy);
  if (!transport.startsWith('http')) return false;
  const set = transport === 'https' ? (env.HTTPS_PROXY ?? env.https_proxy) : env.http_proxy;
  return Boolean(set ?? env.ALL_PROXY ?? env.all_proxy) && !isExempt(host, env.NO_PROXY ?? env.no_proxy);
}
