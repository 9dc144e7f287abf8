import { type Diagnosis, DiagnosisError, failure, within } from '@tiphys/diagnosis';
import type { Clock } from '@tiphys/kubernetes';
import type { CacheFolder } from '../connect/cache-folder.ts';
import { remoteEnvironment } from '../connect/git-environment.ts';
import { type GitResult, runGit, runProgram } from '../connect/git-process.ts';
import { isProxied, pinnedAddress } from '../connect/pinned-address.ts';
import { explainEmpty, explainRemoteFailure, explainTimeout, type RemoteFailure } from '../connect/remote-failure.ts';
import { readRefs } from '../connect/upload-pack.ts';
import { commitOf, movedRefs, parseRefs, type RefTable } from '../refs/ref-table.ts';
import { type RefChange, RefWatch } from '../refs/ref-watch.ts';
import { type LastSeen, matchRevision, type RevisionMatch } from '../refs/revision.ts';
import { type Credentials, credentialKey, type Repository } from '../repository/credentials.ts';
import { gitTimeout, gitTooMuch, repositoryUnreachable, revisionNotFound } from '../repository/diagnoses.ts';
import type { LocalFolders } from '../repository/local-folders.ts';
import type { LocalRepository } from '../repository/local-repository.ts';
import type { GitLimits, GitTimeouts, RemoteRequest } from '../repository/remote-request.ts';
import { parseRepositoryUrl, type RepositoryUrl } from '../repository/repository-url.ts';
import type { AccessTokenSources } from '../tokens/access-token-sources.ts';
import type { AccessTokens } from '../tokens/access-tokens.ts';
import { type FetchRequest, type Mirror, type PushRequest, saysCorrupt } from './mirror.ts';

export interface RemoteAccessOptions {
  readonly repository: Repository;
  readonly folder: CacheFolder;
  readonly clock: Clock;
  readonly timeouts: GitTimeouts;
  readonly limits: GitLimits;
  readonly local: LocalFolders;
  readonly tokens: AccessTokenSources;
  readonly onRequest?: (request: RemoteRequest) => (failed: boolean) => void;
}

/** What hosts say of a commit that they do not have, or do not give by its id alone. */
const unknownCommit =
  /not our ref|unadvertised object|no such remote ref|couldn't find remote ref|not a valid object|remote error: upload-pack/i;

/** A failed look serves all callers for this long: a thousand applications make one attempt, not a thousand. */
const failureMaxAge = 10_000;

/** Milliseconds in which a host is asked by git alone after an answer that only git could read. */
const leftToGit = 3_600_000;

/** One repository as one credential sees it: its refs, asked for once for everybody, and how to fetch from it. */
export class RemoteAccess {
  readonly remote: RepositoryUrl;
  readonly credentialKey: string;
  readonly #options: RemoteAccessOptions;
  readonly #credentials: Credentials;
  readonly #tokens: AccessTokens | undefined;
  readonly #watch: RefWatch;
  readonly #lastSeen = new Map<string, LastSeen>();
  readonly #matches = new Map<string, RevisionMatch | undefined>();
  readonly #bringing = new Map<string, Promise<void>>();
  readonly #closed = new AbortController();
  #matchedFor: RefTable | undefined;
  #table: { readonly table: RefTable; readonly at: number } | undefined;
  #failed: { readonly error: unknown; readonly at: number } | undefined;
  /** The last look failed; unlike `#failed` it outlives `invalidate`. */
  #broken = false;
  #looking: Promise<RefTable> | undefined;
  #lastSuccess: number | undefined;
  /** From when on looks at an HTTP host need no process of git. */
  #asksItselfFrom = Number.NEGATIVE_INFINITY;

  constructor(options: RemoteAccessOptions) {
    this.#options = options;
    this.remote = parseRepositoryUrl(options.repository.url);
    if (this.remote.transport === 'local') options.local.admit(this.remote.remote);
    this.#credentials = options.repository.credentials ?? {};
    this.credentialKey = credentialKey(options.repository.credentials);
    this.#tokens = options.tokens.of({
      credentials: this.#credentials,
      remote: this.remote,
      clock: options.clock,
      timeout: options.timeouts.request,
    });
    this.#watch = new RefWatch({
      clock: options.clock,
      look: async () => {
        await this.refs({ maxAge: 0 });
      },
      ...(this.remote.transport === 'local' ? { local: () => this.locate() } : {}),
      invalidate: () => this.invalidate(),
    });
  }

  /** Where a local repository is now; throws if there is none, or if it may not be read. */
  locate(): LocalRepository {
    return this.#options.local.locate(this.remote.remote);
  }

  get display(): string {
    return this.remote.display;
  }

  /** What is wrong although the repository can be read. */
  notices(): Diagnosis[] {
    return this.#tokens?.notices() ?? [];
  }

  /** Asks the remote now. A clock that was wrong is measured again by a new token, so that no node is accused once it was set right. */
  async test(signal: AbortSignal | undefined): Promise<void> {
    if (this.notices().length > 0) this.#tokens?.forget();
    await this.refs({ maxAge: 0, ...(signal ? { signal } : {}) });
  }

  /** The refs, at most `maxAge` old; concurrent callers share one `ls-remote`. */
  async refs(options: { maxAge: number; signal?: AbortSignal }): Promise<RefTable> {
    const now = this.#options.clock.now();
    if (this.#table && now - this.#table.at < options.maxAge) return this.#table.table;
    if (this.#failed && options.maxAge > 0 && now - this.#failed.at < Math.min(options.maxAge, failureMaxAge))
      throw this.#failed.error;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return abortable(this.#looking, options.signal);
  }

  /** Throws unless this credential has read the repository: what another one fetched must not serve who may not see it. */
  async prove(signal: AbortSignal | undefined): Promise<void> {
    if (!this.#table) await this.refs({ maxAge: Number.POSITIVE_INFINITY, ...(signal ? { signal } : {}) });
  }

  /** `matchRevision`, remembered for as long as the refs do not change: a range over many tags costs. */
  match(table: RefTable, revision: string, tagPrefix: string): RevisionMatch | undefined {
    if (this.#matchedFor !== table) this.#matches.clear();
    this.#matchedFor = table;
    const key = `${tagPrefix}\n${revision}`;
    if (!this.#matches.has(key)) this.#matches.set(key, matchRevision(table, revision, tagPrefix));
    return this.#matches.get(key);
  }

  /** The refs as they were seen last, whatever their age. */
  known(): RefTable | undefined {
    return this.#table?.table;
  }

  invalidate(): void {
    if (this.#table) this.#table = { table: this.#table.table, at: Number.NEGATIVE_INFINITY };
    this.#failed = undefined;
  }

  remember(revision: string, commit: string): void {
    this.#lastSeen.set(revision, { commit, at: this.#options.clock.now() });
  }

  lastSeen(revision: string): LastSeen | undefined {
    return this.#lastSeen.get(revision);
  }

  watch(listener: (change: RefChange) => void, interval: number): () => void {
    return this.#watch.add(listener, interval);
  }

  /** Brings a commit into the mirror, once for all who want it: by its id, or with all branches and tags where hosts want that. */
  bring(mirror: Mirror, commit: string, signal: AbortSignal | undefined): Promise<void> {
    let bringing = this.#bringing.get(commit);
    if (!bringing) {
      bringing = this.#bring(mirror, commit).finally(() => this.#bringing.delete(commit));
      this.#bringing.set(commit, bringing);
    }
    return abortable(bringing, signal);
  }

  /** Pushes a commit of the mirror. The result's code is git's. */
  push(mirror: Mirror, request: PushRequest): Promise<GitResult> {
    const local = this.remote.transport === 'local';
    const remote = local ? this.locate().gitDirectory : this.remote.remote;
    return this.#counted('push', request.commit, (environment) =>
      mirror.push({
        ...request,
        local,
        remote,
        environment,
        timeout: this.#options.timeouts.fetch,
        signal: this.#closed.signal,
      }),
    );
  }

  /** Brings the object of an annotated tag. */
  async bringTag(
    mirror: Mirror,
    { ref, object }: { ref: string; object: string },
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const result = await abortable(
      this.#fetch(mirror, object, object.length, (request) =>
        mirror.fetch({ ...request, commit: ref, ref: `tag ${ref}` }),
      ),
      signal,
    );
    if (result.code !== 0) throw await this.explain('fetch', result);
  }

  /** Brings all branches and tags. */
  async bringAll(mirror: Mirror, signal: AbortSignal | undefined, idLength = 40): Promise<void> {
    const result = await abortable(
      this.#fetch(mirror, '', idLength, (request) => mirror.fetchAll(request)),
      signal,
    );
    if (result.code !== 0) throw await this.explain('fetch', result);
  }

  async #bring(mirror: Mirror, commit: string): Promise<void> {
    if (this.remote.transport === 'local') {
      if (await mirror.has(commit)) return;
      throw this.#noCommit(commit);
    }
    const ref = this.#refOf(commit);
    const depth = this.#credentials.depth;
    const result = await this.#fetch(mirror, commit, commit.length, (request) =>
      mirror.fetch({ ...request, commit, ...(ref ? { ref } : {}), ...(depth ? { depth } : {}) }),
    );
    if (result.code === 0) return;
    if (!unknownCommit.test(result.stderr)) throw await this.explain('fetch', result);
    await this.bringAll(mirror, undefined, commit.length);
    if (!(await mirror.has(commit))) throw this.#noCommit(commit);
  }

  /** Fetches; and once more into a new mirror if the old one turns out to be damaged. */
  async #fetch(
    mirror: Mirror,
    revision: string,
    idLength: number,
    fetch: (request: Omit<FetchRequest, 'commit'>) => Promise<GitResult>,
  ): Promise<GitResult> {
    const attempt = () =>
      this.#counted('fetch', revision, (environment) =>
        fetch({
          remote: this.remote.remote,
          environment,
          timeout: this.#options.timeouts.fetch,
          maxBytes: this.#options.limits.fetch,
          signal: this.#closed.signal,
        }),
      );
    const seen = mirror.generation;
    const result = await attempt();
    if (result.code === 0 || !saysCorrupt(result.stderr)) return result;
    await mirror.restore(seen, idLength);
    return attempt();
  }

  /** Runs a command on the SSH host, as `git-lfs-authenticate`; what it prints. */
  async ssh(command: string): Promise<GitResult> {
    const { host, port, username } = this.remote;
    const target = username ? `${username}@${host}` : host;
    return this.#withRemote((environment) =>
      runProgram({
        program: environment.GIT_SSH ?? 'ssh',
        args: [...(port === 22 ? [] : ['-p', String(port)]), target, command],
        environment,
        clock: this.#options.clock,
        timeout: this.#options.timeouts.request,
        signal: this.#closed.signal,
        maxOutput: 100_000,
      }),
    );
  }

  /** Ends watches and whatever git is doing for this repository. */
  close(): void {
    this.#closed.abort();
    this.#watch.close();
  }

  async #look(): Promise<RefTable> {
    const before = this.#table?.table;
    const started = this.#options.clock.now();
    try {
      const table = (await this.#lookAgain(before)) ?? (await this.#lsRemote());
      this.#table = { table, at: started };
      this.#failed = undefined;
      this.#lastSuccess = this.#options.clock.now();
      this.#watch.start();
      const moved = before ? movedRefs(before, table) : [];
      if (this.#broken) this.#watch.tell({ kind: 'recovered' });
      this.#broken = false;
      if (moved.length > 0) this.#watch.tell({ kind: 'moved', refs: moved });
      return table;
    } catch (error) {
      this.#failed = { error, at: this.#options.clock.now() };
      if (!this.#broken) this.#watch.lost();
      this.#broken = true;
      this.#watch.tell({ kind: 'failed', error });
      throw error;
    }
  }

  /**
   * The refs of an HTTP host that git has read once, without a process of it: hundreds of repositories are asked each minute. Undefined where
   * that gives none; then git is asked, and its word alone counts. A host that git reads and this does not is left to git for an hour.
   */
  async #lookAgain(before: RefTable | undefined): Promise<RefTable | undefined> {
    const { transport } = this.remote;
    const now = this.#options.clock.now();
    if (!before || now < this.#asksItselfFrom || (transport !== 'http' && transport !== 'https')) return undefined;
    if (isProxied(this.remote, this.#credentials)) return undefined;
    const credentials = await this.effectiveCredentials();
    const end = this.#options.onRequest?.({ repository: this.remote.display, kind: 'ls-remote', revision: '' });
    const table = await readRefs({
      remote: this.remote,
      credentials,
      clock: this.#options.clock,
      timeout: this.#options.timeouts.request,
      signal: this.#closed.signal,
    });
    end?.(table === undefined);
    if (!table) this.#asksItselfFrom = now + leftToGit;
    return table;
  }

  async #lsRemote(): Promise<RefTable> {
    const remote = this.remote.transport === 'local' ? this.locate().gitDirectory : this.remote.remote;
    const result = await this.#counted('ls-remote', '', (environment) =>
      runGit({
        args: ['ls-remote', '--symref', '--', remote],
        environment,
        clock: this.#options.clock,
        timeout: this.#options.timeouts.request,
        maxOutput: 256 * 1024 * 1024,
        bounds: { memory: this.#options.limits.refs },
        signal: this.#closed.signal,
      }),
    );
    if (result.code !== 0) {
      // it is the host's fault, not that of the way it was asked
      this.#asksItselfFrom = Number.NEGATIVE_INFINITY;
      throw await this.explain('ls-remote', result);
    }
    const table = parseRefs(result.stdout.toString('utf8'));
    const otherwise =
      table.refs.size === 0 ? await explainEmpty(await this.#failureOf('ls-remote', result)) : undefined;
    if (otherwise) throw otherwise;
    return table;
  }

  async #counted(
    kind: RemoteRequest['kind'],
    revision: string,
    work: (environment: Record<string, string>) => Promise<GitResult>,
  ): Promise<GitResult> {
    const end = this.#options.onRequest?.({ repository: this.remote.display, kind, revision });
    let failed = true;
    try {
      const result = await this.#withRemote(work);
      failed = result.code !== 0;
      return result;
    } catch (error) {
      const code = error instanceof DiagnosisError ? error.diagnosis.code : undefined;
      if (code === gitTooMuch.code) throw within(error, { place: { remote: this.remote.display } });
      if (!(error instanceof DiagnosisError) || code !== gitTimeout.code) throw error;
      throw explainTimeout(error, await this.#failureOf(kind, { code: 1, stdout: Buffer.alloc(0), stderr: '' }));
    } finally {
      end?.(failed);
    }
  }

  async #withRemote<T>(work: (environment: Record<string, string>) => Promise<T>): Promise<T> {
    this.#options.folder.ensure();
    const credentials = await this.effectiveCredentials();
    const lowSpeed = Math.max(1, Math.ceil(this.#options.timeouts.request / 1000));
    const pinned = await pinnedAddress(this.remote, credentials);
    const { environment, dispose } = remoteEnvironment(
      this.#options.folder,
      this.remote,
      credentials,
      lowSpeed,
      pinned,
    );
    try {
      return await work(environment);
    } finally {
      dispose();
    }
  }

  /** With a token of today where an App asks for one. */
  async effectiveCredentials(): Promise<Credentials> {
    if (!this.#tokens) return this.#credentials;
    try {
      return { ...this.#credentials, ...(await this.#tokens.credentials(this.#closed.signal)) };
    } catch (error) {
      if (this.#closed.signal.aborted || error instanceof DiagnosisError) throw error;
      // the service cannot be reached: as temporary as a host that cannot
      throw failure(
        repositoryUnreachable,
        {
          message: `The service that gives tokens cannot be reached: ${error instanceof Error ? error.message : String(error)}`,
          place: { remote: this.display },
          remedies: ['It is tried again by itself'],
        },
        { handling: 'retryable', cause: error },
      );
    }
  }

  /** Why the remote refused what git asked of it. */
  async explain(operation: string, result: GitResult): Promise<DiagnosisError> {
    const context = await this.#failureOf(operation, result);
    this.#tokens?.forget();
    return explainRemoteFailure(context);
  }

  async #failureOf(operation: string, result: GitResult): Promise<RemoteFailure> {
    const effective = await this.effectiveCredentials();
    return {
      operation,
      stderr: result.stderr,
      remote: this.remote,
      credentials: this.#credentials,
      effective,
      clock: this.#options.clock,
      timeout: this.#options.timeouts.request,
      lastSuccess: this.#lastSuccess,
    };
  }

  #refOf(commit: string): string | undefined {
    const table = this.#table?.table;
    return table ? [...table.refs.keys()].find((ref) => commitOf(table, ref) === commit && ref !== 'HEAD') : undefined;
  }

  #noCommit(commit: string): DiagnosisError {
    const ref = this.#refOf(commit);
    if (ref?.startsWith('refs/tags/')) return this.#noCommitTagged(commit, ref);
    return failure(revisionNotFound, {
      message: `The commit ${commit.slice(0, 12)} is not in the repository, or no branch or tag leads to it any more`,
      place: { remote: this.display, revision: commit, field: 'spec.source.targetRevision' },
      evidence: { 'refs of the repository': this.#table?.table.refs.size ?? 0 },
      remedies: ['Set targetRevision to a branch, a tag or a commit that was pushed'],
    });
  }

  /** The repository has the object, since it tells of it by a tag: it is a tree or a file. */
  #noCommitTagged(id: string, ref: string): DiagnosisError {
    const tag = ref.slice('refs/tags/'.length);
    return failure(revisionNotFound, {
      message: `The tag ${tag} leads to ${id.slice(0, 12)}, which is no commit but a tree or a file`,
      place: { remote: this.display, revision: tag, field: 'spec.source.targetRevision' },
      evidence: { 'the tag leads to': id },
      remedies: [
        { text: 'Put the tag on a commit', paste: `git tag -f ${tag} COMMIT && git push -f origin ${tag}` },
        'Or set targetRevision to a branch, another tag or a commit',
      ],
    });
  }
}

/** The value, unless this caller gives up first; the others are still served. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
