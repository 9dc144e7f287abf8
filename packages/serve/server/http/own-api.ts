import type { Call } from '../rpc/call.ts';
import type { Admit } from '../rpc/grpc.ts';
import { httpStatusOf, rpcErrorOf } from '../rpc/rpc-error.ts';
import { type HttpRequest, type HttpResponse, sendJson } from './http-message.ts';

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
    sendJson(response, 200, await read(await admit({ path: method, header, signal: abort.signal })));
  } catch (error) {
    const { code, message } = rpcErrorOf(error);
    sendJson(response, httpStatusOf(code), { error: message, code, message });
  }
}
