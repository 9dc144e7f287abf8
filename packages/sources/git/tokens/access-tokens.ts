import type { Diagnosis } from '@tiphys/diagnosis';
import type { Clock } from '@tiphys/kubernetes';
import type { Credentials } from '../repository/credentials.ts';
import type { RepositoryUrl } from '../repository/repository-url.ts';

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
