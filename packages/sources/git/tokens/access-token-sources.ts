import { credentialKey } from '../repository/credentials.ts';
import type { AccessTokens, AccessTokensOptions } from './access-tokens.ts';
import { AzureTokens } from './azure-tokens.ts';
import { GitHubAppTokens } from './github-app.ts';
import { GoogleTokens } from './google-tokens.ts';

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
