import { GoError } from '../failure/go-error.ts';
import type { FileTree, Found } from './file-tree.ts';

/** A path that a build looked at; the output can change only if one of them does. */
export interface PathRead {
  /** From the root of the tree, without a leading `/`. */
  readonly path: string;
  readonly found: 'file' | 'folder' | 'nothing';
  /** Everything below the folder counts: it was listed. */
  readonly listed?: true;
}

export interface TreeLimits {
  /** Bytes of one file. */
  readonly fileSize: number;
  /** Bytes of all files together. */
  readonly totalSize: number;
  readonly files: number;
}

export const defaultTreeLimits: TreeLimits = {
  fileSize: 32 * 1024 * 1024,
  totalSize: 512 * 1024 * 1024,
  files: 50_000,
};

/** A tree that notes what is looked at, reads each file once, and keeps within bounds. */
export class ObservedTree implements FileTree {
  readonly #inner: FileTree;
  readonly #limits: TreeLimits;
  readonly #found = new Map<string, Found | undefined>();
  readonly #files = new Map<string, Uint8Array>();
  readonly #listed = new Set<string>();
  #size = 0;

  constructor(inner: FileTree, limits: TreeLimits) {
    this.#inner = inner;
    this.#limits = limits;
  }

  async find(path: string): Promise<Found | undefined> {
    if (this.#found.has(path)) return this.#found.get(path);
    const found = await this.#inner.find(path);
    this.#found.set(path, found);
    return found;
  }

  async list(folder: string): Promise<readonly string[]> {
    if (!this.#inner.list) throw new GoError('files can not be listed in this tree');
    this.#listed.add(folder);
    await this.find(folder);
    return this.#inner.list(folder);
  }

  async link(path: string): Promise<string | undefined> {
    return this.#inner.link?.(path);
  }

  local(folder: string): string | undefined {
    return this.#inner.local?.(folder);
  }

  async read(path: string): Promise<Uint8Array> {
    const known = this.#files.get(path);
    if (known) return known;
    const data = await this.#inner.read(path);
    this.#size += data.length;
    if (data.length > this.#limits.fileSize) throw tooLarge(`${path} is larger than ${this.#limits.fileSize} bytes`);
    if (this.#size > this.#limits.totalSize)
      throw tooLarge(`more than ${this.#limits.totalSize} bytes were read, the last of ${path}`);
    this.#files.set(path, data);
    if (this.#files.size > this.#limits.files) throw tooLarge(`more than ${this.#limits.files} files were read`);
    return data;
  }

  /** The text of a file that was read. */
  textOf(path: string): string | undefined {
    const data = this.#files.get(path);
    return data && Buffer.from(data).toString('utf8');
  }

  get reads(): PathRead[] {
    return [...this.#found]
      .map(([path, found]) => ({
        path: path.slice(1),
        found: found?.kind ?? ('nothing' as const),
        ...(this.#listed.has(path) ? { listed: true as const } : {}),
      }))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}

function tooLarge(message: string): GoError {
  const error = new GoError(message, { remedies: ['Split the kustomization, or build with higher limits'] });
  error.marks.add('limit');
  return error;
}
