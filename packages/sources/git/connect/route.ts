import type { Credentials } from '../repository/credentials.ts';
import { isExempt } from './git-environment.ts';

/** A proxy on the way to a host. */
export interface ProxyHop {
  readonly host: string;
  readonly port: number;
  /** `http://proxy:3128`, without user and password. */
  readonly display: string;
  /** The setting that chose it, for people. */
  readonly setBy: string;
}

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** The proxy that requests to a host go through: the repository's own, else that of the environment; undefined for none. */
export function proxyHop(
  target: { readonly secure: boolean; readonly host: string },
  credentials: Pick<Credentials, 'proxy' | 'noProxy'>,
  environment: NodeJS.ProcessEnv = process.env,
): ProxyHop | undefined {
  if (credentials.proxy)
    return isExempt(target.host, credentials.noProxy) ? undefined : hopOf(credentials.proxy, 'proxy of the repository');
  // as curl and Node both read them: an upper-case HTTP_PROXY is not believed by curl, and is by Node
  const names = target.secure ? ['HTTPS_PROXY', 'https_proxy'] : ['HTTP_PROXY', 'http_proxy'];
  const name = names.find((each) => environment[each]);
  if (!name || isExempt(target.host, environment.NO_PROXY ?? environment.no_proxy)) return undefined;
  return hopOf(environment[name] ?? '', `${name} of the environment`);
}

function hopOf(proxy: string, setBy: string): ProxyHop | undefined {
  const text = proxy.includes('://') ? proxy : `http://${proxy}`;
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port } = new URL(text);
  const host = hostname.replace(/^\[|\]$/g, '');
  const number = Number(port) || (defaultPorts[protocol] ?? 1080);
  return { host, port: number, display: `${protocol}//${hostname}:${number}`, setBy };
}
