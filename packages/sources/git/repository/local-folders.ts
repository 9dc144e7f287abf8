import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { type DiagnosisError, failure } from '@tiphys/diagnosis';
import { invalidRepositoryUrl } from './diagnoses.ts';
import { type LocalRepository, locateRepository } from './local-repository.ts';

/** Which repositories of this machine may be read: `any` for a program that acts for its own user alone. */
export type LocalRepositories =
  | 'any'
  | {
      /** Folders that have them; a repository among these may keep its objects elsewhere. */
      readonly below: readonly string[];
      /** Folders that are never read, even below one of those. */
      readonly except?: readonly string[];
    };

/** What git follows from a repository to folders elsewhere, by real paths. */
interface RealFolders {
  readonly repository: LocalRepository;
  readonly folders: readonly string[];
}

/**
 * The one way to a repository of this machine. Its real path, and those of all folders that git would follow from it, are
 * below a named folder: neither symbolic links, `/proc/self/root`, `.git` files nor alternates lead elsewhere, and least of all to
 * what Tiphys keeps itself.
 */
export class LocalFolders {
  readonly #allowed: LocalRepositories;
  readonly #below: readonly string[];
  readonly #except: readonly string[];

  constructor(allowed: LocalRepositories = { below: [] }) {
    this.#allowed = allowed;
    const { below, except = [] } = allowed === 'any' ? { below: [] } : allowed;
    this.#below = below.flatMap((path) => [...new Set([resolve(path), ...homes(path)])]);
    this.#except = except.flatMap((path) => [...new Set([resolve(path), realpath(path)])]);
  }

  /** Throws for a path that is not below a named folder; whether there is anything is not looked at. */
  admit(path: string): void {
    if (this.#allowed === 'any' || this.#isNamed(resolve(path))) return;
    throw refused(path, this.#below.length > 0);
  }

  /** The repository at the path. Throws a diagnosis if there is none, or if any of it is not below a named folder. */
  locate(path: string): LocalRepository {
    this.admit(path);
    if (this.#allowed === 'any') return locateRepository(path);
    const { repository, folders } = realFolders(path);
    if (!folders.every((folder) => this.#isNamed(folder) && !isOwn(folder))) throw refused(path, true);
    return repository;
  }

  #isNamed(path: string): boolean {
    return this.#below.some((folder) => isBelow(path, folder)) && !this.#except.some((folder) => isBelow(path, folder));
  }
}

function realFolders(path: string): RealFolders {
  const located = locateRepository(path);
  const repository = {
    gitDirectory: realpath(located.gitDirectory),
    commonDirectory: realpath(located.commonDirectory),
  };
  const objects = realpath(join(repository.commonDirectory, 'objects'));
  return {
    repository,
    folders: [repository.gitDirectory, repository.commonDirectory, objects, ...alternatesOf(objects)],
  };
}

/** A named folder by its real path, and where it keeps its objects if it is a repository itself. */
function homes(path: string): string[] {
  const real = realpath(path);
  try {
    return [real, ...realFolders(real).folders];
  } catch {
    // no repository: it has some
    return [real];
  }
}

function alternatesOf(objects: string, depth = 0): string[] {
  const file = join(objects, 'info', 'alternates');
  if (depth > 5 || !existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => realpath(resolve(objects, line)))
    .flatMap((folder) => [folder, ...alternatesOf(folder, depth + 1)]);
}

/** Whether the folder is in the cache of this process or of another one. */
function isOwn(folder: string): boolean {
  for (let at = folder; at !== dirname(at); at = dirname(at))
    if (existsSync(join(at, 'askpass')) && existsSync(join(at, 'mirrors'))) return true;
  return false;
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** The path itself where there is nothing. */
function realpath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

function refused(path: string, some: boolean): DiagnosisError {
  return failure(invalidRepositoryUrl, {
    message: `The repository ${path} is a folder of the server: ${
      some ? 'it is not below one that this server may read' : 'this server may read none'
    }`,
    place: { remote: path },
    remedies: [
      'Push it to a git host and use that URL',
      { text: 'Or name a folder that has it when the server starts', paste: 'tiphys up --local-repositories FOLDER' },
    ],
  });
}
