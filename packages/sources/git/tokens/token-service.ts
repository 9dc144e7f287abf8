import { type Diagnosis, type DiagnosisError, failure } from '@tiphys/diagnosis';
import type { Clock } from '@tiphys/kubernetes';
import { HostClock } from '../connect/host-clock.ts';
import { type HttpAnswer, httpRequest } from '../connect/http-request.ts';
import type { Credentials } from '../repository/credentials.ts';
import { accessTokenRefused } from '../repository/diagnoses.ts';
import { KeptToken, type Token } from './kept-token.ts';

export interface TokenServiceOptions {
  /** `Google`, for people. */
  readonly name: string;
  readonly url: string;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly timeout: number;
  /** The repository, for people. */
  readonly remote: string;
  /** Parameters of the request, written in the service's time (milliseconds). */
  readonly form: (now: number) => Record<string, string> | Promise<Record<string, string>>;
  readonly remedy: string;
}

/** Access tokens of an OAuth 2 token endpoint. */
export class TokenService {
  readonly #options: TokenServiceOptions;
  readonly #clock: HostClock;
  readonly #token: KeptToken;

  constructor(options: TokenServiceOptions) {
    this.#options = options;
    this.#clock = new HostClock(options.clock, new URL(options.url).host);
    this.#token = new KeptToken(
      (signal) => this.#ask(signal),
      () => options.clock.now(),
    );
  }

  async token(signal?: AbortSignal): Promise<string> {
    return this.#token.get(signal);
  }

  forget(): void {
    this.#token.forget();
  }

  /** What is wrong although tokens are given: a clock. */
  notices(): Diagnosis[] {
    const problem = this.#clock.problem({ remote: this.#options.remote });
    return problem ? [problem] : [];
  }

  async #ask(signal: AbortSignal | undefined): Promise<Token> {
    let answer = await this.#send(signal);
    if (this.#clock.learn(answer) && answer.status >= 400) answer = await this.#send(signal);
    const body = parse(answer.body);
    const { access_token: value, expires_in: lasts } = body;
    if (answer.status !== 200 || typeof value !== 'string') throw this.#refused(answer, body);
    const seconds = Number(lasts);
    return { value, expires: this.#options.clock.now() + (Number.isFinite(seconds) ? seconds : 600) * 1000 };
  }

  async #send(signal: AbortSignal | undefined): Promise<HttpAnswer> {
    const { url, credentials, clock, timeout, form, name, remote, remedy } = this.#options;
    const { proxy, noProxy } = credentials;
    const body = new URLSearchParams(await form(this.#clock.now())).toString();
    try {
      return await httpRequest({
        url,
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
        body,
        // the client certificate, authorities and `insecure` are for the repository's host alone
        credentials: { ...(proxy ? { proxy } : {}), ...(noProxy ? { noProxy } : {}) },
        clock,
        timeout,
        ...(signal ? { signal } : {}),
      });
    } catch (error) {
      throw failure(
        accessTokenRefused,
        {
          message: `${name} cannot be asked for a token: ${error instanceof Error ? error.message : String(error)}`,
          place: { remote },
          evidence: { asked: url },
          remedies: ['Check that this server can reach it, directly or by the proxy of the repository', remedy],
        },
        { handling: 'retryable', cause: error },
      );
    }
  }

  #refused(answer: HttpAnswer, body: Record<string, unknown>): DiagnosisError {
    const { name, remote, url, remedy } = this.#options;
    const words = String(body.error_description ?? body.error ?? '').slice(0, 300);
    const skew = this.#clock.problem({ remote });
    return failure(
      accessTokenRefused,
      {
        message: `${name} gave no token (${answer.status}${words ? `: ${words}` : ''})`,
        place: { remote },
        evidence: { asked: url, status: answer.status, answer: words },
        remedies: [remedy],
        ...(skew ? { causes: [skew] } : {}),
      },
      { handling: answer.status >= 500 || answer.status === 429 ? 'retryable' : 'stalled' },
    );
  }
}

function parse(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    // a proxy's page; the status tells
    return {};
  }
}
