import { randomUUID } from 'node:crypto';
import { type DiagnosisError, failure, type Remedy } from '@tiphys/diagnosis';
import type { Clock } from '@tiphys/kubernetes';
import type { Mirror } from '../mirror/mirror.ts';
import type { RemoteAccess } from '../mirror/remote-access.ts';
import { commitOf, type RefTable } from '../refs/ref-table.ts';
import { branchContended, invalidRepositoryUrl, pushRefused, repositoryFailed } from '../repository/diagnoses.ts';
import { type SigningKey, signCommit } from '../signatures/commit-signing.ts';
import type { GitTree } from '../tree/git-tree.ts';
import { type FileChanges, type ImportedCommit, importStream } from './import-stream.ts';

/** What is to be on a branch. */
export interface BranchWrite {
  /** Short name. */
  readonly branch: string;
  /** Where the branch begins if it is not there; made with an empty commit if that is not there either. The branch itself if absent. */
  readonly base?: string;
  readonly author: { readonly name: string; readonly email: string };
  readonly signingKey?: SigningKey | undefined;
  /** What to change at the tip, and why; undefined if all is there. Called again if somebody else pushed in between. */
  change(tip: GitTree): Promise<{ message: string; files: FileChanges } | undefined>;
  /** Written beside the commit that the branch is at then, below `refs/notes/`. */
  readonly note?: { readonly namespace: string; readonly text: string };
  readonly signal?: AbortSignal;
}

export interface WrittenBranch {
  /** The commit that the branch is at. */
  readonly commit: string;
  /** False if nothing was to change. */
  readonly changed: boolean;
}

export interface BranchWriterParts {
  readonly access: RemoteAccess;
  readonly mirror: Mirror;
  readonly clock: Clock;
  readonly timeout: number;
  /** The files of a commit. */
  open(commit: string): Promise<GitTree>;
}

const attempts = 6;

/** Of git and of hosts: somebody else's push came first. */
const contended =
  /stale info|fetch first|non-fast-forward|incorrect old value|failed to update ref|cannot lock ref|reference already exists|failed to lock/i;

/**
 * Commits to one branch of a remote without a work tree, by compare and swap: a push of somebody else in between is read, and
 * the change made anew on top of it. It may be interrupted anywhere and begun again.
 */
export class BranchWriter {
  readonly #parts: BranchWriterParts;
  readonly #write: BranchWrite;

  constructor(parts: BranchWriterParts, write: BranchWrite) {
    this.#parts = parts;
    this.#write = write;
    for (const name of [write.branch, write.base ?? write.branch]) assertBranch(name, parts.access.display);
  }

  async run(): Promise<WrittenBranch> {
    const written = await this.#untilPushed(() => this.#commit());
    const { note } = this.#write;
    if (note) await this.#untilPushed(() => this.#annotate(written.commit, note));
    return written;
  }

  /** The change as a commit on top of a tip, here alone: what `publish` then pushes can be looked at before. */
  async draft(tip: string): Promise<string | undefined> {
    const change = await this.#write.change(await this.#parts.open(tip));
    return change && (await this.#make({ parent: tip, ...change }));
  }

  /** Pushes a draft; false if the branch is not at `expected` any more (undefined: not there). */
  publish(commit: string, expected: string | undefined): Promise<boolean> {
    return this.#push(commit, `refs/heads/${this.#write.branch}`, expected);
  }

  /** Tries again where somebody else was first: undefined says so. */
  async #untilPushed<T>(attempt: () => Promise<T | undefined>): Promise<T> {
    for (let count = 0; count < attempts; count += 1) {
      this.#write.signal?.throwIfAborted();
      const done = await attempt();
      if (done !== undefined) return done;
      await this.#parts.clock.sleep(50 * 2 ** count, this.#write.signal);
    }
    throw failure(
      branchContended,
      {
        message: `Others pushed to ${this.#write.branch} each of the ${attempts} times that a commit was made for it`,
        place: { remote: this.#parts.access.display, revision: this.#write.branch },
        remedies: ['It is tried again by itself'],
      },
      { handling: 'retryable' },
    );
  }

  #refs(): Promise<RefTable> {
    const { signal } = this.#write;
    return this.#parts.access.refs({ maxAge: 0, ...(signal ? { signal } : {}) });
  }

  async #commit(): Promise<WrittenBranch | undefined> {
    const { branch, base = branch } = this.#write;
    const table = await this.#refs();
    const tip = commitOf(table, `refs/heads/${branch}`);
    const start = tip ?? commitOf(table, `refs/heads/${base}`) ?? (await this.#begin(base));
    if (start === undefined) return undefined;
    const change = await this.#write.change(await this.#parts.open(start));
    if (!change && tip) return { commit: tip, changed: false };
    const commit = change ? await this.#make({ parent: start, ...change }) : start;
    return (await this.#push(commit, `refs/heads/${branch}`, tip)) ? { commit, changed: true } : undefined;
  }

  /** The first commit of a branch, which is empty. */
  async #begin(branch: string): Promise<string | undefined> {
    await this.#parts.mirror.prepare();
    const commit = await this.#make({ message: `Initial commit for ${branch}` });
    return (await this.#push(commit, `refs/heads/${branch}`, undefined)) ? commit : undefined;
  }

  async #annotate(commit: string, note: NonNullable<BranchWrite['note']>): Promise<true | undefined> {
    const ref = `refs/notes/${note.namespace}`;
    const parent = commitOf(await this.#refs(), ref);
    if (parent && (await readNote(await this.#parts.open(parent), commit)) === note.text) return true;
    const made = await this.#make({
      message: "Notes added by 'git notes add'",
      notes: new Map([[commit, note.text]]),
      ...(parent ? { parent } : {}),
    });
    return (await this.#push(made, ref, parent)) ? true : undefined;
  }

  async #make(commit: Omit<ImportedCommit, 'ref' | 'committer'>): Promise<string> {
    const { mirror, clock, timeout } = this.#parts;
    const ref = `refs/tiphys/written/${randomUUID()}`;
    const committer = { ...this.#write.author, at: clock.now() };
    const { code, stdout, stderr } = await mirror.git(['fast-import', '--quiet', '--force', '--done'], timeout, {
      input: importStream({ ref, committer, ...commit }),
      ...(this.#write.signal ? { signal: this.#write.signal } : {}),
    });
    const made = stdout.toString('latin1').trim();
    if (code !== 0 || !/^[0-9a-f]{40,64}$/.test(made)) throw this.#failed('fast-import', stderr);
    await mirror.git(['update-ref', '-d', ref], timeout);
    return this.#write.signingKey && !commit.notes ? this.#sign(made, this.#write.signingKey) : made;
  }

  async #sign(commit: string, key: SigningKey): Promise<string> {
    const { mirror, clock, timeout } = this.#parts;
    const content = (await mirror.reader.contents(commit))?.content ?? Buffer.alloc(0);
    const input = (await signCommit(content, key, clock.now())).toString('utf8');
    const { code, stdout, stderr } = await mirror.git(['hash-object', '-t', 'commit', '-w', '--stdin'], timeout, {
      input,
    });
    if (code !== 0) throw this.#failed('hash-object', stderr);
    return stdout.toString('latin1').trim();
  }

  /** False if the ref is not at `expected` any more. Throws what the host says against it. */
  async #push(commit: string, ref: string, expected: string | undefined): Promise<boolean> {
    const { access, mirror } = this.#parts;
    const result = await access.push(mirror, { commit, ref, expected });
    access.invalidate();
    if (result.code === 0) return true;
    const said = `${result.stdout.toString('utf8')}\n${result.stderr}`;
    if (contended.test(said)) return false;
    const refusal = /\[(?:remote )?rejected\] ?\(?([^)\n]*)/.exec(said)?.[1];
    if (refusal === undefined) throw await access.explain('push', result);
    const why = said
      .split('\n')
      .filter((line) => line.startsWith('remote: ') && line.length > 9)
      .map((line) => line.slice(8).trim());
    throw failure(pushRefused, {
      message: `The host refuses commits to ${ref.replace(/^refs\/heads\//, '')}: ${refusal}`,
      place: { remote: access.display, revision: ref },
      evidence: why.length > 0 ? { 'the host says': why.join('\n').slice(0, 1000) } : {},
      remedies: remediesOf(refusal, ref.replace(/^refs\/heads\//, '')),
    });
  }

  #failed(command: string, stderr: string): DiagnosisError {
    return failure(
      repositoryFailed,
      {
        message: `git ${command} could not write a commit into the local copy`,
        place: { remote: this.#parts.access.display },
        evidence: { stderr: stderr || undefined },
      },
      { handling: 'retryable' },
    );
  }
}

/** A host refuses a branch that its own work tree has checked out whoever pushes; all else is a matter of rights. */
function remediesOf(refusal: string, branch: string): readonly (Remedy | string)[] {
  if (!refusal.includes('currently checked out'))
    return ['Let the user of the write credentials push to the branch, or choose a branch that is not protected'];
  return [
    {
      text: `The repository has a work tree, in which ${branch} is checked out: let a push change that too, in the repository of the host`,
      paste: 'git config receive.denyCurrentBranch updateInstead',
    },
    'Or push to a bare repository, or check out another branch there',
  ];
}

/** The note of a commit in a tree of notes, at whatever depth git has put it; undefined if it has none. */
async function readNote(tree: GitTree, commit: string): Promise<string | undefined> {
  for (let depth = 0; depth < 4; depth += 1) {
    const folders = Array.from({ length: depth }, (_, index) => commit.slice(index * 2, index * 2 + 2));
    const path = [...folders, commit.slice(depth * 2)].join('/');
    const entry = await tree.entry(path);
    if (entry?.kind === 'file') return Buffer.from(await tree.read(path)).toString('utf8');
  }
  return undefined;
}

/** Throws unless git takes the text for the name of a branch; rules of git-check-ref-format. */
function assertBranch(name: string, display: string): void {
  const wrong =
    name === '' ||
    name.length > 250 ||
    name.startsWith('-') ||
    /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\/$|^\/|\.$|\.lock(?:\/|$)|(?:^|\/)\./.test(name);
  if (!wrong) return;
  throw failure(invalidRepositoryUrl, {
    message: `"${name.slice(0, 100).replace(/[\u0000-\u001f\u007f]/g, '?')}" cannot be the name of a branch`,
    place: { remote: display, field: 'targetBranch' },
    remedies: ['Use letters, digits, /, - and _'],
  });
}
