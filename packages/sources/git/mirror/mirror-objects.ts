import { DiagnosisError, failure } from '@tiphys/diagnosis';
import { mirrorCorrupt } from '../repository/diagnoses.ts';
import type { ObjectSource } from '../tree/git-tree.ts';
import type { Folder, TreeCache } from '../tree/tree-cache.ts';
import { describeMirror, type Mirror } from './mirror.ts';

export interface MirrorObjectsOptions {
  readonly mirror: Mirror;
  readonly trees: TreeCache;
  readonly display: string;
  /** Brings the commit into the mirror, or throws why not. */
  fetch(mirror: Mirror): Promise<void>;
}

/** The objects of one commit in a mirror. A damaged or deleted copy is made again, once per failed read. */
export class MirrorObjects implements ObjectSource {
  readonly checkedOut = true;
  readonly #options: MirrorObjectsOptions;
  #commit = '';

  constructor(options: MirrorObjectsOptions) {
    this.#options = options;
  }

  /** Makes the commit readable. */
  async ensure(commit: string): Promise<void> {
    this.#commit = commit;
    const { mirror, display } = this.#options;
    await mirror.prepare(commit.length);
    const seen = mirror.generation;
    const there = await mirror.has(commit).catch(retryOnce);
    if (there) return;
    if (there === false) {
      await this.#options.fetch(mirror);
      describeMirror(mirror.directory, display);
      if (await mirror.has(commit).catch(retryOnce)) return;
    }
    await this.#heal(seen);
  }

  /** Id of the root folder. */
  async rootOf(commit: string): Promise<string> {
    const text = (await this.commit(commit)).subarray(0, 80).toString('latin1');
    return /^tree ([0-9a-f]+)/.exec(text)?.[1] ?? '';
  }

  async commit(commit: string): Promise<Buffer> {
    return this.#read(commit, async () => (await this.#options.mirror.reader.contents(commit))?.content);
  }

  folder(oid: string): Promise<Folder> {
    return this.#read(oid, () => this.#options.trees.read(this.#options.mirror.reader, oid));
  }

  size(oid: string): Promise<number> {
    return this.#read(oid, async () => (await this.#options.mirror.reader.info(oid))?.size);
  }

  blob(oid: string): Promise<Buffer> {
    return this.#read(oid, async () => (await this.#options.mirror.reader.contents(oid))?.content);
  }

  async #read<T>(oid: string, attempt: () => Promise<T | undefined>): Promise<T> {
    const seen = this.#options.mirror.generation;
    const first = await attempt().catch(retryOnce);
    if (first !== undefined) return first;
    await this.#heal(seen);
    const second = await attempt();
    if (second !== undefined) return second;
    throw this.#damaged(oid);
  }

  async #heal(seen: number): Promise<void> {
    const { mirror } = this.#options;
    await mirror.restore(seen, this.#commit.length);
    if (await mirror.has(this.#commit)) return;
    await this.#options.fetch(mirror);
    if (!(await mirror.has(this.#commit))) throw this.#damaged(this.#commit);
  }

  #damaged(oid: string) {
    const { mirror, display } = this.#options;
    return failure(
      mirrorCorrupt,
      {
        message: `The repository ${display} lacks object ${oid}, although its commit ${this.#commit.slice(0, 7)} names it`,
        place: { remote: display, revision: this.#commit },
        evidence: { 'local copy': mirror.directory },
        remedies: [{ text: 'Check the repository itself', paste: 'git fsck --full' }],
      },
      { handling: 'retryable' },
    );
  }
}

/** Lets a damaged copy be healed; everything else is thrown on. */
function retryOnce(error: unknown): undefined {
  if (error instanceof DiagnosisError && error.diagnosis.code === mirrorCorrupt.code) return undefined;
  throw error;
}
