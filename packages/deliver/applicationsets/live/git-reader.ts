import { integrityPolicy, type SharedState, signatureProblem } from '@tiphys/applications';
import type { GitRepositories, GitTree } from '@tiphys/git';
import type { GitFile, GitRequest, GitSource } from '../generators/sources.ts';
import { compileFilePattern } from './git-patterns.ts';
import { type Trust, untrusted } from './source-integrity.ts';

const maxBytes = 10 * 1024 * 1024;
const kept = 1_000;

interface Read<T> {
  readonly commit: string;
  readonly value: T;
}

/**
 * Folders and files of repositories, with the credentials and mirrors of the Applications. What was read is kept with its commit: the
 * next one costs one comparison of trees if nothing changed of what was read.
 */
export class GitReader implements GitSource {
  readonly #git: GitRepositories;
  readonly #access: SharedState['access'];
  readonly #trust: Trust;
  readonly #known = new Map<string, Read<unknown>>();

  constructor(git: GitRepositories, access: SharedState['access'], trust: Trust) {
    this.#git = git;
    this.#access = access;
    this.#trust = trust;
  }

  async directories(request: GitRequest & { readonly hidden: boolean }): Promise<readonly string[]> {
    const { hidden } = request;
    const { value } = await this.#read(request, ['directories', hidden], {
      read: (tree) => listFolders(tree, hidden),
      // a folder comes or goes with a file
      concerns: (change) => change.before === undefined || change.after === undefined,
    });
    return value;
  }

  files(
    request: GitRequest & {
      readonly include: readonly string[];
      readonly exclude: readonly string[];
      readonly newGlobbing: boolean;
    },
  ): Promise<Read<readonly GitFile[]>> {
    const { include, exclude, newGlobbing } = request;
    const compile = (patterns: readonly string[]) =>
      patterns.map((pattern) => compileFilePattern(pattern, newGlobbing));
    const [wanted, unwanted] = [compile(include), compile(exclude)];
    const matches = (path: string) => wanted.some((is) => is(path)) && !unwanted.some((is) => is(path));
    return this.#read(request, ['files', include, exclude, newGlobbing], {
      read: (tree) => readFiles(tree, matches),
      concerns: (change) => matches(change.path),
    });
  }

  async #read<T>(
    { repoURL, revision, project, refresh, maxAge, signal }: GitRequest,
    what: readonly unknown[],
    { read, concerns }: { read(tree: GitTree): Promise<T>; concerns(change: Change): boolean },
  ): Promise<Read<T>> {
    const repository = this.#access.repository({ repoURL }, project);
    const cancel = signal ? { signal } : {};
    const age = refresh ? 0 : maxAge;
    const { commit } = await this.#git.resolve(repository, revision || 'HEAD', {
      ...(age === undefined ? {} : { maxAge: age }),
      ...cancel,
    });
    // before anything is taken from what was read earlier: the rules may have changed
    await this.#prove(repository, commit, project, signal);
    const id = JSON.stringify([repoURL, project, repository.credentials?.from ?? '', ...what]);
    const known = this.#known.get(id) as Read<T> | undefined;
    if (known?.commit === commit) return known;
    if (known && !(await this.#touched(repository, known.commit, commit, concerns, signal)))
      return this.#keep(id, { commit, value: known.value });
    const { submodules } = repository;
    const tree = await this.#git.open(repository, commit, { ...(submodules ? { submodules } : {}), ...cancel });
    return this.#keep(id, { commit, value: await read(tree) });
  }

  async #prove(
    repository: Parameters<GitRepositories['diff']>[0],
    commit: string,
    project: string,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const wanted = this.#trust.enabled && integrityPolicy(this.#trust.project(project), repository.url);
    if (!wanted) return;
    const keys = this.#trust.keys();
    const asked = { commit, revision: commit, deep: wanted.mode === 'strict', keys, signal };
    for await (const signature of this.#git.signatures(repository, asked)) {
      const problem = signatureProblem(signature, wanted.keys);
      if (problem) throw untrusted(problem, { remote: repository.url, revision: commit });
    }
  }

  async #touched(
    repository: Parameters<GitRepositories['diff']>[0],
    before: string,
    after: string,
    concerns: (change: Change) => boolean,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const changes = await this.#git.diff(repository, before, after, signal ? { signal } : {});
    // what lies in submodules is not in the difference
    return changes.some((change) => concerns(change) || change.path === '.gitmodules');
  }

  #keep<T>(id: string, read: Read<T>): Read<T> {
    this.#known.delete(id);
    this.#known.set(id, read);
    if (this.#known.size > kept) this.#known.delete(this.#known.keys().next().value as string);
    return read;
  }
}

interface Change {
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
}

async function listFolders(tree: GitTree, hidden: boolean): Promise<string[]> {
  const found: string[] = [];
  const walk = async (path: string): Promise<void> => {
    for await (const entry of tree.list(path)) {
      const name = entry.path.slice(entry.path.lastIndexOf('/') + 1);
      if (entry.kind !== 'folder' || (!hidden && name.startsWith('.'))) continue;
      found.push(entry.path);
      await walk(entry.path);
    }
  };
  await walk('');
  return found;
}

async function readFiles(tree: GitTree, matches: (path: string) => boolean): Promise<GitFile[]> {
  const found: GitFile[] = [];
  for await (const { path, kind } of tree.list('', { recursive: true })) {
    if (kind === 'folder' || !matches(path)) continue;
    const target = kind === 'link' ? await tree.resolve(path) : undefined;
    if (kind === 'link' && target?.kind !== 'file') continue;
    found.push({ path, content: Buffer.from(await tree.read(path, { maxBytes })).toString('utf8') });
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}
