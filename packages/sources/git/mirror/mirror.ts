import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@tiphys/kubernetes';
import type { GitResult, GitRun } from '../connect/git-process.ts';
import { runGit } from '../connect/git-process.ts';
import { ObjectReader } from '../tree/object-reader.ts';

export interface MirrorOptions {
  readonly directory: string;
  /** Variables of git without access to any remote. */
  readonly environment: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** The objects folder of a local repository, which is read in place; absent: objects are fetched. */
  readonly alternate?: string;
}

/** What to bring: a commit, and the ref that it was found under if it was. */
export interface FetchRequest {
  readonly remote: string;
  readonly commit: string;
  readonly ref?: string;
  readonly depth?: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeout: number;
  /** On the disk, before the fetch is given up. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/** Which ref of the remote goes to which commit; absent `expected`: the ref must not be there. */
export interface PushRequest {
  readonly commit: string;
  readonly ref: string;
  readonly expected: string | undefined;
  /** The remote is a folder of this machine. */
  readonly local?: boolean;
}

/** Nothing that the configuration of a local repository says is run when it receives a commit. */
const receivePack = [
  'git',
  ...['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'core.alternateRefsCommand=:'].flatMap((set) => ['-c', set]),
  ...['-c', 'receive.denyCurrentBranch=refuse'],
  'receive-pack',
].join(' ');

const packsBeforeGc = 40;

/**
 * A bare repository in the cache folder: nothing in it is precious. It is made when it is missing, cleaned of what a killed
 * process left, and made again when it is damaged. It appears whole or not at all; fetches run one at a time; reads at any time.
 */
export class Mirror {
  readonly directory: string;
  readonly reader: ObjectReader;
  readonly #options: MirrorOptions;
  #prepared = false;
  #preparing: Promise<void> | undefined;
  #restoring: Promise<void> | undefined;
  #generation = 0;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: MirrorOptions) {
    this.#options = options;
    this.directory = options.directory;
    this.reader = new ObjectReader(options.directory, options.environment);
  }

  /** How often everything was thrown away. */
  get generation(): number {
    return this.#generation;
  }

  /** Makes the folder if it is missing, once for all who ask at the same time; `idLength` is 40, or 64 for SHA-256 repositories. */
  async prepare(idLength = 40): Promise<void> {
    if (this.#prepared && existsSync(join(this.directory, 'HEAD'))) return;
    this.#preparing ??= this.#prepare(idLength).finally(() => {
      this.#preparing = undefined;
    });
    return this.#preparing;
  }

  /** True if the commit and its root folder can be read. */
  async has(commit: string): Promise<boolean> {
    const [object, tree] = await Promise.all([this.reader.info(commit), this.reader.info(`${commit}^{tree}`)]);
    return object?.type === 'commit' && tree !== undefined;
  }

  /** The full id that an abbreviated one stands for, among the commits that are here. */
  async complete(abbreviated: string): Promise<string | undefined> {
    return (await this.reader.info(`${abbreviated}^{commit}`))?.oid;
  }

  /** Brings one commit with its history (to `depth`). The result's code is git's; nothing is thrown for it. */
  fetch(request: FetchRequest): Promise<GitResult> {
    const name = createHash('sha1')
      .update(request.ref ?? request.commit)
      .digest('hex')
      .slice(0, 16);
    return this.#exclusively(() => this.#fetch(request, [`+${request.commit}:refs/tiphys/${name}`]));
  }

  /** Brings every branch and tag: for servers that give no single commit, and for abbreviated ids. */
  fetchAll(request: Omit<FetchRequest, 'commit' | 'ref'>): Promise<GitResult> {
    return this.#exclusively(() =>
      this.#fetch(request, ['+refs/heads/*:refs/tiphys/heads/*', '+refs/tags/*:refs/tiphys/tags/*']),
    );
  }

  /** Runs git in the mirror, with no access to any remote. */
  git(
    args: readonly string[],
    timeout: number,
    options: { readonly input?: string; readonly signal?: AbortSignal } = {},
  ): Promise<GitResult> {
    return runGit({
      args: ['--git-dir', this.directory, ...args],
      environment: this.#options.environment,
      clock: this.#options.clock,
      timeout,
      ...options,
    });
  }

  /** Moves a ref of the remote from one commit to another that is here, and refuses if it is not at the first any more. */
  push(request: PushRequest & Omit<FetchRequest, 'commit' | 'ref' | 'maxBytes'>): Promise<GitResult> {
    const { commit, ref, expected = '', remote, environment, timeout, signal, local = false } = request;
    return runGit({
      args: [
        '--git-dir',
        this.directory,
        'push',
        '--porcelain',
        '--no-verify',
        '--no-signed',
        '--recurse-submodules=no',
        ...(local ? [`--receive-pack=${receivePack}`] : []),
        `--force-with-lease=${ref}:${expected}`,
        '--',
        remote,
        `${commit}:${ref}`,
      ],
      environment,
      clock: this.#options.clock,
      timeout,
      ...(signal ? { signal } : {}),
    });
  }

  /** Throws everything away and starts afresh, unless somebody has done so since generation `seen`. */
  restore(seen: number, idLength: number): Promise<void> {
    if (this.#generation === seen)
      this.#restoring ??= this.#exclusively(async () => {
        this.#generation += 1;
        this.#prepared = false;
        this.reader.close();
        rmSync(this.directory, { recursive: true, force: true });
        await this.prepare(idLength);
      }).finally(() => {
        this.#restoring = undefined;
      });
    return this.#restoring ?? this.prepare(idLength);
  }

  close(): void {
    this.reader.close();
  }

  async #prepare(idLength: number): Promise<void> {
    if (existsSync(join(this.directory, 'HEAD'))) {
      removeLeftovers(this.directory);
      this.#readInPlace(this.directory);
    } else await this.#create(idLength);
    this.#prepared = true;
  }

  #readInPlace(directory: string): void {
    if (!this.#options.alternate) return;
    const info = join(directory, 'objects', 'info');
    mkdirSync(info, { recursive: true });
    writeFileSync(join(info, 'alternates'), `${this.#options.alternate}\n`);
  }

  // A reader that met a half-made copy would take what it lacks for missing from the repository.
  async #create(idLength: number): Promise<void> {
    const making = `${this.directory}.making`;
    rmSync(making, { recursive: true, force: true });
    mkdirSync(making, { recursive: true });
    const format = idLength === 64 ? ['--object-format=sha256'] : [];
    await this.#plain(['init', '--bare', '--quiet', '--template=', ...format, making]);
    this.#readInPlace(making);
    this.reader.close();
    rmSync(this.directory, { recursive: true, force: true });
    renameSync(making, this.directory);
  }

  async #fetch(request: Omit<FetchRequest, 'commit' | 'ref'>, refspecs: string[]): Promise<GitResult> {
    const depth = request.depth ? [`--depth=${request.depth}`] : [];
    const result = await this.#cleaned({
      args: [
        '--git-dir',
        this.directory,
        'fetch',
        '--quiet',
        '--no-tags',
        '--no-write-fetch-head',
        '--no-auto-maintenance',
        '--no-recurse-submodules',
        ...depth,
        '--',
        request.remote,
        ...refspecs,
      ],
      environment: request.environment,
      clock: this.#options.clock,
      timeout: request.timeout,
      bounds: { written: { folder: join(this.directory, 'objects'), bytes: request.maxBytes } },
      ...(request.signal ? { signal: request.signal } : {}),
    });
    if (result.code === 0) await this.#tidy(request.timeout);
    return result;
  }

  /** Runs git, and removes what it had begun unless it succeeded: who never ends a pack would fill the disk, a time-out at a time. */
  async #cleaned(run: GitRun): Promise<GitResult> {
    let succeeded = false;
    try {
      const result = await runGit(run);
      succeeded = result.code === 0;
      return result;
    } finally {
      if (!succeeded) removeLeftovers(this.directory);
    }
  }

  /** Many small packs slow reading down; git puts them together. Nothing is removed: another reader may need it. */
  async #tidy(timeout: number): Promise<void> {
    const packs = join(this.directory, 'objects', 'pack');
    if (!existsSync(packs) || readdirSync(packs).filter((name) => name.endsWith('.pack')).length < packsBeforeGc)
      return;
    await this.git(['repack', '-a', '-d', '-k', '-q'], timeout);
  }

  async #plain(args: readonly string[]): Promise<GitResult> {
    return runGit({ args, environment: this.#options.environment, clock: this.#options.clock, timeout: 30_000 });
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work, work);
    this.#queue = turn.catch(() => undefined);
    return turn;
  }
}

/** Locks and half-written packs and objects of a git that was killed: this process owns the folder, so no other git works in it. */
function removeLeftovers(directory: string): void {
  if (!existsSync(directory)) return;
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.name.endsWith('.lock') || entry.name.startsWith('tmp_')) rmSync(path, { recursive: true, force: true });
    else if (entry.isDirectory()) removeLeftovers(path);
  }
}

/** True if this stderr says that the copy, not the remote, is damaged. */
export function saysCorrupt(stderr: string): boolean {
  return /loose object .* is corrupt|object file .* is empty|bad object|unable to read (tree|sha1)|index file .* (is too small|corrupt)|packfile .* (cannot be|is) |inflate:|not a git repository|did not send all necessary objects|pack has bad object|reftable|does not point to a valid object/i.test(
    stderr,
  );
}

/** Where the credential-free name of a mirror's repository is kept, for people who look into the cache. */
export function describeMirror(directory: string, display: string): void {
  const file = join(directory, 'description');
  try {
    if (!existsSync(file) || readFileSync(file, 'utf8') !== display) writeFileSync(file, display);
  } catch (error) {
    // another caller replaces the damaged copy: whether it has the commit is what the caller of this checks next
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
