import type { Admit } from '../../rpc/grpc.ts';
import { localIssuer, type Sessions } from '../../session/sessions.ts';
import type { ControlPlane } from '../../settings/control-plane.ts';
import type { SingleSignOn } from '../../sso/single-sign-on.ts';
import { removedCookies } from '../../transport/cookies.ts';
import { externalUrl } from '../../transport/external-url.ts';
import type { HttpRequest, HttpResponse } from '../../transport/http-message.ts';

export interface LogoutOptions {
  readonly admit: Admit;
  readonly sessions: Sessions;
  readonly sso: SingleSignOn;
  readonly plane: ControlPlane;
  /** Path of the web page; without one the answer is text. */
  readonly page: string | undefined;
  readonly secure: boolean;
}

/**
 * `/auth/logout`: revokes the session's token, takes the cookies away and sends the browser to the page, or to the
 * provider's `logoutURL` for users who came from there.
 */
export async function serveLogout(
  request: HttpRequest,
  response: HttpResponse,
  { admit, sessions, sso, plane, page, secure }: LogoutOptions,
): Promise<void> {
  const header = (name: string) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  const { identity, token } = await admit({
    path: '/session.SessionService/Delete',
    header,
    signal: AbortSignal.timeout(10_000),
  });
  if (identity && token) await sessions.logout(identity, token);
  response.setHeader('Set-Cookie', removedCookies(header('cookie'), secure));
  response.setHeader('Cache-Control', 'no-store');
  const atProvider = identity && identity.issuer !== localIssuer ? sso.settings()?.logoutUrl : undefined;
  const address =
    externalUrl(plane.configMap('argocd-cm'), {
      host: header('host') ?? header(':authority') ?? '',
      path: (request.url ?? '/').split('?')[0] as string,
      secure,
    }) ?? '';
  const target = atProvider
    ?.replaceAll('{{token}}', () => encodeURIComponent(token ?? ''))
    .replaceAll('{{logoutRedirectURL}}', () => encodeURIComponent(address));
  if (target === undefined && page === undefined) return void response.end('logged out\n');
  response.statusCode = 303;
  response.setHeader('Location', target ?? (address || (page as string)));
  response.end();
}
