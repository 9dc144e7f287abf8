import type { ApplicationSourceJsonnet } from '@tiphys/api';
import { failure } from '@tiphys/diagnosis';
import { type GitTree, normalizePath } from '@tiphys/git';
import { pathInvalid } from './diagnoses.ts';
import type { ReadPath } from './rendered.ts';

/** An import of a program, as it is written. */
export interface Wanted {
  /** The file that imports. */
  readonly from: string;
  readonly how: 'code' | 'text' | 'bytes';
  readonly name: string;
}

/** Where an import leads, with all the places that were looked at. */
export interface Resolved extends Wanted {
  readonly path?: string;
  readonly looked: readonly ReadPath[];
}

/** For maps. */
export function wantedKey({ from, how, name }: Wanted): string {
  return JSON.stringify([from, how, name]);
}

/** The folders of `directory.jsonnet.libs`, from the root of the repository. Throws for one that leads out of it. */
export function libraryFolders({ libs = [] }: ApplicationSourceJsonnet): string[] {
  return libs.map((lib, index) => {
    const folder = normalizePath(lib);
    if (folder !== undefined) return folder;
    throw failure(pathInvalid, {
      message: `file '${lib}' resolved to outside repository root`,
      place: { field: `spec.source.directory.jsonnet.libs[${index}]` },
      remedies: ['Name a folder of the repository, from its root'],
    });
  });
}

/**
 * Where an import leads, by go-jsonnet's order: beside the file that imports, then in the libraries, the last one first, then
 * in the application's folder. Links are followed inside the repository only, and no absolute path is.
 */
export async function resolveImport(tree: GitTree, wanted: Wanted, folders: readonly string[]): Promise<Resolved> {
  const { from, name } = wanted;
  const looked: ReadPath[] = [];
  if (name.startsWith('/') || name === '') return { ...wanted, looked };
  const beside = from.slice(0, Math.max(0, from.lastIndexOf('/')));
  for (const folder of new Set([beside, ...folders.toReversed()])) {
    const path = normalizePath(`${folder}/${name}`);
    const entry = path === undefined ? undefined : await tree.resolve(path);
    if (path === undefined) continue;
    if (entry?.kind !== 'file') {
      looked.push({ path });
      continue;
    }
    looked.push({ path, oid: entry.oid });
    return { ...wanted, path, looked };
  }
  return { ...wanted, looked };
}
