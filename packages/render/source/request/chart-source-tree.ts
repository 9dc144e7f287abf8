import { createHash } from 'node:crypto';
import type { ApplicationSource } from '@tiphys/api';
import { failure } from '@tiphys/diagnosis';
import { type Folder, GitTree, normalizePath, type PathEntry, type TreeEntry } from '@tiphys/git';
import { artifactInvalid, pathInvalid, pathMissing } from './diagnoses.ts';

/** A file, or a symbolic link whose data is its target. */
export interface TreeFile {
  readonly path: string;
  readonly kind: 'file' | 'link';
  readonly data: Uint8Array;
  /** Permission bits; 0644 if absent. */
  readonly mode?: number;
}

interface Draft {
  readonly folders: Map<string, Draft>;
  readonly files: Map<string, TreeFile>;
}

/**
 * Files in memory as a tree of git objects, so that all that reads repositories reads packages too, links and read-sets
 * included. Ids are those that git would give.
 */
export function memoryTree(files: readonly TreeFile[], revision: string, display: string): GitTree {
  const folders = new Map<string, Folder>();
  const blobs = new Map<string, Buffer>();
  const root: Draft = { folders: new Map(), files: new Map() };
  for (const file of files) put(root, file, display);
  const rootId = store(root, folders, blobs);
  const found = <T>(map: ReadonlyMap<string, T>, id: string): T => {
    const value = map.get(id);
    if (value === undefined) throw new Error(`object ${id} is not in the package`);
    return value;
  };
  return new GitTree(
    {
      folder: async (id) => found(folders, id),
      size: async (id) => found(blobs, id).length,
      blob: async (id) => found(blobs, id),
    },
    revision,
    rootId,
    display,
  );
}

function put(root: Draft, file: TreeFile, display: string): void {
  const parts = file.path.split('/');
  const name = parts.pop() ?? '';
  let folder = root;
  for (const part of parts) {
    if (folder.files.has(part)) throw twice(file.path, display);
    const inner = folder.folders.get(part) ?? { folders: new Map(), files: new Map() };
    folder.folders.set(part, inner);
    folder = inner;
  }
  if (folder.folders.has(name)) throw twice(file.path, display);
  folder.files.set(name, file);
}

function twice(path: string, display: string) {
  return failure(artifactInvalid, {
    message: `The package has ${path} as a file and as a folder`,
    place: { file: path, remote: display },
    remedies: ['Make the package again'],
  });
}

function store(draft: Draft, folders: Map<string, Folder>, blobs: Map<string, Buffer>): string {
  const entries: TreeEntry[] = [];
  for (const [name, inner] of draft.folders)
    entries.push({ name, mode: '40000', kind: 'folder', oid: store(inner, folders, blobs) });
  for (const [name, { kind, data, mode = 0o644 }] of draft.files) {
    const content = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    const oid = objectId('blob', content);
    blobs.set(oid, content);
    entries.push({ name, mode: kind === 'link' ? '120000' : mode & 0o111 ? '100755' : '100644', kind, oid });
  }
  // Git compares folders as if their names ended in a slash.
  const key = ({ name, kind }: TreeEntry): Buffer => Buffer.from(kind === 'folder' ? `${name}/` : name);
  entries.sort((a, b) => Buffer.compare(key(a), key(b)));
  const parts = entries.flatMap(({ mode, name, oid }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]);
  const id = objectId('tree', Buffer.concat(parts));
  folders.set(id, new Map(entries.map((entry) => [entry.name, entry])));
  return id;
}

function objectId(type: string, content: Buffer): string {
  return createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');
}

/** The folder of an artifact that `spec.source.path` names; of a packaged chart always its top. */
export async function packageFolder(tree: GitTree, source: ApplicationSource): Promise<PathEntry> {
  const path = source.chart ? '' : (source.path ?? '');
  const normal = path.startsWith('/') ? undefined : normalizePath(path);
  const place = { field: 'spec.source.path', remote: source.repoURL, revision: tree.commit };
  if (normal === undefined) {
    throw failure(pathInvalid, {
      message: `The path "${path}" leads out of the artifact`,
      place,
      remedies: ['Write it from the top of the artifact, or `.`'],
    });
  }
  const folder = await tree.resolve(normal);
  if (folder?.kind === 'folder') return folder;
  const names: string[] = [];
  for await (const entry of tree.list('')) if (entry.kind === 'folder') names.push(entry.path);
  throw failure(pathMissing, {
    message: `${path}: app path does not exist in the artifact`,
    place,
    evidence: { 'folders at the top': names.slice(0, 20).join(', ') || 'none' },
    remedies: ['Set path to a folder of the artifact, or `.`'],
  });
}
