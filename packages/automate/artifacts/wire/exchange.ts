import type { Readable } from 'node:stream';
import { guardedDispatcher } from '@tiphys/outbound';
import type { Dispatcher } from 'undici';
import { answered, broken, type Subject } from '../model/failures.ts';

export interface ExchangeOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly tls?: {
    readonly rejectUnauthorized?: boolean;
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
  };
  readonly signal?: AbortSignal;
}

export interface Request {
  readonly method?: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'HEAD';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | Readable;
  /** Bytes of a stream, where they are known. */
  readonly size?: number;
  /** What is asked for, for the words of an error. */
  readonly subject: Subject;
  /** Statuses beside 2xx that are no errors; the answer is the caller's to read. */
  readonly accepts?: readonly number[];
}

export interface Answer {
  readonly status: number;
  header(name: string): string | undefined;
  readonly body: Readable;
  /** The whole body; at most a mebibyte. */
  text(): Promise<string>;
}

const largestText = 1 << 20;
const mostHops = 10;

/** HTTP through the one dialer, with bodies as streams. Errors are diagnoses. */
export class Exchange {
  readonly #options: ExchangeOptions;
  #dispatcher: Promise<Dispatcher> | undefined;

  constructor(options: ExchangeOptions = {}) {
    this.#options = options;
  }

  /** Follows redirects of GET and HEAD; credentials do not go to another origin. */
  async send(request: Request): Promise<Answer> {
    const { method = 'GET' } = request;
    let { url } = request;
    let headers = { ...request.headers };
    for (let hop = 0; ; hop += 1) {
      const answer = await this.#once({ ...request, url, headers });
      const location = answer.header('location');
      const isRedirect = answer.status >= 300 && answer.status < 400 && location !== undefined;
      if (
        !isRedirect ||
        request.accepts?.includes(answer.status) ||
        (method !== 'GET' && method !== 'HEAD') ||
        hop >= mostHops
      )
        return await checked(request, answer);
      answer.body.resume();
      const next = new URL(location, url);
      if (next.origin !== new URL(url).origin) headers = withoutCredentials(headers);
      url = next.href;
    }
  }

  async close(): Promise<void> {
    await (await this.#dispatcher)?.destroy();
    this.#dispatcher = undefined;
  }

  async #once({ method = 'GET', url, headers, body, size, subject }: Request): Promise<Answer> {
    const { request } = await import('undici');
    const { env, tls, signal } = this.#options;
    this.#dispatcher ??= guardedDispatcher({ ...(env ? { env } : {}), ...(tls ? { tls } : {}) });
    try {
      const answer = await request(url, {
        method,
        headers: { ...headers, ...(size === undefined ? {} : { 'content-length': String(size) }) },
        ...(body === undefined ? {} : { body }),
        dispatcher: await this.#dispatcher,
        // a large file takes as long as it takes; one that stands still does not
        headersTimeout: 300_000,
        bodyTimeout: 120_000,
        ...(signal ? { signal } : {}),
      });
      const header = (name: string) => {
        const value = answer.headers[name.toLowerCase()];
        return Array.isArray(value) ? value[0] : value;
      };
      return { status: answer.statusCode, header, body: answer.body, text: () => bounded(answer.body) };
    } catch (error) {
      signal?.throwIfAborted();
      throw broken(subject, error);
    }
  }
}

async function checked({ subject, accepts }: Request, answer: Answer): Promise<Answer> {
  if ((answer.status >= 200 && answer.status < 300) || accepts?.includes(answer.status)) return answer;
  throw answered(subject, answer.status, await answer.text());
}

function withoutCredentials(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept = new Set(['accept', 'user-agent', 'range']);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => kept.has(name.toLowerCase())));
}

async function bounded(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largestText) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
