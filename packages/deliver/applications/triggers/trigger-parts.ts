import type { Application } from '@tiphys/api';
import type { Clock, WorkQueue } from '@tiphys/kubernetes';
import type { ApplicationStore } from '../reconciliation/reconciliation.ts';
import { applicationKey } from '../spec/application-key.ts';
import type { ApplicationController } from '../steps/controller.ts';
import type { RepositoryChanges } from './repository-changes.ts';

/** What the triggers share: each turns changes of one kind of thing into passes over the applications that it concerns. */
export interface TriggerParts {
  readonly clock: Clock;
  readonly queue: WorkQueue;
  readonly store: ApplicationStore;
  readonly controller: ApplicationController;
  readonly applications: { list(): Iterable<Application> };
  readonly repositories: RepositoryChanges;
  /** Told of what failed, and of what it concerned. */
  readonly onError: (key: string, error: unknown) => void;
}

/** Everything that applications read may be another: each one is followed, resolved and compared anew. */
export function wakeAll({ applications, repositories, controller, queue }: TriggerParts): void {
  for (const application of applications.list()) {
    repositories.follow(application);
    const key = applicationKey(application);
    controller.memoryOf(key).surroundingsChanged();
    queue.add(key);
  }
}
