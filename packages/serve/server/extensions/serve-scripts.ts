import { sendCompressedText } from '../http/compressed.ts';
import type { HttpRequest, HttpResponse } from '../transport/http-message.ts';
import { sendPlain } from '../transport/plain-text.ts';
import type { ExtensionScripts } from './extension-scripts.ts';

/** `/extensions.js`: what the page runs of others. It is served before somebody logs in, like the page. */
export async function serveScripts(
  scripts: ExtensionScripts | undefined,
  request: HttpRequest,
  response: HttpResponse,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return sendPlain(response, 405, 'Method Not Allowed');
  const text = (await scripts?.text()) ?? '';
  response.setHeader('Content-Type', 'text/javascript; charset=utf-8');
  response.setHeader('Cache-Control', 'no-cache');
  if (request.method === 'HEAD') return void response.end();
  await sendCompressedText(request, response, text);
}
