/** Milliseconds. */
export interface GitTimeouts {
  /** One `ls-remote`; 15 s, as `reposerver.git.request.timeout`. */
  readonly request: number;
  /** One fetch; 300 s. A stalled one ends after `request` without a byte. */
  readonly fetch: number;
}

/** What a host may make git take of this machine, in bytes. */
export interface GitLimits {
  /** Memory of one `ls-remote`; 512 MiB, some two million refs. */
  readonly refs: number;
  /** Of one fetch on the disk; 32 GiB. */
  readonly fetch: number;
}

/**
 * The limit of TIPHYS_GIT_MAX_FETCH, which is in MiB; none given leaves the default.
 * @throws {RangeError} if it is no positive whole number
 */
export function readFetchLimit(text: string | undefined): Partial<GitLimits> {
  const given = text?.trim();
  if (!given) return {};
  if (!/^[1-9]\d{0,8}$/.test(given))
    throw new RangeError(`TIPHYS_GIT_MAX_FETCH is "${given}": use a whole number of MiB, such as 32768`);
  return { fetch: Number(given) * 1024 ** 2 };
}

/** One request to a remote. */
export interface RemoteRequest {
  /** URL without credentials. */
  readonly repository: string;
  readonly kind: 'ls-remote' | 'fetch' | 'push';
  /** Commit that is wanted; empty for all. */
  readonly revision: string;
}
