import type { GitRepositories, GitTree } from '@tiphys/git';
import { digestOf } from './digest-of.ts';
import type { RenderRequest } from './rendered.ts';

/** At most this many trees are open at once; the least recently used is closed first. */
const kept = 64;

/** Trees of commits, opened once for the many applications that read the same commit. */
export class OpenTrees {
  readonly #git: GitRepositories;
  readonly #trees = new Map<string, Promise<GitTree>>();

  constructor(git: GitRepositories) {
    this.#git = git;
  }

  /** What may be read of submodules is the project's matter, so each project has its own tree of a repository with them. */
  open(
    { application: { project } }: RenderRequest,
    { submodules, ...repository }: RenderRequest['repository'],
    commit: string,
  ): Promise<GitTree> {
    const key = digestOf([repository.url, repository.credentials ?? null, commit, submodules ? project : null]);
    let opened = this.#trees.get(key);
    if (opened === undefined) {
      opened = this.#git.open(repository, commit, submodules ? { submodules } : {});
      opened.catch(() => this.#trees.delete(key));
      const [oldest] = this.#trees.keys();
      if (this.#trees.size >= kept && oldest !== undefined) this.#trees.delete(oldest);
    } else this.#trees.delete(key);
    this.#trees.set(key, opened);
    return opened;
  }
}
