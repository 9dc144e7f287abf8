import { type HttpRequest, type HttpResponse, sendJson } from '@tiphys/server';

const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Argo Workflows' API, served by Tiphys</title></head>
<body>
<h1>Argo Workflows' API, served by Tiphys</h1>
<p>This port is for <code>argo</code> and other clients: <code>export ARGO_SERVER=HOST:PORT</code>. Workflows are shown on the page of <code>tiphys up</code>.</p>
</body>
</html>
`;

/** What a browser or a probe of health sees. */
export function welcomePage(request: HttpRequest, response: HttpResponse, frames = 'DENY'): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    sendJson(response, 405, { code: 12, message: 'Method Not Allowed' });
    return;
  }
  response.statusCode = 200;
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader('Content-Security-Policy', "default-src 'none'");
  response.setHeader('X-Content-Type-Options', 'nosniff');
  if (frames) response.setHeader('X-Frame-Options', frames);
  response.end(request.method === 'HEAD' ? '' : page);
}
