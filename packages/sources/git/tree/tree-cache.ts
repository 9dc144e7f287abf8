import type { ObjectReader } from './object-reader.ts';

export type EntryKind = 'file' | 'folder' | 'link' | 'submodule';

/** One entry of a folder. */
export interface TreeEntry {
  readonly name: string;
  /** Octal, as git writes it: `100644`, `100755`, `40000`, `120000`, `160000`. */
  readonly mode: string;
  readonly kind: EntryKind;
  readonly oid: string;
}

export type Folder = ReadonlyMap<string, TreeEntry>;

/** Parsed tree objects by their id, least recently used dropped; shared by all commits, so that a commit costs what it changed. */
export class TreeCache {
  readonly #folders = new Map<string, Folder>();
  readonly #reading = new Map<string, Promise<Folder | undefined>>();
  readonly #maxEntries: number;
  #entries = 0;

  /** `maxEntries`: of all folders together; about 150 bytes each. */
  constructor(maxEntries = 400_000) {
    this.#maxEntries = maxEntries;
  }

  /** Undefined if the object is not there. */
  async read(reader: ObjectReader, oid: string): Promise<Folder | undefined> {
    const known = this.#folders.get(oid);
    if (known) {
      this.#folders.delete(oid);
      this.#folders.set(oid, known);
      return known;
    }
    // A thousand applications ask for the same new folder at the same time.
    let reading = this.#reading.get(oid);
    if (!reading) {
      reading = this.#load(reader, oid).finally(() => this.#reading.delete(oid));
      this.#reading.set(oid, reading);
    }
    return reading;
  }

  async #load(reader: ObjectReader, oid: string): Promise<Folder | undefined> {
    const object = await reader.contents(oid);
    if (object?.type !== 'tree') return undefined;
    const folder = parseTree(object.content, oid.length / 2);
    this.#add(oid, folder);
    return folder;
  }

  #add(oid: string, folder: Folder): void {
    if (this.#folders.has(oid)) return;
    this.#folders.set(oid, folder);
    this.#entries += folder.size + 1;
    for (const [oldest, { size }] of this.#folders) {
      if (this.#entries <= this.#maxEntries || oldest === oid) break;
      this.#folders.delete(oldest);
      this.#entries -= size + 1;
    }
  }
}

function kindOf(mode: string): EntryKind {
  if (mode === '40000') return 'folder';
  if (mode === '120000') return 'link';
  return mode === '160000' ? 'submodule' : 'file';
}

/** Reads a raw tree object: `mode SP name NUL id` for each entry. */
function parseTree(content: Buffer, idBytes: number): Folder {
  const folder = new Map<string, TreeEntry>();
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const end = content.indexOf(0, space + 1);
    if (space < 0 || end < 0) break;
    const mode = content.toString('latin1', at, space);
    const name = content.toString('utf8', space + 1, end);
    at = end + 1 + idBytes;
    folder.set(name, { name, mode, kind: kindOf(mode), oid: content.toString('hex', end + 1, at) });
  }
  return folder;
}
