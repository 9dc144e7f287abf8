import { createPrivateKey, sign } from 'node:crypto';
import { failure } from '@tiphys/diagnosis';
import type { Clock } from '@tiphys/kubernetes';
import type { Credentials, GitHubApp } from './credentials.ts';
import { clockSkew, githubAppToken, invalidCredentials, rateLimited } from './diagnoses.ts';
import { type HttpAnswer, httpRequest } from './http-request.ts';
import type { RepositoryUrl } from './repository-url.ts';

export interface GitHubAppTokensOptions {
  readonly app: GitHubApp;
  readonly remote: RepositoryUrl;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly timeout: number;
}

/** A token is renewed this long before it ends. */
const renewBefore = 5 * 60_000;
/** A host's `Date` has whole seconds, and an answer takes a while. */
const tolerated = 5_000;

/**
 * Installation tokens of a GitHub App. The request's claims are written in the host's time: the skew of our clock is
 * measured by the `Date` header of each answer and made good, so that a wrong clock does not lock us out (failure R5).
 */
export class GitHubAppTokens {
  readonly #options: GitHubAppTokensOptions;
  #token: { readonly value: string; readonly expires: number } | undefined;
  #asking: Promise<string> | undefined;
  #installation: number | undefined;
  #skew = 0;

  constructor(options: GitHubAppTokensOptions) {
    this.#options = options;
    this.#installation = options.app.installationId;
  }

  /** How far the host's clock is ahead of ours, in milliseconds, as of the last answer. */
  get skew(): number {
    return this.#skew;
  }

  async token(signal?: AbortSignal): Promise<string> {
    const now = this.#options.clock.now() + this.#skew;
    if (this.#token && this.#token.expires - renewBefore > now) return this.#token.value;
    this.#asking ??= this.#ask(signal).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** The next question gets a new token: the host did not take this one. */
  forget(): void {
    this.#token = undefined;
  }

  async #ask(signal: AbortSignal | undefined): Promise<string> {
    this.#installation ??= await this.#findInstallation(signal);
    const answer = await this.#call('POST', `/app/installations/${this.#installation}/access_tokens`, signal);
    if (answer.status !== 201) throw this.#refused(answer, `installation ${this.#installation}`);
    const body = parseJson(answer.body) as { token?: string; expires_at?: string };
    if (!body.token) throw this.#refused(answer, `installation ${this.#installation}`);
    const expires = Date.parse(body.expires_at ?? '');
    this.#token = {
      value: body.token,
      expires: Number.isNaN(expires) ? this.#options.clock.now() + 10 * 60_000 : expires,
    };
    return body.token;
  }

  async #findInstallation(signal: AbortSignal | undefined): Promise<number> {
    const [owner = '', name = ''] = new URL(this.#options.remote.remote).pathname.replace(/^\/|\.git$/g, '').split('/');
    const answer = await this.#call(
      'GET',
      `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}/installation`,
      signal,
    );
    const id = answer.status === 200 ? (parseJson(answer.body) as { id?: number }).id : undefined;
    if (typeof id !== 'number') throw this.#refused(answer, `repository ${owner}/${name}`);
    return id;
  }

  /** Asks; and once more if the answer shows that our clock was the reason of the refusal. */
  async #call(method: string, path: string, signal: AbortSignal | undefined): Promise<HttpAnswer> {
    const first = await this.#send(method, path, signal);
    const before = this.#skew;
    this.#measure(first);
    if (first.status !== 401 || Math.abs(this.#skew - before) < tolerated) return first;
    const second = await this.#send(method, path, signal);
    this.#measure(second);
    return second;
  }

  #send(method: string, path: string, signal: AbortSignal | undefined): Promise<HttpAnswer> {
    const { app, credentials, timeout, clock } = this.#options;
    const base = (app.baseUrl ?? 'https://api.github.com').replace(/\/$/, '');
    return httpRequest({
      url: `${base}${path}`,
      method,
      headers: {
        authorization: `Bearer ${this.#jwt()}`,
        accept: 'application/vnd.github+json',
        'user-agent': 'tiphys',
      },
      credentials,
      clock,
      timeout,
      ...(signal ? { signal } : {}),
    });
  }

  #measure(answer: HttpAnswer): void {
    const date = Date.parse(answer.headers.date ?? '');
    if (Number.isNaN(date)) return;
    const skew = date - this.#options.clock.now();
    this.#skew = Math.abs(skew) < tolerated ? 0 : skew;
  }

  #jwt(): string {
    const now = Math.floor((this.#options.clock.now() + this.#skew) / 1000);
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode({ iat: now - 60, exp: now + 540, iss: String(this.#options.app.id) })}`;
    let key: ReturnType<typeof createPrivateKey>;
    try {
      key = createPrivateKey(this.#options.app.privateKey);
    } catch (error) {
      throw failure(
        invalidCredentials,
        {
          message: `The private key of GitHub App ${this.#options.app.id} is not a PEM private key`,
          remedies: ['Download a new private key from the App and put it whole into githubAppPrivateKey'],
        },
        { cause: error },
      );
    }
    return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
  }

  #refused(answer: HttpAnswer, what: string) {
    const { app, remote, clock } = this.#options;
    const evidence = {
      app: app.id,
      asked: what,
      status: answer.status,
      answer: String((parseJson(answer.body) as { message?: string }).message ?? '').slice(0, 200),
      'our clock': new Date(clock.now()).toISOString(),
      'their clock': answer.headers.date,
    };
    const place = { remote: remote.display };
    const seconds = Math.round(this.#skew / 1000);
    if (answer.headers['x-ratelimit-remaining'] === '0' || answer.status === 429) {
      return failure(
        rateLimited,
        {
          message: 'GitHub limits the token requests of this App',
          place,
          evidence: { ...evidence, resets: answer.headers['x-ratelimit-reset'] },
          remedies: ['Wait for the reset; use webhooks instead of short polling'],
        },
        { handling: 'retryable' },
      );
    }
    if (answer.status === 401 && seconds !== 0) {
      return failure(
        clockSkew,
        {
          message: `The clock of this machine is ${Math.abs(seconds)} s ${seconds > 0 ? 'behind' : 'ahead of'} that of GitHub`,
          place,
          evidence: evidence,
          remedies: ['Correct the time service (NTP) of this machine'],
        },
        { handling: 'retryable' },
      );
    }
    const message =
      answer.status === 404
        ? `GitHub App ${app.id} is not installed there (${what}): it was uninstalled, or the id is wrong`
        : answer.status === 401
          ? `GitHub does not accept the key of App ${app.id}: the key or the App's id is wrong`
          : `GitHub answered ${answer.status} to the token request of App ${app.id}`;
    return failure(
      githubAppToken,
      {
        message,
        place,
        evidence: evidence,
        remedies: [
          'Install the App on the repository, or correct githubAppID and githubAppInstallationID, or remove the latter to have it found',
        ],
      },
      { handling: answer.status >= 500 ? 'retryable' : 'stalled' },
    );
  }
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body) ?? {};
  } catch {
    return {};
  }
}
