import type { Call } from '../rpc/call.ts';
import type { Admit } from '../rpc/grpc.ts';
import { httpStatusOf, rpcErrorOf } from '../rpc/rpc-error.ts';
import { type HttpRequest, type HttpResponse, sendJson } from './http-message.ts';

/** Answers a GET of our own API with what `read` gives, as JSON; `method` is that of Argo CD whose callers may read it. */
export async function serveOwn(
  request: HttpRequest,
  response: HttpResponse,
  admit: Admit,
  method: string,
  read: (call: Call) => Promise<unknown>,
): Promise<void> {
  const abort = new AbortController();
  response.on('close', () => abort.abort());
  try {
    if (request.method !== 'GET') return sendJson(response, 405, { error: 'Method Not Allowed', code: 12 });
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
