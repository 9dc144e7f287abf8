import type { Admit } from '../rpc/grpc.ts';
import type { Sessions } from '../session/sessions.ts';
import { tokenCookies } from './cookies.ts';
import type { HttpRequest, HttpResponse } from './gateway.ts';

/** `/auth/logout`: revokes the session's token, takes the cookie away and sends the browser to the page, if there is one. */
export async function serveLogout(
  request: HttpRequest,
  response: HttpResponse,
  admit: Admit,
  sessions: Sessions,
  page: string | undefined,
): Promise<void> {
  const header = (name: string) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  const { identity } = await admit({
    path: '/session.SessionService/Delete',
    header,
    signal: AbortSignal.timeout(10_000),
  });
  if (identity) await sessions.logout(identity);
  response.setHeader('Set-Cookie', tokenCookies('', false));
  if (page === undefined) return void response.end('logged out\n');
  response.statusCode = 303;
  response.setHeader('Location', page);
  response.end();
}
