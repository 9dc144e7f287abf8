import type { ServerContext } from '../context/server-context.ts';
import { sendCompressed } from '../http/compressed.ts';
import type { Call } from '../rpc/call.ts';
import { restDetails } from '../rpc/error-details.ts';
import type { Admit } from '../rpc/grpc.ts';
import { httpStatusOf, rpcErrorOf } from '../rpc/rpc-error.ts';
import { type HttpRequest, type HttpResponse, isGone, sendJson, write } from '../transport/http-message.ts';

/** A request that our own API may answer. */
export interface OwnRequest {
  /** Its target without the query. */
  readonly path: string;
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly admit: Admit;
}

/** Answers what is below its paths; undefined for others. */
export type OwnEndpoint = (asked: OwnRequest, context: ServerContext) => Promise<void> | undefined;

/** Answers a GET of our own API with what `read` gives, as JSON; `method` is that of Argo CD whose callers may read it. */
export function serveOwn(asked: OwnRequest, method: string, read: (call: Call) => Promise<unknown>): Promise<void> {
  return answer(asked, { verb: 'GET', method }, read);
}

/** The same for a POST. Browsers cannot send JSON from other origins, which is what keeps them from forging one. */
export function postOwn(asked: OwnRequest, method: string, act: (call: Call) => Promise<unknown>): Promise<void> {
  return answer(asked, { verb: 'POST', method }, act);
}

/** The same for a PUT, which browsers do not send to other origins without asking. */
export function putOwn(asked: OwnRequest, method: string, act: (call: Call) => Promise<unknown>): Promise<void> {
  return answer(asked, { verb: 'PUT', method }, act);
}

async function answer(asked: OwnRequest, wanted: Wanted, answered: (call: Call) => Promise<unknown>): Promise<void> {
  const { request, response } = asked;
  try {
    const call = await admitted(asked, wanted);
    if (call) await sendCompressed(request, response, JSON.stringify(await answered(call)));
  } catch (error) {
    sendRefusal(response, error);
  }
}

/** Answers a GET with server-sent events that `send` writes; it ends when the caller's signal is aborted, or the caller is gone. */
export async function streamOwn(asked: OwnRequest, method: string, stream: Stream | Stream['send']): Promise<void> {
  const { before, send } = typeof stream === 'function' ? { send: stream } : stream;
  const { response } = asked;
  let keepAlive: ReturnType<typeof setInterval> | undefined;
  try {
    const call = await admitted(asked, { verb: 'GET', method });
    if (!call || isGone(response)) return;
    await before?.(call);
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

export interface Stream {
  /** Whether there is anything for the caller: what it throws is reported as a refusal, not as a stream that ends. */
  readonly before?: (call: Call) => Promise<void>;
  readonly send: (call: Call) => Promise<void>;
}

interface Wanted {
  readonly verb: 'GET' | 'POST' | 'PUT';
  readonly method: string;
}

/** Who calls; undefined if the request was refused for its form, and answered. */
async function admitted({ request, response, admit }: OwnRequest, { verb, method }: Wanted): Promise<Call | undefined> {
  const abort = new AbortController();
  response.on('close', () => abort.abort());
  if (request.method !== verb) {
    sendJson(response, 405, { error: 'Method Not Allowed', code: 12 });
    return undefined;
  }
  if (verb === 'POST' && !request.headers['content-type']?.startsWith('application/json')) {
    sendJson(response, 415, { error: 'Invalid content type', code: 3 });
    return undefined;
  }
  const header = (name: string) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  return await admit({ path: method, header, signal: abort.signal });
}

function sendRefusal(response: HttpResponse, error: unknown): void {
  const refused = rpcErrorOf(error);
  const { code, message } = refused;
  const details = restDetails(refused);
  sendJson(response, httpStatusOf(code), { error: message, code, message, ...(details.length > 0 ? { details } : {}) });
}
