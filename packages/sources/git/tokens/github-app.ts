import { createPrivateKey, sign } from 'node:crypto';
import { type Diagnosis, DiagnosisError, failure } from '@tiphys/diagnosis';
import type { Clock } from '@tiphys/kubernetes';
import { HostClock } from '../connect/host-clock.ts';
import { type HttpAnswer, httpRequest } from '../connect/http-request.ts';
import type { Credentials, GitHubApp } from '../repository/credentials.ts';
import { githubAppToken, invalidCredentials, rateLimited } from '../repository/diagnoses.ts';
import type { RepositoryUrl } from '../repository/repository-url.ts';
import type { AccessTokens } from './access-tokens.ts';
import { KeptToken, type Token } from './kept-token.ts';

export interface GitHubAppTokensOptions {
  readonly app: GitHubApp;
  readonly remote: RepositoryUrl;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly timeout: number;
}

/**
 * Installation tokens of a GitHub App. The request's claims are written in the host's time: the skew of our clock is
 * measured by the `Date` header of each answer and made good, so that a wrong clock does not lock us out (failure R5).
 */
export class GitHubAppTokens implements AccessTokens {
  readonly #options: GitHubAppTokensOptions;
  readonly #clock: HostClock;
  readonly #token: KeptToken;
  #installation: number | undefined;

  constructor(options: GitHubAppTokensOptions) {
    this.#options = options;
    this.#installation = options.app.installationId;
    this.#clock = new HostClock(options.clock, new URL(apiOf(options.app)).host);
    this.#token = new KeptToken(
      (signal) => this.#ask(signal),
      () => this.#clock.now(),
    );
  }

  async credentials(signal?: AbortSignal): Promise<{ username: string; password: string }> {
    return { username: 'x-access-token', password: await this.#token.get(signal) };
  }

  notices(): Diagnosis[] {
    const problem = this.#clock.problem({ remote: this.#options.remote.display });
    return problem ? [problem] : [];
  }

  /** The next question gets a new token: the host did not take this one. */
  forget(): void {
    this.#token.forget();
  }

  async #ask(signal: AbortSignal | undefined): Promise<Token> {
    this.#installation ??= await this.#findInstallation(signal);
    const answer = await this.#call('POST', `/app/installations/${this.#installation}/access_tokens`, signal);
    if (answer.status !== 201) throw this.#refused(answer, `installation ${this.#installation}`);
    const body = parseJson(answer.body) as { token?: string; expires_at?: string };
    if (!body.token) throw this.#refused(answer, `installation ${this.#installation}`);
    const expires = Date.parse(body.expires_at ?? '');
    return { value: body.token, expires: Number.isNaN(expires) ? this.#clock.now() + 10 * 60_000 : expires };
  }

  /** That of the repository, else that of its owner: a new repository may not be visible to the App yet. */
  async #findInstallation(signal: AbortSignal | undefined): Promise<number> {
    const path = new URL(this.#options.remote.remote).pathname.replace(/^\/|\.git$/g, '');
    const [owner = '', name = ''] = path.split('/').map((part) => encodeURIComponent(decodeURIComponent(part)));
    let refusal: HttpAnswer | undefined;
    for (const where of [`repos/${owner}/${name}`, `orgs/${owner}`, `users/${owner}`]) {
      const answer = await this.#call('GET', `/${where}/installation`, signal);
      const id = answer.status === 200 ? (parseJson(answer.body) as { id?: number }).id : undefined;
      if (typeof id === 'number') return id;
      refusal ??= answer;
      if (answer.status !== 404) break;
    }
    throw this.#refused(refusal as HttpAnswer, `repository ${owner}/${name}`);
  }

  /** Asks; and once more if the answer shows that our clock was the reason of the refusal. */
  async #call(method: string, path: string, signal: AbortSignal | undefined): Promise<HttpAnswer> {
    const first = await this.#send(method, path, signal);
    if (!this.#clock.learn(first) || first.status !== 401) return first;
    const second = await this.#send(method, path, signal);
    this.#clock.learn(second);
    return second;
  }

  #send(method: string, path: string, signal: AbortSignal | undefined): Promise<HttpAnswer> {
    const { app, credentials, timeout, clock } = this.#options;
    const base = apiOf(app);
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

  #jwt(): string {
    const now = Math.floor(this.#clock.now() / 1000);
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
    const said = String((parseJson(answer.body) as { message?: string }).message ?? '').slice(0, 200);
    const evidence = {
      app: app.id,
      asked: what,
      status: answer.status,
      answer: said,
      'our clock': new Date(clock.now()).toISOString(),
      'their clock': answer.headers.date,
    };
    const place = { remote: remote.display };
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
    const skew = answer.status === 401 ? this.#clock.problem(place) : undefined;
    if (skew)
      throw new DiagnosisError(
        { ...skew, evidence: [...skew.evidence, { name: 'answer', value: `${answer.status} ${said}` }] },
        { handling: 'retryable' },
      );
    const message =
      answer.status === 404
        ? `GitHub App ${app.id} is not installed there (${what}): it was uninstalled, or the id is wrong`
        : answer.status === 401
          ? `GitHub does not accept the key of App ${app.id}: ${said || "the key or the App's id is wrong"}`
          : `GitHub answered ${answer.status} to the token request of App ${app.id}${said ? `: ${said}` : ''}`;
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

/** API of GitHub, without a slash at its end. */
function apiOf(app: GitHubApp): string {
  return (app.baseUrl ?? 'https://api.github.com').replace(/\/$/, '');
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body) ?? {};
  } catch {
    return {};
  }
}
