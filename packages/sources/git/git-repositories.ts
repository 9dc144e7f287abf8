import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type Diagnosis, failure } from '@tiphys/diagnosis';
import { type Clock, systemClock } from '@tiphys/kubernetes';
import { CacheFolder } from './connect/cache-folder.ts';
import { baseEnvironment } from './connect/git-environment.ts';
import {
  commitsBetween,
  findRemoval,
  type LoggedCommit,
  mergeBase,
  type Removal,
  writersOfLines,
} from './mirror/history.ts';
import { Mirror } from './mirror/mirror.ts';
import { MirrorObjects } from './mirror/mirror-objects.ts';
import { RemoteAccess } from './mirror/remote-access.ts';
import { commitOf, type RefTable, shortNames } from './refs/ref-table.ts';
import type { RefChange } from './refs/ref-watch.ts';
import { isCommitSha, missingRevision } from './refs/revision.ts';
import { type Credentials, credentialKey, type Repository } from './repository/credentials.ts';
import { revisionNotFound } from './repository/diagnoses.ts';
import { LocalFolders, type LocalRepositories } from './repository/local-folders.ts';
import type { GitLimits, GitTimeouts, RemoteRequest } from './repository/remote-request.ts';
import { parseRepositoryUrl } from './repository/repository-url.ts';
import { type TrustedKeys, type VerifiedCommit, verifyCommit } from './signatures/commit-signature.ts';
import { type RevisionSignature, signaturesOf } from './signatures/signatures.ts';
import { AccessTokenSources } from './tokens/access-token-sources.ts';
import { type CommitInfo, parseCommit } from './tree/commit.ts';
import { GitTree, type ObjectSource } from './tree/git-tree.ts';
import { LargeFiles } from './tree/large-files.ts';
import { type OpenedCommit, withSubmodules } from './tree/submodules.ts';
import { TreeCache } from './tree/tree-cache.ts';
import { type ChangedPath, diffTrees } from './tree/tree-diff.ts';
import { type BranchWrite, BranchWriter, type WrittenBranch } from './write/branch-writer.ts';

export interface GitRepositoriesOptions {
  /** Everything in it can be deleted at any time. One process opens it once. */
  readonly cacheDir: string;
  readonly clock?: Clock;
  readonly timeouts?: Partial<GitTimeouts>;
  readonly limits?: Partial<GitLimits>;
  /** For how long a look at a remote's refs serves, in milliseconds; 120 s. Watched repositories are fresh by themselves. */
  readonly maxAge?: number;
  /** Repositories of this machine that paths and file:// URLs may name; none if absent. */
  readonly localRepositories?: LocalRepositories;
  /** The folder of a clone that is read in place of a URL, without its credentials; undefined for what is asked of its host. Asked once for each URL. */
  readonly cloneOf?: (url: string) => string | undefined;
  /** Told of each request to a remote as it begins; gives what is called once, at its end, with whether it failed. */
  readonly onRequest?: (request: RemoteRequest) => (failed: boolean) => void;
}

export interface ResolveOptions {
  /** Tags are considered for ranges only if they start with it. */
  readonly tagPrefix?: string;
  /** How old the look at the remote may be, in milliseconds; 0 looks again. */
  readonly maxAge?: number;
  readonly signal?: AbortSignal;
}

export interface Resolved {
  readonly commit: string;
  /** Full ref name it was found under; absent for a commit id. */
  readonly ref?: string;
}

export interface OpenOptions {
  /** The repository at a submodule's URL with the credentials that may be used for it. Absent: submodules are left alone. */
  readonly submodules?: (url: string) => Repository;
  /** Files as they are stored, whatever `.gitattributes` says: for those who write the next commit. */
  readonly stored?: boolean;
  readonly signal?: AbortSignal;
}

export interface WatchOptions {
  /** Between two looks at a remote, in milliseconds; 120 s. The smallest of all watchers of the repository counts. */
  readonly interval?: number;
}

/** All git repositories that one process reads. Objects are read from mirrors in the cache folder; there is never a work tree. */
export class GitRepositories {
  readonly #folder: CacheFolder;
  readonly #clock: Clock;
  readonly #timeouts: GitTimeouts;
  readonly #limits: GitLimits;
  readonly #options: GitRepositoriesOptions;
  readonly #trees = new TreeCache();
  readonly #accesses = new Map<string, RemoteAccess>();
  readonly #mirrors = new Map<string, Mirror>();
  readonly #tokens = new AccessTokenSources();
  readonly #local: LocalFolders;

  constructor(options: GitRepositoriesOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#timeouts = { request: 15_000, fetch: 300_000, ...options.timeouts };
    this.#limits = { refs: 512 * 1024 ** 2, fetch: 32 * 1024 ** 3, ...options.limits };
    this.#folder = new CacheFolder(options.cacheDir);
    this.#local = new LocalFolders(options.localRepositories);
  }

  /** The commit that a revision stands for now. Throws R9 if there is none, and why the remote could not be asked. */
  async resolve(repository: Repository, revision: string, options: ResolveOptions = {}): Promise<Resolved> {
    const access = this.#access(repository);
    const wanted = revision.trim();
    if (/[\u0000-\u001f\u007f]/.test(wanted) || wanted.length > 512) throw badRevision(wanted, access.display);
    if (isCommitSha(wanted)) return { commit: wanted.toLowerCase() };
    let table = await access.refs({ maxAge: options.maxAge ?? this.#maxAge(), ...signalOf(options) });
    let match = access.match(table, wanted, options.tagPrefix ?? '');
    if (!match && options.maxAge !== 0) {
      // What was pushed a moment ago is not in a table from before: nobody is told "not found" from memory.
      table = await access.refs({ maxAge: 0, ...signalOf(options) });
      match = access.match(table, wanted, options.tagPrefix ?? '');
    }
    if (match && 'commit' in match) {
      access.remember(wanted, match.commit);
      return match;
    }
    const commit = match ? await this.#complete(access, table, match.abbreviated, options.signal) : undefined;
    if (commit) return { commit };
    throw missingRevision(access.display, table, wanted, options.tagPrefix ?? '', access.lastSeen(wanted));
  }

  /** What the remote has: branches, tags, all refs. */
  async lsRemote(repository: Repository, options: Pick<ResolveOptions, 'maxAge' | 'signal'> = {}): Promise<RefTable> {
    return this.#access(repository).refs({ maxAge: options.maxAge ?? this.#maxAge(), ...signalOf(options) });
  }

  /** What is wrong with a repository that can be read all the same: the clock of this node, as its host sees it. */
  notices(repository: Repository): Diagnosis[] {
    return this.#access(repository).notices();
  }

  /** With what a repository is read now: a token of today where an App or a service gives them. */
  credentials(repository: Repository): Promise<Credentials> {
    return this.#access(repository).effectiveCredentials();
  }

  /** Asks the remote now; throws the diagnosis if it cannot be read with these credentials. */
  async test(repository: Repository, options: { signal?: AbortSignal } = {}): Promise<void> {
    await this.#access(repository).test(options.signal);
  }

  /** The files of a commit. Fetches it if it is not here; throws R9 if the repository does not have it. */
  async open(repository: Repository, commit: string, options: OpenOptions = {}): Promise<GitTree> {
    const { submodules: repositoryOf, signal, stored } = options;
    const open = async (wanted: Repository, at: string): Promise<OpenedCommit> => {
      const objects = await this.#objects(wanted, at, signal);
      const root = await objects.rootOf(at);
      return { objects: this.#withLargeFiles(wanted, { objects, root }), root };
    };
    const opened = await open(repository, commit);
    const objects = repositoryOf
      ? withSubmodules(opened, { repository, repositoryOf, open, depth: 0 })
      : opened.objects;
    return new GitTree(
      stored ? asStored(objects) : objects,
      commit,
      opened.root,
      parseRepositoryUrl(repository.url).display,
    );
  }

  #withLargeFiles(repository: Repository, { objects, root }: OpenedCommit): ObjectSource {
    if (!repository.credentials?.lfs) return objects;
    const access = this.#access(repository);
    return new LargeFiles({
      objects,
      root,
      remote: access.remote,
      // by remote: anyone who names the hash of another repository's file is not given it
      directory: join(this.#folder.path, 'lfs', folderName(access)),
      clock: this.#clock,
      timeout: this.#timeouts.fetch,
      credentials: () => access.effectiveCredentials(),
      locate: () => access.locate(),
      authenticate: (args) => access.ssh(args),
    });
  }

  /** Author, date, message, tags, parents and signature of a commit. */
  async commitInfo(
    repository: Repository,
    commit: string,
    options: { signal?: AbortSignal } = {},
  ): Promise<CommitInfo> {
    const objects = await this.#objects(repository, commit, options.signal);
    const table = this.#access(repository).known();
    const tags = table
      ? shortNames(table, 'refs/tags/').filter((tag) => commitOf(table, `refs/tags/${tag}`) === commit)
      : [];
    return parseCommit(commit, await objects.commit(commit), tags);
  }

  /** Whether a commit is signed with one of the armored public keys. */
  async verifyCommit(
    repository: Repository,
    commit: string,
    { keys, signal }: { keys: readonly string[]; signal?: AbortSignal | undefined },
  ): Promise<VerifiedCommit> {
    const objects = await this.#objects(repository, commit, signal);
    return verifyCommit(await objects.commit(commit), keys);
  }

  /**
   * Signatures of a revision, newest first, read as they are asked for. `revision` is what the commit was asked for by: an annotated
   * tag, or a range that chose one, is verified itself.
   */
  async *signatures(
    repository: Repository,
    asked: {
      readonly commit: string;
      readonly revision: string;
      readonly tagPrefix?: string | undefined;
      readonly deep: boolean;
      readonly keys: TrustedKeys;
      readonly signal?: AbortSignal | undefined;
    },
  ): AsyncGenerator<RevisionSignature> {
    const { commit, revision, tagPrefix, deep, keys, signal } = asked;
    await this.#objects(repository, commit, signal);
    const access = this.#access(repository);
    const mirror = this.#mirror(access);
    const tag = await this.#annotatedTag(access, { commit, revision, tagPrefix: tagPrefix ?? '' }, signal);
    yield* signaturesOf({ mirror, commit, tag, deep, keys, timeout: this.#timeouts.fetch, signal });
  }

  /** The annotated tag that a revision stands for at a commit, with its object here. */
  async #annotatedTag(
    access: RemoteAccess,
    { commit, revision, tagPrefix }: { commit: string; revision: string; tagPrefix: string },
    signal: AbortSignal | undefined,
  ): Promise<{ name: string; object: string } | undefined> {
    if (isCommitSha(revision)) return undefined;
    const table = await access.refs({ maxAge: this.#maxAge(), ...(signal ? { signal } : {}) });
    const match = access.match(table, revision, tagPrefix);
    const ref = match && 'commit' in match ? match.ref : undefined;
    const object = ref ? table.refs.get(ref) : undefined;
    if (!ref || !object || table.peeled.get(ref) !== commit) return undefined;
    const mirror = this.#mirror(access);
    if (!(await mirror.reader.info(object))) await access.bringTag(mirror, { ref, object }, signal);
    return { name: ref.replace(/^refs\/tags\//, ''), object };
  }

  /** Commits to a branch of the remote; the credentials of `repository` must be allowed to push. */
  async writeBranch(repository: Repository, write: BranchWrite): Promise<WrittenBranch> {
    return this.#writer(repository, write).run();
  }

  /** What `writeBranch` would commit on top of a tip, here alone; undefined if there is nothing to change. */
  draftCommit(repository: Repository, tip: string, write: BranchWrite): Promise<string | undefined> {
    return this.#writer(repository, write).draft(tip);
  }

  /** Pushes a draft to the branch of `write`; false if that is not at `expected` any more (undefined: not there). */
  publishDraft(
    repository: Repository,
    { commit, expected }: { readonly commit: string; readonly expected: string | undefined },
    write: BranchWrite,
  ): Promise<boolean> {
    return this.#writer(repository, write).publish(commit, expected);
  }

  #writer(repository: Repository, write: BranchWrite): BranchWriter {
    const access = this.#access(repository);
    const { signal } = write;
    return new BranchWriter(
      {
        access,
        mirror: this.#mirror(access),
        clock: this.#clock,
        timeout: this.#timeouts.fetch,
        open: (commit) => this.open(repository, commit, { stored: true, ...(signal ? { signal } : {}) }),
      },
      write,
    );
  }

  /** Files that differ between two commits, in order of path. */
  async diff(
    repository: Repository,
    before: string,
    after: string,
    options: { signal?: AbortSignal } = {},
  ): Promise<ChangedPath[]> {
    const [old, now] = [
      await this.#objects(repository, before, options.signal),
      await this.#objects(repository, after, options.signal),
    ];
    const changes: ChangedPath[] = [];
    for await (const change of diffTrees(now, await old.rootOf(before), await now.rootOf(after))) changes.push(change);
    return changes;
  }

  /** The commit that removed a path, looking back from `commit`, and where its files went; undefined if it never was there. */
  async removalOf(
    repository: Repository,
    commit: string,
    path: string,
    options: { signal?: AbortSignal } = {},
  ): Promise<Removal | undefined> {
    const access = this.#access(repository);
    await this.#objects(repository, commit, options.signal);
    return findRemoval(this.#mirror(access), commit, path, this.#timeouts.request, options.signal);
  }

  /** The commits after `from` up to `to` that touched one of the paths, newest first, five at most. */
  async commitsBetween(
    repository: Repository,
    range: { readonly from: string; readonly to: string; readonly paths: readonly string[] },
    options: { signal?: AbortSignal } = {},
  ): Promise<LoggedCommit[]> {
    await this.#objects(repository, range.to, options.signal);
    return commitsBetween(this.#mirror(this.#access(repository)), range, this.#timeouts.request, options.signal);
  }

  /** The newest commit that two others have in common; undefined where there is none, or it is beyond the depth that is fetched. */
  async mergeBase(
    repository: Repository,
    commits: readonly [string, string],
    options: { signal?: AbortSignal } = {},
  ): Promise<string | undefined> {
    for (const commit of commits) await this.#objects(repository, commit, options.signal);
    return mergeBase(this.#mirror(this.#access(repository)), commits, this.#timeouts.request, options.signal);
  }

  /** The commits that lines (1-based, both ends included) of a file come from, by line; none if the history does not tell. */
  async writersOfLines(
    repository: Repository,
    place: { readonly commit: string; readonly path: string; readonly from: number; readonly to: number },
    options: { signal?: AbortSignal } = {},
  ): Promise<ReadonlyMap<number, LoggedCommit>> {
    await this.#objects(repository, place.commit, options.signal);
    return writersOfLines(this.#mirror(this.#access(repository)), place, this.#timeouts.request, options.signal);
  }

  /**
   * Tells of refs that moved: at once for local repositories, by one `ls-remote` per interval for remote ones, whatever the
   * number of watchers. Returns how to end it.
   */
  watchRefs(repository: Repository, listener: (change: RefChange) => void, options: WatchOptions = {}): () => void {
    return this.#access(repository).watch(listener, options.interval ?? 120_000);
  }

  /** Forgets what is known of a remote's refs, so that the next question asks it: after a webhook, or a new credential. */
  invalidate(repository: Repository): void {
    this.#access(repository).invalidate();
  }

  /** Ends watches and processes. */
  async close(): Promise<void> {
    for (const access of this.#accesses.values()) access.close();
    for (const mirror of this.#mirrors.values()) mirror.close();
    this.#accesses.clear();
    this.#mirrors.clear();
    this.#folder.release();
  }

  #maxAge(): number {
    return this.#options.maxAge ?? 120_000;
  }

  #access(repository: Repository): RemoteAccess {
    const key = `${repository.url}\n${credentialKey(repository.credentials)}`;
    let access = this.#accesses.get(key);
    if (!access) {
      const clone = this.#options.cloneOf?.(repository.url);
      access = new RemoteAccess({
        repository: clone === undefined ? repository : { url: clone },
        folder: this.#folder,
        clock: this.#clock,
        timeouts: this.#timeouts,
        limits: this.#limits,
        local: this.#local,
        tokens: this.#tokens,
        ...(this.#options.onRequest ? { onRequest: this.#options.onRequest } : {}),
      });
      this.#accesses.set(key, access);
    }
    return access;
  }

  /** One for each URL, so that a rotated credential costs nothing; `prove` keeps out who may not see the repository. */
  #mirror(access: RemoteAccess): Mirror {
    const name = folderName(access);
    let mirror = this.#mirrors.get(name);
    if (!mirror) {
      const alternate =
        access.remote.transport === 'local' ? join(access.locate().commonDirectory, 'objects') : undefined;
      mirror = new Mirror({
        directory: join(this.#folder.mirrors, name),
        environment: baseEnvironment(this.#folder),
        clock: this.#clock,
        ...(alternate ? { alternate } : {}),
      });
      this.#mirrors.set(name, mirror);
    }
    return mirror;
  }

  async #objects(repository: Repository, commit: string, signal: AbortSignal | undefined): Promise<MirrorObjects> {
    const access = this.#access(repository);
    if (!isCommitSha(commit)) throw badRevision(commit, access.display);
    await access.prove(signal);
    const objects = new MirrorObjects({
      mirror: this.#mirror(access),
      trees: this.#trees,
      display: access.display,
      fetch: (mirror) => access.bring(mirror, commit, signal),
    });
    await objects.ensure(commit);
    return objects;
  }

  async #complete(
    access: RemoteAccess,
    table: RefTable,
    abbreviated: string,
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const commits = new Set([...table.refs.keys()].map((ref) => commitOf(table, ref)));
    const tips = [...commits].filter((commit) => commit?.startsWith(abbreviated));
    if (tips.length === 1) return tips[0];
    const mirror = this.#mirror(access);
    await mirror.prepare(table.refs.values().next().value?.length ?? 40);
    const known = await mirror.complete(abbreviated);
    if (known || access.remote.transport === 'local') return known;
    await access.bringAll(mirror, signal);
    return mirror.complete(abbreviated);
  }
}

/** The same objects without what `.gitattributes` makes of them. */
function asStored(objects: ObjectSource): ObjectSource {
  return {
    folder: (oid) => objects.folder(oid),
    size: (oid) => objects.size(oid),
    blob: (oid) => objects.blob(oid),
  };
}

function folderName({ remote }: RemoteAccess): string {
  return createHash('sha256').update(remote.remote).digest('hex').slice(0, 32);
}

function signalOf(options: { signal?: AbortSignal }): { signal?: AbortSignal } {
  return options.signal ? { signal: options.signal } : {};
}

function badRevision(revision: string, display: string) {
  return failure(revisionNotFound, {
    message: `"${revision.slice(0, 100).replace(/[\u0000-\u001f\u007f]/g, '?')}" cannot be the name of a revision`,
    place: { remote: display, field: 'spec.source.targetRevision' },
    remedies: ['Use a branch, a tag, a commit, HEAD or a version range'],
  });
}
