import type { Diagnosis } from '@tiphys/diagnosis';
import type { Clock } from '@tiphys/kubernetes';
import { AzureTokens } from './azure-tokens.ts';
import { type Credentials, credentialKey } from './credentials.ts';
import { GitHubAppTokens } from './github-app.ts';
import { GoogleTokens } from './google-tokens.ts';
import type { RepositoryUrl } from './repository-url.ts';

/** Short-lived secrets that are got from a service with a long-lived one. */
export interface AccessTokens {
  /** What is sent to the repository's host. Throws the diagnosis of a service that gives nothing. */
  credentials(signal?: AbortSignal): Promise<Pick<Credentials, 'username' | 'password' | 'bearerToken'>>;
  /** The next question gets a new token: the host did not take this one. */
  forget(): void;
  /** What is wrong although tokens are given: a clock. */
  notices(): Diagnosis[];
}

export interface AccessTokensOptions {
  readonly credentials: Credentials;
  readonly remote: RepositoryUrl;
  readonly clock: Clock;
  readonly timeout: number;
}

/** Tokens by who asks for what: repositories of one owner with one credential share them. */
export class AccessTokenSources {
  readonly #sources = new Map<string, AccessTokens>();

  /** Undefined for credentials that are sent as they are. */
  of(options: AccessTokensOptions): AccessTokens | undefined {
    const { credentials, remote } = options;
    const make = maker(options);
    if (!make) return undefined;
    const owner = credentials.githubApp ? (new URL(remote.remote, 'ssh://x').pathname.split('/')[1] ?? '') : '';
    const key = `${remote.host}/${owner.toLowerCase()}/${credentialKey(credentials)}`;
    const known = this.#sources.get(key) ?? make();
    this.#sources.set(key, known);
    return known;
  }
}

function maker(options: AccessTokensOptions): (() => AccessTokens) | undefined {
  const { githubApp, googleServiceAccount, azure } = options.credentials;
  if (githubApp) return () => new GitHubAppTokens({ ...options, app: githubApp });
  if (googleServiceAccount) return () => new GoogleTokens(options, googleServiceAccount);
  if (azure) return () => new AzureTokens(options, azure);
  return undefined;
}
