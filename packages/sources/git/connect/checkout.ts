import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { failure } from '@tiphys/diagnosis';
import { type Clock, systemClock } from '@tiphys/kubernetes';
import type { Repository } from '../repository/credentials.ts';
import { revisionNotFound } from '../repository/diagnoses.ts';
import { parseRepositoryUrl } from '../repository/repository-url.ts';
import { CacheFolder } from './cache-folder.ts';
import { remoteEnvironment } from './git-environment.ts';
import { runGit } from './git-process.ts';
import { pinnedAddress } from './pinned-address.ts';
import { explainRemoteFailure } from './remote-failure.ts';

/** Levels of submodules. */
const mostLevels = 10;

export interface CheckoutOptions {
  readonly repository: Repository;
  /** Folder that gets the work tree, with its `.git`; made if it is not there, and otherwise empty. */
  readonly path: string;
  /** Folder for what git reads instead of the user's configuration; may be deleted afterwards. */
  readonly cacheDir: string;
  /** Branch, tag or commit; the remote's HEAD if absent. */
  readonly revision?: string;
  /** Commits of history; all if absent. */
  readonly depth?: number;
  /** Refspecs that are fetched besides. */
  readonly fetch?: readonly string[];
  /** Fetches this branch alone. */
  readonly branch?: string;
  readonly submodules?: boolean;
  /** Milliseconds for each command; 10 minutes if absent. */
  readonly timeout?: number;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

/**
 * Clones a repository with its work tree, for those who want files on a disk: mirrors never have one. Nothing that the repository says is
 * executed: neither hooks nor filters, and links of submodules lead to the same transports. Throws diagnoses.
 */
export async function checkOut(options: CheckoutOptions): Promise<void> {
  const { repository, path, revision, fetch = [], branch } = options;
  const folder = new CacheFolder(options.cacheDir);
  const remote = parseRepositoryUrl(repository.url);
  const depth = options.depth ? ['--depth', String(options.depth)] : [];
  try {
    await mkdir(path, { recursive: true });
    await withRemote({ folder, repository, path, options }, async (git) => {
      await git(['init', '--quiet']);
      await git(['remote', 'add', 'origin', remote.remote]);
      const heads = branch ? `refs/heads/${branch}` : 'refs/heads/*';
      const tracked = branch ? `refs/remotes/origin/${branch}` : 'refs/remotes/origin/*';
      await git(['fetch', '--quiet', ...depth, branch ? '--no-tags' : '--tags', 'origin', `+${heads}:${tracked}`]);
      if (fetch.length > 0)
        await git(['fetch', '--quiet', ...depth, 'origin', ...fetch.filter((spec) => !spec.startsWith('-'))]);
      const head = branch ? tracked : await headOf(git);
      if (revision || head)
        await git(['checkout', '--quiet', ...(await wanted(git, { revision, head, remote: remote.display }))]);
    });
    if (options.submodules) await checkOutSubmodules({ folder, repository, path, options }, 0);
  } finally {
    folder.release();
  }
}

interface Target {
  readonly folder: CacheFolder;
  readonly repository: Repository;
  readonly path: string;
  readonly options: CheckoutOptions;
}

/** Gives git as it reaches the repository: with its credentials, at addresses that may be connected to. */
async function withRemote(target: Target, work: (git: Git) => Promise<void>): Promise<void> {
  const { folder, repository, path, options } = target;
  const { clock = systemClock, timeout = 600_000, signal } = options;
  const remote = parseRepositoryUrl(repository.url);
  const credentials = repository.credentials ?? {};
  const pinned = await pinnedAddress(remote, credentials);
  const { environment, dispose } = remoteEnvironment(folder, remote, credentials, 60, pinned);
  try {
    await work(async (args, accepts = []) => {
      const result = await runGit({
        args: ['-C', path, ...args],
        environment,
        clock,
        timeout,
        ...(signal ? { signal } : {}),
      });
      if (result.code === 0 || accepts.includes(result.code)) return result;
      const told = { operation: args[0] ?? '', stderr: result.stderr, remote, credentials, effective: credentials };
      throw await explainRemoteFailure({ ...told, clock, timeout, lastSuccess: undefined });
    });
  } finally {
    dispose();
  }
}

/** Each submodule by itself: where it leads is the repository's to say, and credentials go to their own host alone. */
async function checkOutSubmodules(target: Target, level: number): Promise<void> {
  const { path, repository, options } = target;
  if (level === mostLevels || !existsSync(join(path, '.gitmodules'))) return;
  let listed = '';
  await withRemote(target, async (git) => {
    await git(['submodule', '--quiet', 'init']);
    listed = (await git(['config', '--get-regexp', '^submodule\\..*\\.url$'], [1])).stdout.toString('utf8');
  });
  const host = parseRepositoryUrl(repository.url).host;
  for (const line of listed.split('\n').filter(Boolean)) {
    const at = line.indexOf(' ');
    const [key, url] = [line.slice(0, at), line.slice(at + 1)];
    const remote = parseRepositoryUrl(url);
    if (remote.transport === 'local') continue;
    const name = key.slice('submodule.'.length, -'.url'.length);
    const { credentials } = repository;
    const own = { url, ...(credentials && remote.host === host ? { credentials } : {}) };
    let below = '';
    await withRemote({ ...target, repository: own }, async (git) => {
      const found = await git(['config', '--file', '.gitmodules', '--get', `submodule.${name}.path`], [1]);
      below = found.stdout.toString('utf8').trim();
      const depth = options.depth ? ['--depth', String(options.depth)] : [];
      if (below) await git(['submodule', '--quiet', 'update', ...depth, '--', below]);
    });
    const inner = resolve(path, below);
    if (below && inner.startsWith(`${resolve(path)}/`))
      await checkOutSubmodules({ ...target, repository: own, path: inner }, level + 1);
  }
}

type Git = (args: readonly string[], accepts?: readonly number[]) => Promise<{ code: number; stdout: Buffer }>;

/** The branch that the remote's HEAD is; undefined for an empty repository. */
async function headOf(git: Git): Promise<string | undefined> {
  const { stdout } = await git(['ls-remote', '--symref', 'origin', 'HEAD']);
  const branch = /^ref: refs\/heads\/(\S+)\s+HEAD$/m.exec(stdout.toString('utf8'))?.[1];
  return branch ? `refs/remotes/origin/${branch}` : undefined;
}

/** What is checked out: a branch by its name, so that it can be pushed to, and all else by its commit. */
async function wanted(
  git: Git,
  { revision, head, remote }: { revision: string | undefined; head: string | undefined; remote: string },
): Promise<string[]> {
  const known = async (name: string) =>
    (await git(['rev-parse', '--quiet', '--verify', `${name}^{commit}`], [1, 128])).stdout.toString('utf8').trim();
  if (!revision) return ['-B', (head ?? '').replace('refs/remotes/origin/', ''), head ?? ''];
  const tracked = `refs/remotes/origin/${revision}`;
  if (await known(tracked)) return ['-B', revision, tracked];
  const found = revision.startsWith('-') ? '' : await known(revision);
  if (found) return ['--detach', found];
  // hosts give commits that no branch leads to by their id
  if (/^[0-9a-f]{40,64}$/.test(revision)) {
    await git(['fetch', '--quiet', 'origin', revision]);
    return ['--detach', revision];
  }
  throw failure(revisionNotFound, {
    message: `The revision ${revision} is not in the repository`,
    place: { remote, revision },
    remedies: ['Name a branch, a tag or a commit that is there'],
  });
}
