import { failure } from '@tiphys/diagnosis';
import { fileNotFound, fileTooBig, linkLeaves } from './diagnoses.ts';
import type { EntryKind, Folder, TreeEntry } from './tree-cache.ts';

/** Reads objects by id; whoever makes it heals a damaged copy and throws where it cannot. */
export interface ObjectSource {
  folder(oid: string): Promise<Folder>;
  size(oid: string): Promise<number>;
  blob(oid: string): Promise<Buffer>;
  /** The objects of the submodule at a path of this repository; its root folder has the id `commit`. Absent: none is read. */
  enter?(path: string, commit: string): ObjectSource;
}

/** Objects of a part of a tree, and where that part begins. */
interface Module {
  readonly objects: ObjectSource;
  readonly path: string;
}

/** Entries that lie in submodules. */
const modules = new WeakMap<PathEntry, Module>();

/** An entry of the tree at its path from the root. */
export interface PathEntry {
  /** With `/`, without a leading one; the root is ``. */
  readonly path: string;
  readonly kind: EntryKind;
  readonly mode: string;
  readonly oid: string;
}

/** Called for each path that was looked at, with the id found there; undefined where there was nothing. */
export type Observer = (path: string, oid: string | undefined) => void;

export interface ReadOptions {
  /** A longer file is refused with a diagnosis; 10 MiB if absent. */
  readonly maxBytes?: number;
}

const maxLinks = 40;

/** The files of one commit, read from git's objects. Links are followed inside the tree only. */
export class GitTree {
  readonly commit: string;
  readonly #module: Module;
  readonly #root: PathEntry;
  readonly #display: string;
  readonly #observer: Observer | undefined;

  constructor(objects: ObjectSource, commit: string, treeOid: string, display: string, observer?: Observer) {
    this.commit = commit;
    this.#module = { objects, path: '' };
    this.#root = { path: '', kind: 'folder', mode: '40000', oid: treeOid };
    this.#display = display;
    this.#observer = observer;
  }

  /** The same tree, telling what is looked at: the source of read-sets. */
  observedBy(observer: Observer): GitTree {
    return new GitTree(this.#module.objects, this.commit, this.#root.oid, this.#display, observer);
  }

  /** The entry at a path, links not followed. Undefined if there is none, or the path leaves the tree. */
  async entry(path: string): Promise<PathEntry | undefined> {
    const normal = normalize(path);
    const found = normal === undefined ? undefined : await this.#find(normal);
    if (normal !== undefined) this.#observer?.(normal, found?.oid);
    return found;
  }

  /** Id of the file or folder at a path, links not followed. */
  async treeOid(path = ''): Promise<string | undefined> {
    return (await this.entry(path))?.oid;
  }

  /**
   * The file or folder that a path leads to, links followed. Undefined if there is nothing.
   * Throws `LinkLeavesRepository` for a link that leads out of the tree, to an absolute path, or in a circle.
   */
  async resolve(path: string): Promise<PathEntry | undefined> {
    let rest = normalize(path);
    if (rest === undefined) return undefined;
    let followed = 0;
    let firstLink: string | undefined;
    for (;;) {
      const step = await this.#walk(rest);
      if (!step) return undefined;
      if (!('link' in step)) return step;
      firstLink ??= step.link.path;
      followed += 1;
      const target = (await this.#of(step.link).objects.blob(step.link.oid)).toString('utf8');
      if (followed > maxLinks) throw this.#badLink(firstLink, target, 'leads in a circle');
      if (target.startsWith('/') || /^[A-Za-z]:/.test(target))
        throw this.#badLink(step.link.path, target, 'leads to an absolute path, out of the repository');
      const next = normalize(join(parentOf(step.link.path), target, step.rest));
      if (next === undefined) throw this.#badLink(step.link.path, target, 'leads out of the repository');
      rest = next;
    }
  }

  /** What the symbolic link at a path says; undefined for what is no link. */
  async linkTarget(path: string): Promise<string | undefined> {
    const entry = await this.entry(path);
    return entry?.kind === 'link' ? (await this.#of(entry).objects.blob(entry.oid)).toString('utf8') : undefined;
  }

  /** The entries of a folder, sorted by name, or of everything below it in depth-first order. Links are listed, not followed. */
  async *list(path = '', options: { recursive?: boolean } = {}): AsyncGenerator<PathEntry> {
    const folder = await this.resolve(path);
    if (folder?.kind !== 'folder') return;
    yield* this.#listFolder(folder, options.recursive ?? false);
  }

  /** Bytes of the file at a path, links followed. Throws `FileNotFound` or `FileTooBig`, before any byte is read. */
  async read(path: string, options: ReadOptions = {}): Promise<Uint8Array> {
    const entry = await this.resolve(path);
    if (entry?.kind !== 'file') throw this.#notFound(path, entry);
    const maxBytes = options.maxBytes ?? 10 * 1024 * 1024;
    const { objects } = this.#of(entry);
    const size = await objects.size(entry.oid);
    if (size > maxBytes) {
      throw failure(fileTooBig, {
        message: `The file ${path} has ${size} bytes; the limit is ${maxBytes}`,
        place: { file: path, remote: this.#display, revision: this.commit },
        evidence: { size, limit: maxBytes },
        remedies: ['Split the file, or raise the limit'],
      });
    }
    return objects.blob(entry.oid);
  }

  /** Bytes of a file without reading it. */
  async size(entry: PathEntry): Promise<number> {
    return this.#of(entry).objects.size(entry.oid);
  }

  async *#listFolder(folder: PathEntry, recursive: boolean): AsyncGenerator<PathEntry> {
    this.#observer?.(folder.path, folder.oid);
    const module = this.#of(folder);
    for (const entry of sorted(await module.objects.folder(folder.oid))) {
      const child = this.#at(folder.path, entry, module);
      yield child;
      if (recursive && child.kind === 'folder') yield* this.#listFolder(child, true);
    }
  }

  async #find(path: string): Promise<PathEntry | undefined> {
    const step = await this.#steps(path);
    return step && !('link' in step) ? step : step && step.rest === '' ? step.link : undefined;
  }

  /** As far as the first link: `rest` is what follows it. */
  async #walk(path: string): Promise<PathEntry | { link: PathEntry; rest: string } | undefined> {
    const step = await this.#steps(path);
    const seen = step === undefined ? { path, oid: undefined } : 'link' in step ? step.link : step;
    this.#observer?.(seen.path, seen.oid);
    return step;
  }

  async #steps(path: string): Promise<PathEntry | { link: PathEntry; rest: string } | undefined> {
    let current = this.#root;
    const parts = path === '' ? [] : path.split('/');
    for (const [index, part] of parts.entries()) {
      if (current.kind !== 'folder') return undefined;
      const module = this.#of(current);
      const entry = (await module.objects.folder(current.oid)).get(part);
      if (!entry) return undefined;
      current = this.#at(current.path, entry, module);
      if (current.kind === 'link') return { link: current, rest: parts.slice(index + 1).join('/') };
    }
    return current;
  }

  #of(entry: PathEntry): Module {
    return modules.get(entry) ?? this.#module;
  }

  /** A submodule that can be entered is a folder like any other. */
  #at(parent: string, entry: TreeEntry, module: Module): PathEntry {
    const path = parent === '' ? entry.name : `${parent}/${entry.name}`;
    const { mode, oid } = entry;
    if (entry.kind !== 'submodule' || !module.objects.enter) {
      const found = { path, kind: entry.kind, mode, oid };
      if (module !== this.#module) modules.set(found, module);
      return found;
    }
    const inside = module.path === '' ? path : path.slice(module.path.length + 1);
    const found: PathEntry = { path, kind: 'folder', mode, oid };
    modules.set(found, { objects: module.objects.enter(inside, oid), path });
    return found;
  }

  #badLink(path: string, target: string, why: string) {
    return failure(linkLeaves, {
      message: `The symbolic link ${path} ${why}`,
      place: { file: path, remote: this.#display, revision: this.commit },
      evidence: { link: path, target: target.slice(0, 200) },
      remedies: [`Replace the link ${path} by the file itself, or point it to a file inside the repository`],
    });
  }

  #notFound(path: string, entry: PathEntry | undefined) {
    return failure(fileNotFound, {
      message: entry ? `${path} is a ${entry.kind}, not a file` : `The file ${path} is not in the repository`,
      place: { file: path, remote: this.#display, revision: this.commit },
      remedies: ['Correct the path, or add the file'],
    });
  }
}

function sorted(folder: Folder): TreeEntry[] {
  return [...folder.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function join(...parts: string[]): string {
  return parts.filter((part) => part !== '').join('/');
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** A path from the root without `.`, `..` and empty parts; undefined if it leaves the root. A leading `/` means the root. */
export function normalize(path: string): string | undefined {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}
