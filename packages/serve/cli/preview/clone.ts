import { execFile } from 'node:child_process';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { parseRepositoryUrl } from '@tiphys/git';

const previewRevisionMissing = defineDiagnosis(
  'PreviewRevisionMissing',
  'The clone that a preview without a server reads does not have the revision, or no commit that both revisions come from',
);
const previewNoClone = defineDiagnosis(
  'PreviewNoClone',
  'A preview without a server reads a clone of the repository, and the folder is none',
);

/** A clone of the repository on this machine; nothing of it is changed, and nothing is fetched into it. */
export class Clone {
  /** Its top folder. */
  readonly folder: string;
  readonly #origins: ReadonlySet<string>;
  readonly #signal: AbortSignal;

  private constructor(folder: string, origins: ReadonlySet<string>, signal: AbortSignal) {
    this.folder = folder;
    this.#origins = origins;
    this.#signal = signal;
  }

  /** The clone that a folder is in. It stands for its remotes and for the URLs given. Throws PreviewNoClone. */
  static async at(folder: string, urls: readonly string[], signal: AbortSignal): Promise<Clone> {
    const top = await answer(folder, ['rev-parse', '--show-toplevel'], signal);
    if (top === undefined)
      throw failure(previewNoClone, {
        message: `${folder} is in no clone of a Git repository that has a work tree`,
        place: { field: '--clone' },
        remedies: ['Run it in a clone of the repository, or name one with --clone FOLDER'],
      });
    const remotes = (await answer(top, ['config', '--get-regexp', '^remote\\..*\\.url$'], signal)) ?? '';
    const named = remotes.split('\n').flatMap((line) => line.split(' ').slice(1, 2));
    return new Clone(top, new Set([top, ...urls, ...named].filter(Boolean).map(placeOf)), signal);
  }

  /** Whether a URL, over whatever transport and with whatever user, names this repository. */
  isOf(url: string): boolean {
    return this.#origins.has(placeOf(url));
  }

  /** The commit of a branch, also of one that only the remote `origin` was seen to have, a tag or a commit. */
  async commit(revision: string): Promise<string> {
    for (const name of [revision, `refs/remotes/origin/${revision}`]) {
      const commit = await this.#ask('rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`);
      if (commit) return commit;
    }
    throw failure(previewRevisionMissing, {
      message: `The clone ${this.folder} has no revision "${revision}"`,
      remedies: [{ text: 'Fetch it; in CI check out with the whole history', paste: `git fetch origin ${revision}` }],
    });
  }

  /** The newest commit that both come from. */
  async mergeBase(base: string, head: string): Promise<string> {
    const commit = (await this.#ask('merge-base', base, head))?.split('\n')[0];
    if (commit) return commit;
    throw failure(previewRevisionMissing, {
      message: `The clone ${this.folder} has no commit that ${base.slice(0, 8)} and ${head.slice(0, 8)} both come from`,
      remedies: [{ text: 'Check out with the whole history (fetch-depth: 0)', paste: 'git fetch --unshallow origin' }],
    });
  }

  /** The branch that the remote's HEAD stands for; undefined where this clone was not told. */
  async defaultBranch(): Promise<string | undefined> {
    const ref = await this.#ask('symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD');
    return ref?.replace(/^origin\//, '');
  }

  /** Files of a commit, at or below the paths (all if none), that have a line which matches an extended expression. */
  async filesWith(commit: string, expression: string, paths: readonly string[]): Promise<string[]> {
    const within = paths.length > 0 ? paths.map((path) => `:(literal)${path.replace(/^\.\/|(?<!\/)\/+$/g, '')}`) : [];
    const everywhere = within.some((path) => path === ':(literal)' || path === ':(literal).') ? [] : within;
    const found = await this.#ask('grep', '-z', '-I', '-l', '-E', '-e', expression, commit, '--', ...everywhere);
    const names = (found ?? '').split('\0').filter(Boolean);
    return names.map((name) => name.slice(commit.length + 1)).filter((name) => /^[^\n]*\.(ya?ml|json)$/i.test(name));
  }

  /** Texts of files of a commit, in their order; one process reads them all. */
  async read(commit: string, paths: readonly string[]): Promise<string[]> {
    if (paths.length === 0) return [];
    const git = execFile('git', ['-C', this.folder, 'cat-file', '--batch'], {
      encoding: 'buffer',
      maxBuffer: 1 << 30,
      signal: this.#signal,
    });
    git.stdin?.end(paths.map((path) => `${commit}:${path}\n`).join(''));
    const chunks: Buffer[] = [];
    for await (const chunk of git.stdout ?? []) chunks.push(Buffer.from(chunk as Uint8Array));
    return blobsOf(Buffer.concat(chunks));
  }

  #ask(...args: readonly string[]): Promise<string | undefined> {
    return answer(this.folder, args, this.#signal);
  }
}

/** The contents in an answer of `cat-file --batch`: `ID blob SIZE`, a line's end, content, a line's end. */
function blobsOf(answer: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 0; at < answer.length; ) {
    const end = answer.indexOf(10, at);
    const size = Number(answer.subarray(at, end).toString().split(' ')[2]);
    if (end < 0 || !Number.isSafeInteger(size)) break;
    texts.push(answer.subarray(end + 1, end + 1 + size).toString());
    at = end + 1 + size + 1;
  }
  return texts;
}

/** What git prints, without the last line's end; undefined where it exits with another code than 0. */
function answer(folder: string, args: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    execFile('git', ['-C', folder, ...args], { maxBuffer: 256 << 20, signal }, (error, stdout) => {
      if (error && typeof error.code !== 'number') reject(error);
      else resolve(error ? undefined : stdout.replace(/\n$/, ''));
    });
  });
}

/** Host and path of a URL; the path of a folder. */
function placeOf(url: string): string {
  try {
    const { transport, host, remote } = parseRepositoryUrl(url);
    if (transport === 'local') return remote;
    const path = remote.replace(/^[a-z+]+:\/\/[^/]*/i, '').replace(/^[^/:]*@[^:/]+:/, '/');
    return `${host}/${path.replace(/^\/+|(?<!\/)\/+$/g, '').replace(/\.git$/, '')}`.toLowerCase();
  } catch {
    // what is no URL names nothing but itself
    return url;
  }
}
