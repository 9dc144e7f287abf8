import { DiagnosisError, type Finding, failure } from '@tiphys/diagnosis';
import type { Repository } from '../repository/credentials.ts';
import { submoduleUnreadable } from '../repository/diagnoses.ts';
import { parseRepositoryUrl } from '../repository/repository-url.ts';
import { type GitModule, parseGitModules, submoduleUrl } from './git-modules.ts';
import type { ObjectSource } from './git-tree.ts';
import type { Folder } from './tree-cache.ts';

/** A commit of a repository, ready to be read. */
export interface OpenedCommit {
  readonly objects: ObjectSource;
  /** Id of its root folder. */
  readonly root: string;
}

export interface SubmoduleContext {
  readonly repository: Repository;
  /** The repository at a URL with the credentials that may be used for it. */
  readonly repositoryOf: (url: string) => Repository;
  readonly open: (repository: Repository, commit: string) => Promise<OpenedCommit>;
  /** Submodules around this one. */
  readonly depth: number;
}

const maxDepth = 10;
const empty: Folder = new Map();

/** The same objects; submodules in them can be entered, and are fetched when somebody does. */
export function withSubmodules({ objects, root }: OpenedCommit, context: SubmoduleContext): ObjectSource {
  let modules: Promise<Map<string, GitModule>> | undefined;
  const modulesOf = () => {
    modules ??= readModules(objects, root);
    return modules;
  };
  const known = new Map<string, Submodule>();
  return {
    ...(objects.checkedOut ? { checkedOut: true } : {}),
    folder: (oid) => objects.folder(oid),
    size: (oid, filter) => objects.size(oid, filter),
    blob: (oid, filter) => objects.blob(oid, filter),
    enter: (path, commit) => {
      const key = `${commit} ${path}`;
      const submodule = known.get(key) ?? new Submodule(path, commit, modulesOf, context);
      known.set(key, submodule);
      return submodule;
    },
  };
}

async function readModules(objects: ObjectSource, root: string): Promise<Map<string, GitModule>> {
  const entry = (await objects.folder(root)).get('.gitmodules');
  if (entry?.kind !== 'file' || (await objects.size(entry.oid)) > 1_000_000) return new Map();
  return parseGitModules((await objects.blob(entry.oid)).toString('utf8'));
}

/** Objects that are looked for when one of them is asked for. */
class Later implements ObjectSource {
  readonly checkedOut = true;
  readonly #find: () => Promise<ObjectSource>;

  constructor(find: () => Promise<ObjectSource>) {
    this.#find = find;
  }

  async folder(oid: string): Promise<Folder> {
    return (await this.#find()).folder(oid);
  }

  async size(oid: string, filter?: 'lfs'): Promise<number> {
    return (await this.#find()).size(oid, filter);
  }

  async blob(oid: string, filter?: 'lfs'): Promise<Buffer> {
    return (await this.#find()).blob(oid, filter);
  }

  enter(path: string, commit: string): ObjectSource {
    return new Later(async () => entered(await this.#find(), path, commit));
  }
}

function entered(objects: ObjectSource, path: string, commit: string): ObjectSource {
  const inner = objects.enter?.(path, commit);
  if (inner) return inner;
  throw new Error(`the submodule ${path} can not be entered`);
}

/** Its root folder has the id of the commit. */
class Submodule implements ObjectSource {
  readonly checkedOut = true;
  readonly #path: string;
  readonly #commit: string;
  readonly #modules: () => Promise<Map<string, GitModule>>;
  readonly #context: SubmoduleContext;
  #opened: Promise<OpenedCommit | undefined> | undefined;

  constructor(path: string, commit: string, modules: () => Promise<Map<string, GitModule>>, context: SubmoduleContext) {
    this.#path = path;
    this.#commit = commit;
    this.#modules = modules;
    this.#context = context;
  }

  async folder(oid: string): Promise<Folder> {
    const opened = await this.#open();
    if (!opened) return empty;
    return opened.objects.folder(oid === this.#commit ? opened.root : oid);
  }

  async size(oid: string, filter?: 'lfs'): Promise<number> {
    return (await this.#found()).size(oid, filter);
  }

  async blob(oid: string, filter?: 'lfs'): Promise<Buffer> {
    return (await this.#found()).blob(oid, filter);
  }

  enter(path: string, commit: string): ObjectSource {
    return new Later(async () => entered(await this.#found(), path, commit));
  }

  async #found(): Promise<ObjectSource> {
    const opened = await this.#open();
    if (opened) return opened.objects;
    throw new Error(`the submodule ${this.#path} is empty`);
  }

  #open(): Promise<OpenedCommit | undefined> {
    this.#opened ??= this.#fetch();
    this.#opened.catch(() => {
      this.#opened = undefined;
    });
    return this.#opened;
  }

  async #fetch(): Promise<OpenedCommit | undefined> {
    const { repository: parent, repositoryOf, open, depth } = this.#context;
    const module = (await this.#modules()).get(this.#path);
    if (module?.update === 'none') return undefined;
    if (!module)
      throw this.#unreadable(`No url found for submodule path '${this.#path}' in .gitmodules`, undefined, undefined, [
        {
          text: 'Name its repository in .gitmodules, and commit that',
          paste: `git submodule add URL ${this.#path}`,
        },
        {
          text: 'Or commit the files themselves: the folder was a repository of its own when it was added',
          paste: `git rm --cached ${this.#path} && rm -rf ${this.#path}/.git && git add ${this.#path}`,
        },
      ]);
    const url = submoduleUrl(parent.url, module.url);
    try {
      if (depth >= maxDepth) throw this.#unreadable(`Submodules are nested deeper than ${maxDepth}`, url);
      const { transport, display } = parseRepositoryUrl(url);
      // CVE-2022-39253: what a remote repository says must not make a folder of this machine readable.
      if (transport === 'local' && parseRepositoryUrl(parent.url).transport !== 'local')
        throw this.#unreadable('It is a folder of this machine', display);
      const repository = repositoryOf(url);
      const opened = await open(repository, this.#commit);
      const objects = withSubmodules(opened, { repository, repositoryOf, open, depth: depth + 1 });
      return { objects, root: opened.root };
    } catch (error) {
      if (!(error instanceof DiagnosisError) || error.diagnosis.code === submoduleUnreadable.code) throw error;
      throw this.#unreadable(error.diagnosis.message, url, error);
    }
  }

  #unreadable(
    why: string,
    url: string | undefined,
    error?: DiagnosisError,
    remedies: Finding['remedies'] = [
      'Register the repository of the submodule with its own credentials, if it is on another host than the one that holds it',
    ],
  ): DiagnosisError {
    const display = url === undefined ? undefined : safeDisplay(url);
    return failure(
      submoduleUnreadable,
      {
        message: `The submodule ${this.#path}${display ? ` at ${display}` : ''} can not be read: ${why}`,
        place: { file: '.gitmodules', remote: display ?? safeDisplay(this.#context.repository.url) },
        evidence: { submodule: this.#path, commit: this.#commit },
        remedies: [
          ...remedies,
          {
            text: 'Or switch submodules off in the ConfigMap argocd-cmd-params-cm',
            paste: 'reposerver.enable.git.submodule: "false"',
          },
        ],
        ...(error ? { causes: [error.diagnosis] } : {}),
      },
      error ? { handling: error.handling, cause: error } : {},
    );
  }
}

function safeDisplay(url: string): string {
  try {
    return parseRepositoryUrl(url).display;
  } catch (error) {
    if (error instanceof DiagnosisError) return 'a URL that is refused';
    throw error;
  }
}
