import { badAnswer, misconfiguredProvider } from '../model/failures.ts';
import type { Authentication } from '../model/types.ts';
import { ask, parseJson } from './http.ts';

/**
 * The headers of a token by OAuth2's client credentials; none if no token URL is given. The client tells who it is by a header
 * and, if that is refused, by the form, as Go's client does.
 */
export async function oauth2Headers(
  oauth2: Authentication['oauth2'],
  request: { timeout: number; signal: AbortSignal; insecure?: boolean },
): Promise<Record<string, string>> {
  if (!oauth2?.tokenUrl) return {};
  const { tokenUrl, clientId, clientSecret, scopes = [] } = oauth2;
  if (!clientId || !clientSecret) throw misconfiguredProvider('missing mandatory parameter in metric for OAuth2 setup');
  const form = { grant_type: 'client_credentials', ...(scopes.length > 0 ? { scope: scopes.join(' ') } : {}) };
  const send = (fields: Record<string, string>, headers: Record<string, string>) =>
    ask({
      ...request,
      url: tokenUrl,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
    });
  const credentials = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`);
  let answer = await send(form, { authorization: `Basic ${credentials.toString('base64')}` });
  if (!isSuccess(answer.status)) answer = await send({ ...form, client_id: clientId, client_secret: clientSecret }, {});
  if (!isSuccess(answer.status)) throw badAnswer(`oauth2: cannot fetch token: ${answer.status}`);
  const token = parseJson(answer.text, 'oauth2: cannot parse json') as { access_token?: string; token_type?: string };
  if (!token.access_token) throw badAnswer('oauth2: server response missing access_token');
  const type = !token.token_type || token.token_type.toLowerCase() === 'bearer' ? 'Bearer' : token.token_type;
  return { authorization: `${type} ${token.access_token}` };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
