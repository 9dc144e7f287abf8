import type { ServerContext } from '../../context/server-context.ts';
import type { Log } from '../../ports/log.ts';
import type { Admit } from '../../rpc/grpc.ts';
import { externalUrl } from '../../transport/external-url.ts';
import { type HttpRequest, type HttpResponse, sendJson } from '../../transport/http-message.ts';
import { dexProxy } from './dex-proxy.ts';
import { serveLogout } from './logout.ts';
import { SsoLogin } from './sso-login.ts';

export interface SignOnRoutesOptions {
  readonly context: Pick<ServerContext, 'plane' | 'clock' | 'sessions' | 'sso'>;
  readonly log: Log;
  readonly admit: Admit;
  /** Whether requests come over TLS. */
  readonly tls: boolean;
  /** Path of the web page; absent if there is none. */
  readonly page: () => string | undefined;
  /** Base URL of Dex. */
  readonly dexServer: string;
}

/** Serves `/auth/login`, `/auth/callback`, `/auth/logout` and `/api/dex`; answers undefined for other paths. */
export function signOnRoutes({ context, log, admit, tls, page, dexServer }: SignOnRoutesOptions) {
  const { plane, clock, sessions, sso } = context;
  const login = new SsoLogin({ sso, plane, clock, log, secure: tls, page: () => page() ?? '/' });
  const dex = dexProxy(dexServer, () => page() ?? '/', log);
  return (path: string, request: HttpRequest, response: HttpResponse): Promise<void> | undefined => {
    if (path === '/auth/login') return login.login(request, response);
    if (path === '/auth/callback') return login.callback(request, response);
    if (path === '/auth/logout')
      return serveLogout(request, response, { admit, sessions, sso, plane, page: page(), secure: tls });
    if (path !== '/api/dex' && !path.startsWith('/api/dex/')) return undefined;
    const configured = Boolean(plane.configMap('argocd-cm')['dex.config']?.trim());
    if (configured) dex(request, response);
    else sendJson(response, 404, { error: 'dex.config is not set', code: 5, message: 'dex.config is not set' });
    return Promise.resolve();
  };
}

/** Whether cookies of an answer are for TLS alone: this server speaks it, or the proxy under whose address it is reached. */
export function secureCookies(
  config: Readonly<Record<string, string>>,
  request: Pick<HttpRequest, 'headers' | 'url'>,
  tls: boolean,
): boolean {
  if (tls) return true;
  const host = String(request.headers.host ?? request.headers[':authority'] ?? '');
  const address = externalUrl(config, { host, path: request.url ?? '/', secure: false });
  return address !== undefined && new URL(address).host === host && address.startsWith('https:');
}
