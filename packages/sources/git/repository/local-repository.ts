import { existsSync, type FSWatcher, readFileSync, statSync, watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { failure } from '@tiphys/diagnosis';
import { repositoryNotFound } from './diagnoses.ts';

/** The folders of a local repository: bare, with a work tree, or a linked work tree. */
export interface LocalRepository {
  /** Has HEAD. */
  readonly gitDirectory: string;
  /** Has objects, refs and packed-refs; the same unless it is a linked work tree. */
  readonly commonDirectory: string;
}

/** Finds them; throws the diagnosis R2 if the path is no git repository. */
export function locateRepository(path: string): LocalRepository {
  const gitDirectory = [resolve(path, '.git'), resolve(path), `${resolve(path)}.git`]
    .map(followGitFile)
    .find((candidate) => candidate !== undefined && existsSync(join(candidate, 'HEAD')));
  const commonDirectory = gitDirectory === undefined ? undefined : commonOf(gitDirectory);
  if (gitDirectory === undefined || commonDirectory === undefined || !existsSync(join(commonDirectory, 'objects'))) {
    const exists = existsSync(path);
    throw failure(repositoryNotFound, {
      message: exists ? `${path} is not a git repository` : `${path} does not exist`,
      place: { remote: path },
      remedies: [
        exists
          ? {
              text: 'Make it one',
              paste: `git -C ${path} init && git -C ${path} add -A && git -C ${path} commit -m start`,
            }
          : 'Correct the repository URL',
      ],
    });
  }
  return { gitDirectory, commonDirectory };
}

function followGitFile(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  if (statSync(path).isDirectory()) return path;
  const target = /^gitdir: (.+)/.exec(readFileSync(path, 'utf8').slice(0, 4096))?.[1]?.trim();
  return target === undefined ? undefined : resolve(join(path, '..'), target);
}

function commonOf(gitDirectory: string): string {
  const file = join(gitDirectory, 'commondir');
  return existsSync(file) ? resolve(gitDirectory, readFileSync(file, 'utf8').trim()) : gitDirectory;
}

/**
 * Calls `onChange` soon after a ref of the local repository may have moved: never too seldom, sometimes in vain.
 * `onError` is called when watching ends, such as when the repository is deleted. Does not keep the process alive.
 */
export function watchLocal(
  repository: LocalRepository,
  onChange: () => void,
  onError: (error: unknown) => void,
): () => void {
  const watchers: FSWatcher[] = [];
  const close = () => {
    for (const watcher of watchers) watcher.close();
  };
  const add = (path: string, recursive: boolean, wanted: (name: string) => boolean) => {
    if (!existsSync(path)) return;
    const watcher = watch(path, { recursive, persistent: false }, (_, name) => {
      if (name === null || wanted(name)) onChange();
    });
    watcher.on('error', onError);
    watchers.push(watcher);
  };
  const isRef = (name: string) => !name.endsWith('.lock');
  add(repository.gitDirectory, false, (name) => name === 'HEAD');
  if (repository.commonDirectory !== repository.gitDirectory)
    add(repository.commonDirectory, false, (name) => name === 'packed-refs');
  else add(repository.gitDirectory, false, (name) => name === 'packed-refs');
  add(join(repository.commonDirectory, 'refs'), true, isRef);
  add(join(repository.commonDirectory, 'reftable'), false, isRef);
  return close;
}

/** The same text for as long as no ref of the local repository moves: of the files that hold refs names, times and inodes. Rejects if it is gone. */
export async function fingerprintOf({ gitDirectory, commonDirectory }: LocalRepository): Promise<string> {
  const below = async (folder: string) =>
    (await readdir(folder, { recursive: true }).catch(ignoreMissing))?.sort().map((name) => join(folder, name)) ?? [];
  const refs = [...(await below(join(commonDirectory, 'refs'))), ...(await below(join(commonDirectory, 'reftable')))];
  const facts = async (path: string) => {
    const found = await stat(path).catch(ignoreMissing);
    return found ? `${path} ${found.mtimeMs} ${found.size} ${found.ino}` : path;
  };
  const head = await stat(join(gitDirectory, 'HEAD'));
  const others = await Promise.all([join(commonDirectory, 'packed-refs'), ...refs].map(facts));
  return [`${head.mtimeMs} ${head.size} ${head.ino}`, ...others].join('\n');
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}
