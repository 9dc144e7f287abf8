import type { GitRepositories, Repository } from '@tiphys/git';

/** Follows the refs of every repository that applications use, one watch per repository however many applications. */
export class RepositoryWatcher {
  readonly #git: GitRepositories;
  readonly #onChange: (keys: readonly string[], repository: Repository) => void;
  readonly #watches = new Map<string, { keys: Set<string>; stop: () => void }>();
  readonly #watchOf = new Map<string, string>();

  /** `onChange` gets the keys of all applications of a repository in which a ref moved or which can be read again. */
  constructor(git: GitRepositories, onChange: (keys: readonly string[], repository: Repository) => void) {
    this.#git = git;
    this.#onChange = onChange;
  }

  /** The application reads this repository now; its earlier watch ends. */
  follow(key: string, repository: Repository, interval: number): void {
    const id = `${repository.url}\0${JSON.stringify(repository.credentials ?? {})}\0${interval}`;
    if (this.#watchOf.get(key) === id) return;
    this.leave(key);
    let watch = this.#watches.get(id);
    if (!watch) {
      const keys = new Set<string>();
      const stop = this.#git.watchRefs(
        repository,
        ({ kind }) => {
          if (kind !== 'failed') this.#onChange([...keys], repository);
        },
        interval > 0 ? { interval } : { interval: 2 ** 31 - 1 },
      );
      watch = { keys, stop };
      this.#watches.set(id, watch);
    }
    watch.keys.add(key);
    this.#watchOf.set(key, id);
  }

  leave(key: string): void {
    const id = this.#watchOf.get(key);
    const watch = id === undefined ? undefined : this.#watches.get(id);
    this.#watchOf.delete(key);
    if (!watch || id === undefined) return;
    watch.keys.delete(key);
    if (watch.keys.size > 0) return;
    watch.stop();
    this.#watches.delete(id);
  }

  close(): void {
    for (const { stop } of this.#watches.values()) stop();
    this.#watches.clear();
    this.#watchOf.clear();
  }
}
