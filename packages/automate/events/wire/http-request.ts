import { Buffer } from 'node:buffer';
import { type IncomingMessage, request as plainRequest, type RequestOptions } from 'node:http';
import { request as secureRequest } from 'node:https';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { guarded } from '@tiphys/outbound';
import type { TlsOptions } from './tls.ts';

const requestFailed = defineDiagnosis('EventsRequestFailed', 'A request of an event source or a trigger got no answer');

export interface OutgoingRequest {
  readonly url: string;
  readonly method: string;
  /** Sent with the names as they are written. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string | Uint8Array;
  /** Milliseconds for the whole exchange. */
  readonly timeout: number;
  readonly tls?: TlsOptions;
  readonly signal: AbortSignal;
}

export interface IncomingAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const mostRedirects = 10;
const longestAnswer = 4 * 1024 * 1024;
/** What may be sent twice without harm, as Go's client has it; others with an idempotency key alone. */
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);
const closings = new Set(['ECONNRESET', 'EPIPE']);

/** Sends a request and follows redirects as Go's client does. Throws a diagnosis if there is no answer. */
export async function sendRequest(request: OutgoingRequest): Promise<IncomingAnswer> {
  const limit = new Limit(request);
  try {
    return await followed(request, limit);
  } finally {
    limit.release();
  }
}

async function followed(request: OutgoingRequest, limit: Limit): Promise<IncomingAnswer> {
  let current = request;
  for (let left = mostRedirects; ; left--) {
    const answer = await exchange(current, limit);
    const { location } = answer.headers;
    if (![301, 302, 303, 307, 308].includes(answer.status) || !location || left === 0) return answer;
    const url = new URL(location, current.url).href;
    const keeps = answer.status >= 307 || ['GET', 'HEAD'].includes(current.method);
    const headers = new URL(url).host === new URL(current.url).host ? current.headers : withoutSecrets(current.headers);
    current = keeps ? { ...current, url, headers } : { ...current, url, headers, method: 'GET', body: '' };
  }
}

function withoutSecrets(headers: OutgoingRequest['headers']): OutgoingRequest['headers'] {
  return headers.filter(([name]) => !['authorization', 'cookie', 'host'].includes(name.toLowerCase()));
}

/** What ends a request before its answer: its time, and its signal. Signals with thousands of requests are listened to once. */
class Limit {
  static readonly #limits = new WeakMap<AbortSignal, Set<Limit>>();
  readonly #others: Set<Limit>;
  readonly #timer: NodeJS.Timeout;
  #reason: unknown;
  #end: ((reason: unknown) => void) | undefined;

  constructor({ signal, timeout }: OutgoingRequest) {
    this.#others = Limit.#of(signal);
    this.#others.add(this);
    this.#timer = setTimeout(() => this.#stop(new DOMException('it took too long', 'TimeoutError')), timeout);
    if (signal.aborted) this.#stop(signal.reason);
  }

  static #of(signal: AbortSignal): Set<Limit> {
    const known = Limit.#limits.get(signal);
    if (known) return known;
    const made = new Set<Limit>();
    Limit.#limits.set(signal, made);
    signal.addEventListener('abort', () => {
      for (const limit of [...made]) limit.#stop(signal.reason);
    });
    return made;
  }

  /** Calls back with the reason when what is done now has to end; at once if that was before. */
  ends(end: (reason: unknown) => void): void {
    this.#end = end;
    if (this.#reason !== undefined) end(this.#reason);
  }

  #stop(reason: unknown): void {
    this.#reason ??= reason;
    this.#end?.(this.#reason);
  }

  release(): void {
    clearTimeout(this.#timer);
    this.#others.delete(this);
  }
}

async function exchange(
  { url, method, headers, body = '', tls }: OutgoingRequest,
  limit: Limit,
): Promise<IncomingAnswer> {
  const target = targetOf(url, method);
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  const given = Object.fromEntries(headers) as Record<string, string>;
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const added = {
    ...(names.has('user-agent') ? {} : { 'User-Agent': 'tiphys-events' }),
    ...(length > 0 && !names.has('content-length') ? { 'Content-Length': String(length) } : {}),
  };
  const options = { method, headers: { ...given, ...added }, ...tls, ...guarded(target, false) };
  const mayRepeat = safeMethods.has(method) || names.has('idempotency-key') || names.has('x-idempotency-key');
  try {
    return await answerTo(target, options, { body, mayRepeat, limit });
  } catch (error) {
    throw unanswered(target, method, error);
  }
}

/** A connection that was kept may be closed by its server at the moment in which it is used again; then a request that may be repeated is. */
async function answerTo(
  target: URL,
  options: RequestOptions,
  more: { readonly body: string | Uint8Array; readonly mayRepeat: boolean; readonly limit: Limit },
): Promise<IncomingAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingAnswer>();
  const send = target.protocol === 'https:' ? secureRequest : plainRequest;
  const outgoing = send(target, options, (response) => {
    const chunks: Buffer[] = [];
    let length = 0;
    response.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= longestAnswer) chunks.push(chunk);
    });
    response.on('end', () =>
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      }),
    );
    response.on('error', reject);
  });
  outgoing.on('error', reject);
  more.limit.ends((reason) => {
    reject(reason);
    outgoing.destroy();
  });
  // a text goes out in one piece with the head
  outgoing.end(more.body);
  try {
    return await promise;
  } catch (error) {
    const wasClosed = outgoing.reusedSocket && closings.has((error as NodeJS.ErrnoException).code ?? '');
    if (!wasClosed || !more.mayRepeat) throw error;
    return answerTo(target, options, more);
  }
}

function targetOf(text: string, method: string): URL {
  const url = URL.parse(text);
  if (url && ['http:', 'https:'].includes(url.protocol)) return url;
  throw failure(requestFailed, {
    message: `The URL of a ${method} request is none of http or https`,
    evidence: { url: text.slice(0, 200) },
    remedies: ['Write the whole URL, with http:// or https://'],
  });
}

function unanswered(target: URL, method: string, error: unknown) {
  const { code, message } = error as NodeJS.ErrnoException;
  const reason = (error as Error).name === 'TimeoutError' ? 'it took too long' : code ? `${code}: ${message}` : message;
  return failure(
    requestFailed,
    {
      message: `${method} ${target.protocol}//${target.host}${target.pathname} failed: ${reason}`,
      place: { remote: target.host },
      remedies: ['Check that the host is right and answers from here'],
    },
    { handling: 'retryable', cause: error },
  );
}
