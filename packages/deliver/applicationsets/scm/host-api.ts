import { failure, type Handling } from '@tiphys/diagnosis';
import type { HttpAnswer, HttpRequest } from '@tiphys/git';
import { scmRefused } from '../diagnoses/diagnoses.ts';

/** How the API of a host is reached. */
export interface ApiAccess {
  /** Without a slash at its end. */
  readonly base: string;
  /** With the credentials, and what the host wants to see besides. */
  readonly headers: Readonly<Record<string, string>>;
  readonly credentials: HttpRequest['credentials'];
  readonly http: (request: Omit<HttpRequest, 'clock'>) => Promise<HttpAnswer>;
  readonly signal?: AbortSignal | undefined;
  /** What can be done where the host refuses; those of ApplicationSets if absent. */
  readonly remedies?: readonly string[];
  /** How a refusal is handled that the same request would get again (400, 401, 403, 404, 422 …); `retryable` if absent. */
  readonly refusals?: Handling;
}

const timeout = 30_000;
const maxBody = 32 * 1024 * 1024;
/** A host that goes on and on with pages is not believed. */
const maxPages = 1_000;

export interface JsonAnswer {
  readonly status: number;
  readonly headers: HttpAnswer['headers'];
  readonly json: unknown;
}

/** JSON over the API of a Git host. Every failure is a diagnosis with the host's own words; credentials never are. */
export class HostApi {
  readonly #access: ApiAccess;

  constructor(access: ApiAccess) {
    this.#access = access;
  }

  /** Any answer below 400, and those of the statuses that the caller understands. */
  async ask(
    path: string,
    {
      accept = [],
      body,
      headers = {},
      method = body === undefined ? 'GET' : 'POST',
    }: { accept?: readonly number[]; body?: string; headers?: Record<string, string>; method?: string } = {},
  ): Promise<JsonAnswer> {
    const url = /^https?:/.test(path) ? path : `${this.#access.base}${path}`;
    if (new URL(url).origin !== new URL(this.#access.base).origin)
      throw this.#refused(url, 'The host names a next page on another host, which gets no credentials');
    const answer = await this.#send(url, { method, body, headers });
    if (answer.status >= 400 && !accept.includes(answer.status)) throw this.#statusRefused(url, answer);
    if (answer.status >= 300 && answer.status < 400)
      throw this.#refused(url, `The host redirects the request (${answer.status}), which is not followed`, {
        location: answer.headers.location,
      });
    try {
      return {
        status: answer.status,
        headers: answer.headers,
        json: answer.body === '' ? null : JSON.parse(answer.body),
      };
    } catch {
      if (accept.includes(answer.status)) return { status: answer.status, headers: answer.headers, json: null };
      throw this.#refused(url, 'The answer of the host is no JSON: is the API address right?', {
        'content-type': answer.headers['content-type'],
      });
    }
  }

  /** All items of a list that goes on with the `Link` header (RFC 8288). `absent` makes the error for a list that is not there. */
  async linked<T>(path: string, absent?: () => Error): Promise<T[]> {
    const items: T[] = [];
    let next: string | undefined = path;
    for (let page = 0; next !== undefined; page++) {
      if (page >= maxPages) throw this.#refused(next, `The list has more than ${maxPages} pages`);
      const { status, json, headers }: JsonAnswer = await this.ask(next, absent ? { accept: [404] } : {});
      if (status === 404 && absent) throw absent();
      items.push(...this.list<T>(json, next));
      next = nextLink(headers.link);
    }
    return items;
  }

  list<T>(value: unknown, path: string): T[] {
    if (Array.isArray(value)) return value as T[];
    throw this.#refused(path, 'The answer of the host is no list');
  }

  async #send(
    url: string,
    { method, body, headers }: { method: string; body: string | undefined; headers: Readonly<Record<string, string>> },
  ): Promise<HttpAnswer> {
    const { http, credentials, signal } = this.#access;
    try {
      return await http({
        url,
        method,
        headers: { accept: 'application/json', 'user-agent': 'tiphys', ...this.#access.headers, ...headers },
        credentials,
        timeout,
        maxBody,
        ...(body === undefined ? {} : { body }),
        ...(signal ? { signal } : {}),
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw this.#refused(url, `The host gave no answer: ${(error as Error).message}`);
    }
  }

  #statusRefused(url: string, answer: HttpAnswer) {
    const limited = answer.status === 429 || (answer.status === 403 && answer.headers['x-ratelimit-remaining'] === '0');
    const why = limited
      ? 'The host limits our requests'
      : answer.status === 401
        ? 'The host does not accept the credentials'
        : answer.status === 403
          ? 'The host does not permit this to the credentials'
          : answer.status === 404
            ? 'The host does not know this, or its credentials do not show it'
            : `The host answered ${answer.status}`;
    const lasts = !limited && answer.status < 500 && answer.status !== 408;
    const evidence = {
      status: answer.status,
      answer: answer.body.slice(0, 200),
      'requests left': answer.headers['x-ratelimit-remaining'] ?? answer.headers['ratelimit-remaining'],
      'limit resets':
        answer.headers['x-ratelimit-reset'] ?? answer.headers['ratelimit-reset'] ?? answer.headers['retry-after'],
    };
    return this.#refused(url, why, evidence, lasts ? this.#access.refusals : undefined);
  }

  #refused(
    url: string,
    message: string,
    evidence: Record<string, string | number | undefined> = {},
    handling: Handling = 'retryable',
  ) {
    const { origin, pathname } = new URL(url);
    return failure(
      scmRefused,
      {
        message,
        place: { remote: origin },
        evidence: { request: pathname, ...evidence },
        remedies: this.#access.remedies ?? [
          'Nothing was changed; the set is evaluated again by itself',
          'Look at the API address, the token that tokenRef names and its permissions',
        ],
      },
      { handling },
    );
  }
}

function nextLink(header: string | undefined): string | undefined {
  for (const part of (header ?? '').split(',')) {
    const [target = '', ...attributes] = part.split(';').map((item) => item.trim());
    if (attributes.includes('rel="next"') && target.startsWith('<') && target.endsWith('>')) return target.slice(1, -1);
  }
  return undefined;
}
