import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GoError } from '../failure/go-error.ts';
import { type FileTree, parentOf } from '../load/file-tree.ts';

const limits = { files: 50_000, bytes: 512 * 1024 * 1024 };

/** Gives programs the files of trees as folders of this machine. Close it when the build is done. */
export class ProgramFolders {
  readonly #made = new Map<FileTree, Promise<string>>();
  #temporary: string | undefined;

  /** The folder of this machine with the files of a tree's folder: the folder itself if the tree is of this machine. */
  async folderOf(tree: FileTree, folder: string): Promise<string> {
    const local = tree.local?.(folder);
    if (local !== undefined) return local;
    let made = this.#made.get(tree);
    if (!made) {
      made = writeTree(tree, mkdtempSync(join(this.temporary, 'tree-')));
      this.#made.set(tree, made);
    }
    return join(await made, folder);
  }

  /** A folder for the build alone. */
  get temporary(): string {
    this.#temporary ??= mkdtempSync(join(tmpdir(), 'tiphys-kustomize-'));
    return this.#temporary;
  }

  close(): void {
    if (this.#temporary !== undefined) rmSync(this.#temporary, { recursive: true, force: true });
    this.#temporary = undefined;
    this.#made.clear();
  }
}

/** Writes all files of a tree into a folder; links stay links where the tree knows them. Gives the folder. */
export async function writeTree(tree: FileTree, folder: string): Promise<string> {
  if (!tree.list) throw new GoError('programs can not be run on this file system: its files can not be listed');
  const paths = await tree.list('/');
  if (paths.length > limits.files) throw tooMuch(`has more than ${limits.files} files`);
  let bytes = 0;
  for (const path of paths) {
    const at = join(folder, path);
    mkdirSync(parentOf(at), { recursive: true });
    const link = await tree.link?.(`/${path}`);
    if (link !== undefined) {
      // One that leads out leads nowhere, as it does in the tree.
      if (!leavesRoot(path, link)) symlinkSync(link, at);
      continue;
    }
    const found = await tree.find(`/${path}`);
    if (found?.kind !== 'file') continue;
    const data = await tree.read(found.path);
    bytes += data.length;
    if (bytes > limits.bytes) throw tooMuch(`has more than ${limits.bytes} bytes`);
    writeFileSync(at, data);
    if (found.executable) chmodSync(at, 0o755);
  }
  return folder;
}

function leavesRoot(path: string, link: string): boolean {
  if (link.startsWith('/')) return true;
  let depth = path.split('/').length - 1;
  for (const part of link.split('/')) {
    if (part === '..') depth--;
    else if (part !== '' && part !== '.') depth++;
    if (depth < 0) return true;
  }
  return false;
}

function tooMuch(what: string): GoError {
  const error = new GoError(`the repository ${what}: it is too much to run a program on`, {
    remedies: ['Split the repository, or use what is built in'],
  });
  error.marks.add('limit');
  return error;
}
