import type { IncomingMessage } from 'node:http';
import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '@tiphys/kubernetes';
import { guarded, isProxied } from '@tiphys/outbound';
import type { Access } from '../access/access.ts';
import { proxyUnsupported } from '../access/diagnoses.ts';
import { RegistryError } from '../access/registry-error.ts';
import { tooLarge, unreachable } from './http-failure.ts';
import { withoutSecrets } from './without-secrets.ts';

export interface HttpCall {
  readonly url: string;
  readonly method?: 'GET' | 'HEAD' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  /** The `Authorization` header. It goes to the origin of `url` only, wherever redirects lead. */
  readonly authorization?: string;
  readonly body?: string;
  readonly access: Access;
  /** Of the answer's body. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpAnswer {
  /** Where the answer came from, after redirects. */
  readonly url: string;
  readonly method: string;
  readonly status: number;
  /** `200 OK` */
  readonly statusText: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

export interface HttpClientOptions {
  readonly clock?: Clock;
  /** Milliseconds for one attempt, redirects and body included: 120,000 if not given. */
  readonly timeout?: number;
  /** How often a request is sent at most when the host is busy or the connection breaks: 3 if not given. */
  readonly attempts?: number;
  readonly userAgent?: string;
}

const maxRedirects = 10;
const busy = new Set([408, 429, 500, 502, 503, 504]);
const broken = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN']);
const longestPause = 10_000;

/** Of its own: the one of the Kubernetes client would bring all of that along to anyone who renders one chart. */
const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => wait(ms, undefined, signal ? { signal } : {}),
};

/** Sends requests to Helm repositories and registries: bounded in time and bytes, tried again, with redirects followed. */
export class HttpClient {
  readonly clock: Clock;
  readonly #timeout: number;
  readonly #attempts: number;
  readonly #userAgent: string;

  constructor(options: HttpClientOptions = {}) {
    this.clock = options.clock ?? systemClock;
    this.#timeout = options.timeout ?? 120_000;
    this.#attempts = options.attempts ?? 3;
    this.#userAgent = options.userAgent ?? 'tiphys (charts)';
  }

  /** The answer, whatever its status. Throws a `RegistryError` if there is none, the signal's reason if it aborts. */
  async send(call: HttpCall): Promise<HttpAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      const last = attempt >= this.#attempts;
      let pause = 250 * 4 ** (attempt - 1);
      try {
        const answer = await this.#once(call);
        if (last || !busy.has(answer.status)) return answer;
        pause = retryAfter(answer) ?? pause;
        if (pause > longestPause) return answer;
      } catch (error) {
        call.signal?.throwIfAborted();
        if (error instanceof RegistryError) throw error;
        if (last || !broken.has(codeOf(error))) throw await unreachable(call, error);
      }
      await this.clock.sleep(pause, call.signal ?? undefined);
    }
  }

  async #once(call: HttpCall): Promise<HttpAnswer> {
    const finished = new AbortController();
    const signal = AbortSignal.any([finished.signal, ...(call.signal ? [call.signal] : [])]);
    const timedOut = this.clock.sleep(this.#timeout, signal).then(() => {
      throw Object.assign(new Error('context deadline exceeded'), { code: 'ETIMEDOUT' });
    });
    try {
      return await Promise.race([this.#follow(call, signal), timedOut]);
    } finally {
      finished.abort();
    }
  }

  async #follow(call: HttpCall, signal: AbortSignal): Promise<HttpAnswer> {
    let url = new URL(call.url);
    for (let hops = 0; ; hops += 1) {
      const answer = await this.#request(call, url, signal);
      const location = answer.headers.location;
      if (![301, 302, 303, 307, 308].includes(answer.status) || !location) return answer;
      if (hops >= maxRedirects) throw new Error(`stopped after ${maxRedirects} redirects`);
      const next = new URL(location, url);
      if (!/^https?:$/.test(next.protocol))
        throw new Error(`unsupported protocol scheme "${next.protocol.slice(0, -1)}"`);
      url = next;
    }
  }

  #request(call: HttpCall, url: URL, signal: AbortSignal): Promise<HttpAnswer> {
    const home = isSameOrigin(url, new URL(call.url));
    const secure = url.protocol === 'https:';
    const agent = agentFor(call.access, secure, home);
    const method = call.method ?? 'GET';
    const answer = new Promise<HttpAnswer>((resolve, reject) => {
      const request = (secure ? requestHttps : requestHttp)(url, {
        method,
        agent,
        signal,
        ...guarded(url, isProxied(url, proxiesOf(call.access))),
        headers: {
          'user-agent': this.#userAgent,
          ...call.headers,
          ...(call.authorization && home ? { authorization: call.authorization } : {}),
        },
      });
      request.on('error', reject);
      request.on('response', (response) => {
        readBody(response, url, call.maxBytes).then((body) => {
          const status = response.statusCode ?? 0;
          const statusText = `${status} ${response.statusMessage ?? ''}`.trim();
          resolve({ url: url.href, method, status, statusText, headers: flatten(response), body });
        }, reject);
      });
      request.end(home ? call.body : undefined);
    });
    return answer.finally(() => agent.destroy());
  }
}

/** Scheme, host and port are the same. */
export function isSameOrigin(a: URL, b: URL): boolean {
  return a.origin === b.origin;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

function retryAfter({ headers }: HttpAnswer): number | undefined {
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

/** A client certificate is shown to the host that it is meant for only. */
function agentFor(access: Access, secure: boolean, home: boolean): HttpAgent | HttpsAgent {
  const proxyEnv = proxiesOf(access);
  if (!secure) return new HttpAgent({ proxyEnv });
  return new HttpsAgent({
    proxyEnv,
    rejectUnauthorized: !access.insecure,
    ...(access.ca ? { ca: access.ca } : {}),
    ...(home && access.cert && access.key ? { cert: access.cert, key: access.key } : {}),
  });
}

function proxiesOf({ proxy, noProxy }: Access): Record<string, string> {
  const { env } = process;
  const set = (value: string | undefined): string => (value ? usableProxy(value) : '');
  if (proxy) return { HTTP_PROXY: set(proxy), HTTPS_PROXY: set(proxy), NO_PROXY: noProxy ?? '' };
  return {
    HTTP_PROXY: set(env.HTTP_PROXY ?? env.http_proxy),
    HTTPS_PROXY: set(env.HTTPS_PROXY ?? env.https_proxy),
    NO_PROXY: env.NO_PROXY ?? env.no_proxy ?? '',
  };
}

/** What can't be used must not be passed by: somebody meant the request to go through it. */
function usableProxy(text: string): string {
  const proxy = text.includes('://') ? text : `http://${text}`;
  if (/^https?:\/\//i.test(proxy) && URL.canParse(proxy)) return proxy;
  throw new RegistryError(proxyUnsupported, `proxy: unknown scheme: ${proxy.split('://')[0]}`, {
    message: `The proxy ${withoutSecrets(proxy)} can not be used for Helm repositories and registries`,
    place: { field: 'proxy' },
    remedies: ['Use an http:// or https:// proxy'],
  });
}

async function readBody(response: IncomingMessage, url: URL, maxBytes: number): Promise<Buffer> {
  if (Number(response.headers['content-length'] ?? 0) > maxBytes && response.statusCode === 200) {
    response.destroy();
    throw tooLarge(url.href, maxBytes);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += (chunk as Buffer).length;
    if (size > maxBytes) {
      response.destroy();
      throw tooLarge(url.href, maxBytes);
    }
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

function flatten({ headers }: IncomingMessage): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}
