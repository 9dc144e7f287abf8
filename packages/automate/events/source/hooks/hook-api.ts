import { sendRequest } from '../../wire/http-request.ts';
import type { TlsOptions } from '../../wire/tls.ts';
import type { WebhookSpec } from './webhook-route.ts';

const timeout = 30_000;

/** A REST API in which hooks are registered. */
export class HookApi {
  readonly #base: string;
  readonly #headers: readonly (readonly [string, string])[];
  readonly #tls: TlsOptions;

  constructor(base: string, headers: readonly (readonly [string, string])[], tls: TlsOptions = {}) {
    this.#base = base.replace(/\/$/, '');
    this.#headers = headers;
    this.#tls = tls;
  }

  /** The answer as data. Throws where it is no success; the body may say why, and never holds our credentials. */
  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const { status, body: text } = await sendRequest({
      url: `${this.#base}${path}`,
      method,
      headers: [...this.#headers, ['Accept', 'application/json'], ['Content-Type', 'application/json']],
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      timeout,
      tls: this.#tls,
      signal: AbortSignal.timeout(timeout),
    });
    if (status < 200 || status >= 300)
      throw new Error(`${method} ${path} was answered ${status}: ${text.slice(0, 300)}`);
    return (text.trim() === '' ? undefined : JSON.parse(text)) as T;
  }
}

/** The address that a host sends its hooks to. */
export function hookUrl({ url = '', endpoint = '' }: WebhookSpec): string {
  return `${url.replace(/(?<!\/)\/+$/, '')}/${endpoint.replace(/^\/+/, '')}`;
}

/** A user and a password as a header. */
export function basicHeader(user: string, password: string): readonly [string, string] {
  return ['Authorization', `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`];
}

/** A list that may be in pages of 100, up to a bound. */
export async function allPages<T>(page: (number: number) => Promise<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for (let number = 1; number <= 50; number++) {
    const items = await page(number);
    all.push(...items);
    if (items.length < 100) break;
  }
  return all;
}
