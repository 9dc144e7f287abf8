import { parseYaml } from '@tiphys/yaml';

type Config = Readonly<Record<string, string>>;

/** `url` and `additionalUrls` of argocd-cm that are http(s) URLs, without slashes at their end. */
export function configuredUrls(config: Config): string[] {
  let additional: unknown;
  try {
    additional = config.additionalUrls ? parseYaml(config.additionalUrls) : [];
  } catch {
    // an address that cannot be read is one that nobody is sent to
    additional = [];
  }
  return [config.url, ...(Array.isArray(additional) ? (additional as unknown[]) : [])]
    .filter((text): text is string => typeof text === 'string' && URL.canParse(text))
    .filter((text) => /^https?:$/.test(new URL(text).protocol))
    .map((text) => text.replace(/(?<!\/)\/+$/, ''));
}

/**
 * The address under which the user who sent a request reaches this server: the configured one of the same host and path,
 * else `url`. Where none is configured, the host of the request if it is this machine itself; other hosts are not
 * believed, since the sender chose them.
 */
export function externalUrl(
  config: Config,
  request: { host: string; path: string; secure: boolean },
): string | undefined {
  const urls = configuredUrls(config);
  const own = urls.find((text) => {
    const { host, pathname } = new URL(text);
    return host === request.host && (pathname === '/' || `${request.path}/`.startsWith(`${pathname}/`));
  });
  if (own ?? urls[0]) return own ?? urls[0];
  const local = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(request.host);
  return local ? `${request.secure ? 'https' : 'http'}://${request.host}` : undefined;
}

/**
 * Whether a browser may be sent to an address after it logged in or out: a path on this server, or an address below one
 * of `allowed` (scheme, host and port the same).
 */
export function isOwnAddress(target: string, allowed: readonly string[]): boolean {
  if (/[\u0000-\u0020\\\u007f]/.test(target)) return false;
  if (target.startsWith('/')) return !target.startsWith('//');
  if (!URL.canParse(target)) return false;
  const { origin, pathname, username } = new URL(target);
  if (username) return false;
  return allowed.some((text) => {
    const base = new URL(text);
    return base.origin === origin && `${pathname}/`.startsWith(`${base.pathname.replace(/(?<!\/)\/+$/, '')}/`);
  });
}
