/** Milliseconds. */
export interface GitTimeouts {
  /** One `ls-remote`; 15 s, as `reposerver.git.request.timeout`. */
  readonly request: number;
  /** One fetch; 300 s. A stalled one ends after `request` without a byte. */
  readonly fetch: number;
}

/** One request to a remote. */
export interface RemoteRequest {
  /** URL without credentials. */
  readonly repository: string;
  readonly kind: 'ls-remote' | 'fetch' | 'push';
  /** Commit that is wanted; empty for all. */
  readonly revision: string;
}
