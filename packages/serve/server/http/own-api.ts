import type { Call } from '../rpc/call.ts';
import { restDetails } from '../rpc/error-details.ts';
import type { Admit } from '../rpc/grpc.ts';
import { httpStatusOf, rpcErrorOf } from '../rpc/rpc-error.ts';
import { sendCompressed } from './compressed.ts';
import { type HttpRequest, type HttpResponse, isGone, sendJson, write } from './http-message.ts';

/** Answers a GET of our own API with what `read` gives, as JSON; `method` is that of Argo CD whose callers may read it. */
export function serveOwn(
  request: HttpRequest,
  response: HttpResponse,
  admit: Admit,
  method: string,
  read: (call: Call) => Promise<unknown>,
): Promise<void> {
  return answerOwn(request, response, admit, method, ['GET'], read);
}

/** The same for other verbs. Browsers cannot send JSON from other origins, which is what keeps them from forging a POST. */
export async function answerOwn(
  request: HttpRequest,
  response: HttpResponse,
  admit: Admit,
  method: string,
  verbs: readonly ('GET' | 'POST')[],
  read: (call: Call) => Promise<unknown>,
): Promise<void> {
  const abort = new AbortController();
  response.on('close', () => abort.abort());
  try {
    if (!(verbs as readonly string[]).includes(request.method ?? ''))
      return sendJson(response, 405, { error: 'Method Not Allowed', code: 12 });
    if (request.method === 'POST' && !request.headers['content-type']?.startsWith('application/json'))
      return sendJson(response, 415, { error: 'Invalid content type', code: 3 });
    const header = (name: string) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value[0] : value;
    };
    const answer = await read(await admit({ path: method, header, signal: abort.signal }));
    await sendCompressed(request, response, JSON.stringify(answer));
  } catch (error) {
    sendRefusal(response, error);
  }
}

/** Answers a GET with server-sent events that `send` writes; it ends when the caller's signal is aborted, or the caller is gone. */
export async function streamOwn(
  request: HttpRequest,
  response: HttpResponse,
  admit: Admit,
  method: string,
  send: (call: Call) => Promise<void>,
): Promise<void> {
  const abort = new AbortController();
  response.on('close', () => abort.abort());
  let keepAlive: ReturnType<typeof setInterval> | undefined;
  try {
    if (request.method !== 'GET') return sendJson(response, 405, { error: 'Method Not Allowed', code: 12 });
    const header = (name: string) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value[0] : value;
    };
    const call = await admit({ path: method, header, signal: abort.signal });
    if (isGone(response)) return;
    response.setHeader('Content-Type', 'text/event-stream');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cache-Control', 'no-cache');
    await write(response, ':\n\n');
    keepAlive = setInterval(() => void write(response, ':\n\n'), 15_000);
    await send(call);
    response.end();
  } catch (error) {
    if (response.headersSent) response.end();
    else sendRefusal(response, error);
  } finally {
    clearInterval(keepAlive);
  }
}

function sendRefusal(response: HttpResponse, error: unknown): void {
  const refused = rpcErrorOf(error);
  const { code, message } = refused;
  const details = restDetails(refused);
  sendJson(response, httpStatusOf(code), { error: message, code, message, ...(details.length > 0 ? { details } : {}) });
}
