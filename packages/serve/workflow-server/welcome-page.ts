import { type HttpRequest, type HttpResponse, sendJson } from '@tiphys/server';

export interface Welcome {
  /** X-Frame-Options; `DENY` if absent. */
  readonly frames?: string | undefined;
  /** Where users log in, and who has. Absent without single sign-on. */
  readonly user?: { readonly login: string; readonly name?: string; readonly token?: string } | undefined;
}

const page = (more: string) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Argo Workflows' API, served by Tiphys</title></head>
<body>
<h1>Argo Workflows' API, served by Tiphys</h1>
<p>This port is for <code>argo</code> and other clients: <code>export ARGO_SERVER=HOST:PORT</code>. Workflows are shown on the page of <code>tiphys up</code>.</p>
${more}</body>
</html>
`;

/** What a browser or a probe of health sees. */
export function welcomePage(
  request: HttpRequest,
  response: HttpResponse,
  { frames = 'DENY', user }: Welcome = {},
): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    sendJson(response, 405, { code: 12, message: 'Method Not Allowed' });
    return;
  }
  response.statusCode = 200;
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader('Content-Security-Policy', "default-src 'none'");
  response.setHeader('X-Content-Type-Options', 'nosniff');
  // a token is on the page: no other site's frame, no cache
  const shown = user?.token ? 'DENY' : frames;
  if (shown) response.setHeader('X-Frame-Options', shown);
  if (user) response.setHeader('Cache-Control', 'no-store');
  response.end(request.method === 'HEAD' ? '' : page(userText(user)));
}

function userText(user: Welcome['user']): string {
  if (!user) return '';
  const { login, name, token } = user;
  if (name === undefined || token === undefined) return `<p><a href="${escaped(login)}">Log in</a></p>\n`;
  return `<p>Logged in as ${escaped(name)}. For clients:</p>
<pre>export ARGO_TOKEN='${escaped(token)}'</pre>
<p><a href="${escaped(login)}">Log in again</a></p>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
