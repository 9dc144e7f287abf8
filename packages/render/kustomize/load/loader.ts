import { GoError, reworded, wrapped } from '../failure/go-error.ts';
import { cleanPath, type FileTree, isInside, joinPath, parentOf } from './file-tree.ts';
import { parseRepoSpec, type RepoSpec } from './repo-spec.ts';

/** A repository at a commit, as a tree of files. */
export interface RemoteTree {
  readonly tree: FileTree;
  /** Folder of the repository in the tree: `/` if the tree is the repository. */
  readonly root: string;
}

/** Gives what lies outside the tree. Each throws a diagnosis, or a GoError with Kustomize's words. */
export interface Remotes {
  /** The repository of a remote base at its ref. */
  repository(spec: RepoSpec): Promise<RemoteTree>;
  /** The answer of an http or https address, redirects followed. */
  file?(url: string): Promise<RemoteFile>;
}

export interface RemoteFile {
  readonly status: number;
  /** `404 Not Found` */
  readonly statusText: string;
  /** `Content-Type`, if there is one. */
  readonly contentType?: string;
  readonly body: Uint8Array;
}

export interface LoaderContext {
  readonly remotes: Remotes | undefined;
  /** Nested kustomizations. */
  readonly maxDepth: number;
}

/** Reads what one kustomization names, and keeps it in its bounds. */
export class Loader {
  readonly tree: FileTree;
  /** Real absolute path of the kustomization's folder. */
  readonly root: string;
  readonly #context: LoaderContext;
  readonly #restricted: boolean;
  readonly #referrer: Loader | undefined;
  readonly #repo: { spec: RepoSpec; folder: string } | undefined;
  readonly #depth: number;

  private constructor(
    tree: FileTree,
    root: string,
    context: LoaderContext,
    more: { restricted: boolean; referrer?: Loader; repo?: { spec: RepoSpec; folder: string } },
  ) {
    this.tree = tree;
    this.root = root;
    this.#context = context;
    this.#restricted = more.restricted;
    this.#referrer = more.referrer;
    this.#repo = more.repo;
    this.#depth = (more.referrer?.depth ?? 0) + 1;
  }

  /** For the folder that is built. */
  static async at(
    tree: FileTree,
    path: string,
    context: LoaderContext,
    options: { restricted: boolean; shownPath?: string | undefined },
  ): Promise<Loader> {
    const root = await confirmFolder(tree, cleanPath(path), options.shownPath);
    return new Loader(tree, root, context, { restricted: options.restricted });
  }

  /** For a remote repository that is built. */
  static async atRepository(spec: RepoSpec, context: LoaderContext): Promise<Loader> {
    return Loader.#clone(spec, context, undefined);
  }

  get depth(): number {
    return this.#depth;
  }

  /** The repository that this loader was opened for; undefined for a folder beside or below another one. */
  get repository(): RepoSpec | undefined {
    return this.#repo?.spec;
  }

  /** Folder of the repository in the tree. */
  get repositoryFolder(): string {
    return this.#repo?.folder ?? '/';
  }

  /** True below a remote base. */
  get isRemote(): boolean {
    return this.#containingRepo() !== undefined;
  }

  /** For a folder or repository that the kustomization names. Throws in Kustomize's words. */
  async open(path: string): Promise<Loader> {
    if (path === '') throw new GoError('new root cannot be empty');
    if (this.#depth >= this.#context.maxDepth) throw tooDeep(this.#context.maxDepth);
    const spec = parseRepoSpec(path);
    if (!('problem' in spec)) {
      this.#refuseRepoCycle(spec);
      return Loader.#clone(spec, this.#context, this);
    }
    if (path.startsWith('/')) throw new GoError(`new root '${path}' cannot be absolute`);
    const root = await confirmFolder(this.tree, joinPath(this.root, path)).catch((error: unknown) => {
      throw error instanceof GoError ? this.#outside(path, error) : error;
    });
    const repo = this.#containingRepo();
    if (repo && !isInside(root, repo.folder)) {
      throw new GoError(
        `security; bases in kustomizations found in cloned git repos must be within the repo, but base '${root}' is outside '${repo.folder}'`,
      );
    }
    this.#refuseCycle(root);
    return new Loader(this.tree, root, this.#context, { restricted: this.#restricted, referrer: this });
  }

  static async #clone(spec: RepoSpec, context: LoaderContext, referrer: Loader | undefined): Promise<Loader> {
    if (!context.remotes) {
      throw new GoError(`the remote base ${spec.raw} can not be read: remote bases are not enabled here`, {
        remedies: ['Copy the base into the repository, or build where remote bases are allowed'],
      });
    }
    const { tree, root } = await context.remotes.repository(spec);
    const path = joinPath(root, spec.path);
    const found = await tree.find(path);
    if (!found) throw missing(path, await firstMissing(tree, path));
    if (found.kind === 'file') throw new GoError(`'${path}' refers to file '${baseName(path)}'; expecting directory`);
    if (!isInside(found.path, root))
      throw new GoError(`${JSON.stringify(path)} refers to directory outside of repo ${JSON.stringify(root)}`);
    return new Loader(tree, found.path, context, {
      restricted: true,
      ...(referrer ? { referrer } : {}),
      repo: { spec, folder: root },
    });
  }

  #containingRepo(): { spec: RepoSpec; folder: string } | undefined {
    for (let loader: Loader | undefined = this; loader; loader = loader.#referrer)
      if (loader.#repo) return loader.#repo;
    return undefined;
  }

  #refuseCycle(candidate: string): void {
    for (let loader: Loader | undefined = this; loader; loader = loader.#referrer) {
      if (loader.tree === this.tree && isInside(loader.root, candidate)) {
        throw new GoError(`cycle detected: candidate root '${candidate}' contains visited root '${loader.root}'`, {
          evidence: { 'kustomizations above': this.#chain() },
          remedies: ['Remove the entry: a kustomization can not build on itself or on a folder that contains it'],
        });
      }
    }
  }

  #chain(): string {
    const roots: string[] = [];
    for (let loader: Loader | undefined = this; loader; loader = loader.#referrer) roots.unshift(loader.root);
    return roots.join(' → ');
  }

  #refuseRepoCycle(spec: RepoSpec): void {
    for (let loader: Loader | undefined = this; loader; loader = loader.#referrer) {
      const own = loader.#repo?.spec.raw;
      if (own?.startsWith(spec.raw))
        throw new GoError(`cycle detected: URI '${spec.raw}' referenced by previous URI '${own}'`);
    }
  }

  /** Bytes of a file that the kustomization names; the path counts from its folder. Throws in Kustomize's words. */
  async load(path: string): Promise<Uint8Array> {
    if (/^https?:/i.test(path)) return this.#fetch(path);
    const absolute = path.startsWith('/') ? path : joinPath(this.root, path);
    const found = await this.tree.find(cleanPath(absolute));
    if (!this.#restricted) {
      if (!found) throw new GoError(`open ${absolute}: no such file or directory`);
      if (found.kind === 'folder') throw notAFile(`read ${absolute}: is a directory`);
      return this.tree.read(found.path);
    }
    if (!found) throw this.#outside(path, missing(absolute, await firstMissing(this.tree, cleanPath(absolute))));
    if (found.kind === 'folder') throw notAFile(`'${absolute}' must resolve to a file`);
    if (!isInside(parentOf(found.path), this.root)) {
      const error = new GoError(`security; file '${absolute}' is not in or below '${this.root}'`, {
        remedies: [
          `Move the file into ${this.root}, or make the folder that has it a kustomization and name it in resources`,
        ],
      });
      error.marks.add('load-restriction');
      throw error;
    }
    return this.tree.read(found.path);
  }

  /** Says of a path that leads above the repository that it does: what is there is another thing than what was meant. */
  #outside(path: string, error: GoError): GoError {
    const isLocal = this.tree.local?.('/') !== undefined;
    if (isLocal || !error.marks.has('missing-path') || !leadsAbove(this.root, path)) return error;
    const told = reworded(error, error.message, {
      evidence: { 'leads out of the repository': path, 'counts from': this.root },
      remedies: ['Name a path inside of the repository: nothing outside of it is read'],
    });
    told.marks.add('outside');
    return told;
  }

  async #fetch(url: string): Promise<Uint8Array> {
    const spec = parseRepoSpec(url);
    const repository = !('problem' in spec);
    const { remotes } = this.#context;
    const named = /\.(?:ya?ml|json)(?:\?|$)/.test(url);
    if (repository && !named && (/\.git(?:\/|\?|$)|_git\/|[?&](?:ref|version)=/.test(url) || !remotes?.file))
      throw marked(new GoError('URL is a git repository'), 'repository-url');
    if (!remotes?.file)
      // A file is no base: nothing else is tried.
      throw marked(
        new GoError(`the file ${url} can not be read: remote files are not enabled here`, {
          remedies: ['Copy the file into the repository and name its path'],
        }),
        'http',
      );
    const { status, statusText, contentType = '', body } = await remotes.file(url);
    if (status >= 200 && status < 300) {
      // A page about a repository is no manifest.
      if (repository && !named && contentType.startsWith('text/html'))
        throw marked(new GoError('URL is a git repository'), 'repository-url');
      return body;
    }
    if (repository) throw marked(new GoError('URL is a git repository'), 'repository-url');
    const words = statusText.replace(/^\d+ /, '');
    throw marked(
      new GoError(`HTTP Error: status code ${status} (${words})`, {
        evidence: { url },
        remedies: ['Correct the address, or copy the file into the repository and name its path'],
      }),
      'http',
    );
  }

  /** The path as places of diagnoses have it: from the root of the tree. */
  display(path: string): string {
    return (path.startsWith('/') ? cleanPath(path) : joinPath(this.root, path)).slice(1);
  }
}

/** More steps up than there are folders above. */
function leadsAbove(root: string, path: string): boolean {
  let depth = root.split('/').filter(Boolean).length;
  for (const part of path.split('/')) {
    if (part === '..') depth -= 1;
    else if (part !== '' && part !== '.') depth += 1;
    if (depth < 0) return true;
  }
  return false;
}

async function confirmFolder(tree: FileTree, path: string, shown: string = path): Promise<string> {
  const found = await tree.find(path);
  if (!found)
    throw wrapped(missing(shown, await firstMissing(tree, path)), 'must build at directory: not a valid directory');
  if (found.kind === 'file') throw new GoError(`must build at directory: '${shown}': file is not directory`);
  return found.path;
}

function missing(path: string, at: { path: string; problem: string }): GoError {
  const error = new GoError(`evalsymlink failure on '${path}' : lstat ${at.path}: ${at.problem}`);
  error.marks.add('missing-path');
  return error;
}

function tooDeep(limit: number): GoError {
  const error = new GoError(`kustomizations are nested deeper than ${limit}`, {
    remedies: ['Take layers out: a base that builds on a base that builds on a base … ends here'],
  });
  error.marks.add('limit');
  return error;
}

function marked(error: GoError, mark: string): GoError {
  error.marks.add(mark);
  return error;
}

function notAFile(message: string): GoError {
  const error = new GoError(message);
  error.marks.add('is-folder');
  return error;
}

/** The first folder or file on the way that is not there. */
async function firstMissing(tree: FileTree, path: string): Promise<{ path: string; problem: string }> {
  let at = '';
  let inFile = false;
  for (const part of path.split('/').slice(1)) {
    const found = await tree.find(`${at}/${part}`);
    if (!found) return { path: `${at}/${part}`, problem: inFile ? 'not a directory' : 'no such file or directory' };
    inFile = found.kind === 'file';
    at = found.path === '/' ? '' : found.path;
  }
  return { path, problem: 'no such file or directory' };
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
