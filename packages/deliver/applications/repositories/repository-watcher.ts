import type { GitRepositories, Repository } from '@tiphys/git';

/** Follows the refs of every repository that applications use, one watch per repository however many applications. */
export class RepositoryWatcher {
  readonly #git: GitRepositories;
  readonly #onChange: (keys: readonly string[], repository: Repository) => void;
  readonly #onFailure: (keys: readonly string[]) => void;
  readonly #watches = new Map<string, { keys: Set<string>; stop: () => void }>();
  readonly #watchesOf = new Map<string, readonly string[]>();

  /**
   * `onChange` gets the keys of all applications of a repository in which a ref moved or which can be read again; `onFailure`
   * those of one that can no longer be read.
   */
  constructor(
    git: GitRepositories,
    onChange: (keys: readonly string[], repository: Repository) => void,
    onFailure: (keys: readonly string[]) => void = () => undefined,
  ) {
    this.#git = git;
    this.#onChange = onChange;
    this.#onFailure = onFailure;
  }

  /** The application reads these repositories now; its earlier watches end. */
  follow(key: string, repositories: readonly Repository[], interval: number): void {
    const wanted = new Map(
      repositories.map((repository) => [
        `${repository.url}\0${JSON.stringify(repository.credentials ?? {})}\0${interval}`,
        repository,
      ]),
    );
    const current = this.#watchesOf.get(key) ?? [];
    if (current.length === wanted.size && current.every((id) => wanted.has(id))) return;
    this.leave(key);
    for (const [id, repository] of wanted) this.#watch(id, repository, interval).add(key);
    this.#watchesOf.set(key, [...wanted.keys()]);
  }

  #watch(id: string, repository: Repository, interval: number): Set<string> {
    const known = this.#watches.get(id);
    if (known) return known.keys;
    const keys = new Set<string>();
    const stop = this.#git.watchRefs(
      repository,
      ({ kind }) => {
        if (kind === 'failed') this.#onFailure([...keys]);
        else this.#onChange([...keys], repository);
      },
      interval > 0 ? { interval } : { interval: 2 ** 31 - 1 },
    );
    this.#watches.set(id, { keys, stop });
    return keys;
  }

  leave(key: string): void {
    for (const id of this.#watchesOf.get(key) ?? []) {
      const watch = this.#watches.get(id);
      if (!watch) continue;
      watch.keys.delete(key);
      if (watch.keys.size > 0) continue;
      watch.stop();
      this.#watches.delete(id);
    }
    this.#watchesOf.delete(key);
  }

  close(): void {
    for (const { stop } of this.#watches.values()) stop();
    this.#watches.clear();
    this.#watchesOf.clear();
  }
}
