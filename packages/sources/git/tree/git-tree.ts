import { failure } from '@tiphys/diagnosis';
import { fileNotConverted, fileNotFound, fileTooBig, linkLeaves } from '../repository/diagnoses.ts';
import { Attributes, attributesName, digestOf } from './attributes.ts';
import { type Conversion, conversionKey, convert, refusalOf } from './conversion.ts';
import type { EntryKind, Folder, TreeEntry } from './tree-cache.ts';

/** Reads objects by id; anyone who makes it heals a damaged copy and throws where it cannot. */
export interface ObjectSource {
  /** Files are read as a checkout by git would write them: converted by `.gitattributes`. Absent: as they are stored. */
  readonly checkedOut?: true;
  folder(oid: string): Promise<Folder>;
  /** With `lfs`: of what a pointer of Git LFS stands for, where it is fetched. */
  size(oid: string, filter?: 'lfs'): Promise<number>;
  blob(oid: string, filter?: 'lfs'): Promise<Buffer>;
  /** The objects of the submodule at a path of this repository; its root folder has the id `commit`. Absent: none is read. */
  enter?(path: string, commit: string): ObjectSource;
}

/** Objects of a part of a tree, and where that part begins. */
interface Module {
  readonly objects: ObjectSource;
  readonly path: string;
}

/** What an entry is in its repository. */
interface Stored {
  readonly module: Module;
  readonly oid: string;
  /** For a folder: the rules of those around it. */
  readonly around?: Attributes | undefined;
  readonly conversion?: Conversion | undefined;
}

/** A folder that is looked into. */
interface OpenFolder {
  readonly path: string;
  readonly module: Module;
  readonly entries: Folder;
  readonly attributes: Attributes | undefined;
}

/** Of entries that lie in submodules, or that are other than they are stored. */
const storedEntries = new WeakMap<PathEntry, Stored>();

/** An entry of the tree at its path from the root. */
export interface PathEntry {
  /** With `/`, without a leading one; the root is ``. */
  readonly path: string;
  readonly kind: EntryKind;
  readonly mode: string;
  /** Equal ids have equal contents: that of git where it is as it is stored, and otherwise one of the id and what is made of it. */
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
      const target = await this.#text(step.link);
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
    return entry?.kind === 'link' ? this.#text(entry) : undefined;
  }

  /** The entries of a folder, sorted by name, or of everything below it in depth-first order. Links are listed, not followed. */
  async *list(path = '', options: { recursive?: boolean } = {}): AsyncGenerator<PathEntry> {
    const folder = await this.resolve(path);
    if (folder?.kind !== 'folder') return;
    yield* this.#listFolder(folder, options.recursive ?? false);
  }

  /**
   * Bytes of the file at a path, links followed. Throws `FileNotFound` or `FileTooBig` before any byte is read, and `FileNotConverted` where
   * `.gitattributes` asks for what is not done.
   */
  async read(path: string, options: ReadOptions = {}): Promise<Uint8Array> {
    const entry = await this.resolve(path);
    if (entry?.kind !== 'file') throw this.#notFound(path, entry);
    const maxBytes = options.maxBytes ?? 10 * 1024 * 1024;
    const size = await this.#storedSize(entry);
    if (size > maxBytes) {
      throw failure(fileTooBig, {
        message: `The file ${path} has ${size} bytes; the limit is ${maxBytes}`,
        place: { file: path, remote: this.#display, revision: this.commit },
        evidence: { size, limit: maxBytes },
        remedies: ['Split the file, or raise the limit'],
      });
    }
    return this.#content(entry);
  }

  /** Bytes of a file as it is stored, or of what its pointer of Git LFS stands for, without reading it. */
  async size(entry: PathEntry): Promise<number> {
    return this.#storedSize(entry);
  }

  #storedSize(entry: PathEntry): Promise<number> {
    const { module, oid, conversion } = this.#stored(entry);
    return module.objects.size(oid, filterOf(conversion));
  }

  async #content(entry: PathEntry): Promise<Buffer> {
    const { module, oid, conversion } = this.#stored(entry);
    const refusal = conversion && refusalOf(conversion);
    if (refusal) throw this.#notConverted(entry, refusal);
    const content = await module.objects.blob(oid, filterOf(conversion));
    return conversion ? convert(content, oid, conversion) : content;
  }

  /** What a link says. */
  async #text(link: PathEntry): Promise<string> {
    const { module, oid } = this.#stored(link);
    return (await module.objects.blob(oid)).toString('utf8');
  }

  async *#listFolder(folder: PathEntry, recursive: boolean): AsyncGenerator<PathEntry> {
    this.#observer?.(folder.path, folder.oid);
    const opened = await this.#opened(folder);
    for (const entry of sorted(opened.entries)) {
      const child = this.#at(entry, opened);
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
      const opened = await this.#opened(current);
      const entry = opened.entries.get(part);
      if (!entry) return undefined;
      current = this.#at(entry, opened);
      if (current.kind === 'link') return { link: current, rest: parts.slice(index + 1).join('/') };
    }
    return current;
  }

  #stored(entry: PathEntry): Stored {
    return storedEntries.get(entry) ?? { module: this.#module, oid: entry.oid };
  }

  async #opened(folder: PathEntry): Promise<OpenFolder> {
    const { module, oid, around } = this.#stored(folder);
    const { objects } = module;
    const entries = await objects.folder(oid);
    const at = { folder: inside(module, folder.path), entries, around };
    const attributes = objects.checkedOut ? await Attributes.of(at, objects) : undefined;
    return { path: folder.path, module, entries, attributes };
  }

  /** A submodule that can be entered is a folder like any other. */
  #at({ name, kind, mode, oid }: TreeEntry, { path: parent, module, attributes }: OpenFolder): PathEntry {
    const path = parent === '' ? name : `${parent}/${name}`;
    if (kind === 'submodule' && module.objects.enter) {
      const found: PathEntry = { path, kind: 'folder', mode, oid };
      storedEntries.set(found, { module: { objects: module.objects.enter(inside(module, path), oid), path }, oid });
      return found;
    }
    const conversion = kind === 'file' ? attributes?.conversionOf(inside(module, path)) : undefined;
    const made = conversion ? conversionKey(conversion) : kind === 'folder' ? attributes?.digest : undefined;
    const found = { path, kind, mode, oid: made === undefined ? oid : digestOf(oid, path, made) };
    const around = kind === 'folder' ? attributes : undefined;
    if (module !== this.#module || conversion || around) storedEntries.set(found, { module, oid, around, conversion });
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

  #notConverted({ path }: PathEntry, refusal: string) {
    return failure(fileNotConverted, {
      message: `The file ${path} can not be read as a checkout by git would have it: ${attributesName} gives it ${refusal}`,
      place: { file: path, remote: this.#display, revision: this.commit },
      remedies: [
        {
          text: `Take it off the file in a line at the end of ${attributesName}`,
          paste: `${quoted(path)} -filter -working-tree-encoding`,
        },
        'Commit the file as it is to be read; for what is encrypted, use a config-management plugin and another attribute',
      ],
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

function filterOf(conversion: Conversion | undefined): 'lfs' | undefined {
  return conversion?.filter === 'lfs' ? 'lfs' : undefined;
}

/** A path of the tree from the top of its repository. */
function inside({ path: top }: Module, path: string): string {
  return top === '' ? path : path.slice(top.length + 1);
}

/** A path as a pattern of its own. */
function quoted(path: string): string {
  const plain = `/${path.replace(/[*?[\\]/g, '\\$&')}`;
  return /[\s"]/.test(plain) ? JSON.stringify(plain) : plain;
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
