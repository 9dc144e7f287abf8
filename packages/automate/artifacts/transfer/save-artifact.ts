import { createReadStream } from 'node:fs';
import { chmod, lstat, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Clock, systemClock } from '@tiphys/kubernetes';
import { unsupported } from '../model/failures.ts';
import type { ArtifactStore } from '../model/store.ts';
import { pack } from './pack.ts';
import { retried } from './retry.ts';
import { walk } from './walk.ts';

export interface SaveOptions {
  readonly store: ArtifactStore;
  readonly path: string;
  /** As the artifact has it; a compressed tar if absent. */
  readonly archive?: {
    readonly none?: object;
    readonly tar?: { readonly compressionLevel?: number };
    readonly zip?: object;
  };
  /** Folder for archives until they are stored; the machine's if absent. */
  readonly temporary?: string;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

export interface SavedArtifact {
  /** Bytes that were stored. */
  readonly size: number;
  /** Files that were stored: more than one for a folder without archive. */
  readonly files: number;
}

/** What an archive adds to the name of a file or folder: `.tgz`, `.zip`, or nothing. */
export function archiveSuffix(archive: SaveOptions['archive']): string {
  if (archive?.none) return '';
  return archive?.zip ? '.zip' : '.tgz';
}

/** Stores a file or folder, packed as `archive` says. An archive is made on disk first, so that an upload can be tried again. */
export async function saveArtifact({
  store,
  path,
  archive,
  temporary = tmpdir(),
  ...options
}: SaveOptions): Promise<SavedArtifact> {
  const { clock = systemClock, signal = new AbortController().signal } = options;
  if (archive?.none) return await saveTree(store, path, { clock, signal });
  const folder = await mkdtemp(join(temporary, 'tiphys-artifact-'));
  try {
    // who saves it may be another process, of another user
    if (store.saveFrom) await chmod(folder, 0o755);
    const packed = join(folder, `${basename(path)}${archiveSuffix(archive)}`);
    const level = archive?.tar?.compressionLevel;
    await pack(
      path,
      packed,
      archive?.zip ? { kind: 'zip' } : { kind: 'tar', ...(level === undefined ? {} : { level }) },
    );
    return await saveTree(store, packed, { clock, signal });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function saveTree(
  store: ArtifactStore,
  path: string,
  time: { clock: Clock; signal: AbortSignal },
): Promise<SavedArtifact> {
  if (store.saveFrom) {
    await retried(async () => store.saveFrom?.(path), time);
    return { size: (await stat(path)).size, files: 1 };
  }
  let [size, files] = [0, 0];
  const isFolder = (await lstat(path)).isDirectory();
  if (isFolder && (store.kind === 'http' || store.kind === 'artifactory'))
    throw unsupported(store.kind, 'folders without an archive', 'Leave archive: none away for the folder');
  for await (const item of walk(path)) {
    const { name, stats } = item;
    // a link of the root itself is what the step meant to save
    const found = stats.isSymbolicLink() && name === '' ? await stat(item.path) : stats;
    if (!found.isFile()) continue;
    await retried(
      () => store.write(createReadStream(item.path), { size: found.size, ...(name ? { file: name } : {}) }),
      time,
    );
    size += found.size;
    files += 1;
  }
  return { size, files };
}
