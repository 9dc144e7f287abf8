import { DiagnosisError, failure } from '@tiphys/diagnosis';
import { goDuration } from '@tiphys/go';
import { guardedDispatcher } from '@tiphys/outbound';
import type { Dispatcher } from 'undici';
import { credentialsRefused, refused, unreachable } from '../model/diagnoses.ts';
import { type JsonMap, text } from '../model/notification.ts';

export interface HttpRequest {
  readonly method?: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is; an object as JSON. */
  readonly body?: string | object;
  /** Options of the service that concern connections: `insecureSkipVerify`, `maxConnsPerHost`, `idleConnTimeout`. */
  readonly options?: JsonMap;
  readonly signal: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
  header(name: string): string | undefined;
  /** The body as JSON; undefined if it is none. */
  json(): unknown;
}

export interface HttpOptions {
  /** For HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** PEM certificates that a host is trusted for, as argocd-tls-certs-cm has them. */
  readonly trusted?: (host: string) => string | undefined;
  /** Where a URL is really asked for; for tests. */
  readonly route?: (url: string) => string;
}

/** Bytes of an answer that are read. */
const largestAnswer = 1 << 20;
/** Characters of an answer that are shown. */
const shownAnswer = 500;

/** HTTP as the services need it: proxies of the environment, trusted hosts, bounded answers, one pool for each kind of connection. */
export class Http {
  readonly #options: HttpOptions;
  readonly #dispatchers = new Map<string, Dispatcher>();

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  /** Asks once. Throws `NotificationReceiverUnreachable` if there is no answer. */
  async ask(request: HttpRequest): Promise<HttpAnswer> {
    const { fetch } = await import('undici');
    const { method = 'POST', headers = {}, body, signal } = request;
    const url = this.#options.route?.(request.url) ?? request.url;
    const isJson = body !== undefined && typeof body !== 'string';
    try {
      const response = await fetch(url, {
        method,
        headers: { ...(isJson ? { 'content-type': 'application/json' } : {}), ...headers },
        ...(body === undefined || method === 'GET' || method === 'HEAD'
          ? {}
          : { body: isJson ? JSON.stringify(body) : body }),
        dispatcher: await this.#dispatcher(url, request.options ?? {}),
        signal,
      });
      const answer = await bounded(response.body as AsyncIterable<Uint8Array> | null);
      return {
        status: response.status,
        text: answer,
        header: (name) => response.headers.get(name) ?? undefined,
        json: () => parsed(answer),
      };
    } catch (error) {
      throw notReached(request.url, error);
    }
  }

  /** Asks once, and takes every answer but 2xx (or the given ones) for a refusal. */
  async send(request: HttpRequest, accepts: (status: number) => boolean = isSuccess): Promise<HttpAnswer> {
    const answer = await this.ask(request);
    if (!accepts(answer.status)) throw refusal(request.url, answer);
    return answer;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#dispatchers.values()].map((dispatcher) => dispatcher.destroy()));
    this.#dispatchers.clear();
  }

  async #dispatcher(url: string, options: JsonMap): Promise<Dispatcher> {
    const host = hostOf(url);
    const ca = options.insecureSkipVerify === true ? undefined : this.#options.trusted?.(host);
    const tls = {
      ...(options.insecureSkipVerify === true ? { rejectUnauthorized: false } : {}),
      ...(ca ? { ca } : {}),
    };
    const idle = goDuration(text(options.idleConnTimeout)) ?? 0;
    const connections = Number(options.maxConnsPerHost ?? 0);
    const key = JSON.stringify([ca ? host : '', tls, String(idle), connections]);
    let dispatcher = this.#dispatchers.get(key);
    if (!dispatcher) {
      dispatcher = await guardedDispatcher({
        env: this.#options.env,
        tls,
        ...(connections > 0 ? { connections } : {}),
        ...(idle > 0 ? { keepAliveTimeout: Math.trunc(idle) } : {}),
      });
      this.#dispatchers.set(key, dispatcher);
    }
    return dispatcher;
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

async function bounded(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > largestAnswer) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Host and port, which is all of a webhook's URL that may be shown: the rest is its secret. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}

function notReached(url: string, error: unknown): DiagnosisError {
  if (error instanceof DiagnosisError) return error;
  if ((error as Error).cause instanceof DiagnosisError) return (error as Error).cause as DiagnosisError;
  const host = hostOf(url);
  if (!host)
    return failure(unreachable, {
      message: 'The address of the service is no URL',
      remedies: ['Correct the URL in the settings of the service'],
    });
  const { cause, name, message } = error as Error & { cause?: { code?: string; message?: string } };
  const reason =
    name === 'TimeoutError' || name === 'AbortError' ? 'no answer in time' : (cause?.code ?? cause?.message ?? message);
  return failure(
    unreachable,
    {
      message: `${host} can not be reached: ${reason}`,
      place: { remote: host },
      remedies: [
        'Make the receiver reachable from the control plane (address, proxy, certificate); it is tried again by itself',
      ],
    },
    { handling: 'retryable', cause: error },
  );
}

/** What an answer that is no success means. */
export function refusal(url: string, { status, text: body, header }: HttpAnswer): DiagnosisError {
  const host = hostOf(url);
  const isLogin = status === 401 || status === 403;
  const seconds = Number(header('retry-after'));
  return failure(
    isLogin ? credentialsRefused : refused,
    {
      message: isLogin
        ? `${host} refuses the credentials of the service: it answered ${status}`
        : `${host} does not take the notification: it answered ${status}`,
      place: { remote: host },
      evidence: { answer: body.slice(0, shownAnswer) || '(empty)' },
      remedies: [
        isLogin
          ? 'Correct the credentials in the Secret of the notifications; what is undelivered is then sent'
          : 'Correct the template or the settings of the service by what the receiver answered',
      ],
    },
    { handling: 'retryable', ...(seconds > 0 ? { retryAfter: seconds * 1000 } : {}) },
  );
}
