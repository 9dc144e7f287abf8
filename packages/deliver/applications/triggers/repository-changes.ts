import type { Application } from '@tiphys/api';
import type { GitRepositories, Repository } from '@tiphys/git';
import { drySourceOf } from '@tiphys/hydrator';
import type { WorkQueue } from '@tiphys/kubernetes';
import type { ApplicationStore, ReconcileContext } from '../reconciliation/reconciliation.ts';
import { RepositoryWatcher } from '../repositories/repository-watcher.ts';
import { partByChange } from '../sources/part-by-change.ts';
import type { SourceAccess } from '../sources/source-access.ts';
import { applicationKey } from '../spec/application-key.ts';
import { allSourcesOf, isGitSource, sourcesOf } from '../spec/source-of.ts';
import type { ApplicationController } from '../steps/controller.ts';
import { noteDelay } from './pushes.ts';

interface Parts {
  readonly git: GitRepositories;
  readonly access: SourceAccess;
  readonly context: Pick<ReconcileContext, 'shards' | 'clusters' | 'settings'>;
  readonly store: ApplicationStore;
  readonly controller: ApplicationController;
  readonly queue: WorkQueue;
  readonly onError: (key: string, error: unknown) => void;
}

/** The Git repositories of the applications that this process delivers: a ref that moves wakes those that read it. */
export class RepositoryChanges {
  readonly #parts: Parts;
  readonly #watcher: RepositoryWatcher;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#watcher = new RepositoryWatcher(
      parts.git,
      (keys, repository) => this.#moved(keys, repository),
      (keys) => this.#failed(keys),
    );
  }

  /** Watches the repositories that the application names now, if it is delivered here. */
  follow(application: Application): void {
    const { context, access, onError } = this.#parts;
    const key = applicationKey(application);
    if (!context.shards.hold(context.clusters.serverOf(application.spec.destination))) {
      this.#watcher.leave(key);
      return;
    }
    try {
      this.#watcher.follow(
        key,
        allSourcesOf(application.spec)
          .filter(isGitSource)
          .map((source) => access.repository(source, application.spec.project || 'default')),
        context.settings().remoteInterval,
      );
    } catch (error) {
      // The reconcile meets the same fault and shows it in the application's condition.
      onError(key, error);
    }
  }

  leave(key: string): void {
    this.#watcher.leave(key);
  }

  close(): void {
    this.#watcher.close();
  }

  /** Applications that the commit touches come first; the others note its revision behind them. */
  #moved(keys: readonly string[], repository: Repository): void {
    const { controller, queue, onError } = this.#parts;
    for (const key of keys) controller.memoryOf(key).surroundingsChanged();
    const candidates = keys
      .flatMap((key) => this.#sourcesOf(key))
      .filter(({ source }) => source.repoURL === repository.url);
    partByChange(this.#parts.git, repository, candidates).then(
      ({ touched, others }) => {
        for (const key of touched) queue.add(key, { first: true });
        for (const key of others) if (!queue.has(key)) queue.addAfter(key, noteDelay);
      },
      (error: unknown) => onError(repository.url, error),
    );
  }

  /** Each source of an application with the revision that it was rendered at last. */
  #sourcesOf(key: string) {
    const { store, controller } = this.#parts;
    const application = store.get(key);
    const { rendered } = controller.memoryOf(key);
    const { sourceHydrator, ...spec } = application?.spec ?? {};
    const dry = sourceHydrator
      ? [
          {
            key,
            source: drySourceOf(sourceHydrator),
            rendered: application?.status?.sourceHydrator?.lastComparedDryRevision,
          },
        ]
      : [];
    const sources = sourcesOf({ ...spec, sourceHydrator });
    return [...dry, ...sources.map((source, index) => ({ key, source, rendered: rendered?.revisions[index] }))];
  }

  /** Those that do not know it yet: each then shows what the one request to the remote has found. */
  #failed(keys: readonly string[]): void {
    const { controller, queue } = this.#parts;
    for (const key of keys) {
      const memory = controller.memoryOf(key);
      if (memory.failure) continue;
      memory.outdated();
      queue.add(key);
    }
  }
}
