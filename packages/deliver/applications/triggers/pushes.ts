import type { GitRepositories, Repository } from '@tiphys/git';
import type { ApplicationStore, ReconcileContext } from '../reconciliation/reconciliation.ts';
import type { SourceAccess } from '../sources/source-access.ts';
import { applicationKey } from '../spec/application-key.ts';
import { allSourcesOf, isGitSource } from '../spec/source-of.ts';
import type { ApplicationController } from '../steps/controller.ts';

/** Applications that a commit does not touch note its revision this much later, in milliseconds, behind those with work to do. */
export const noteDelay = 1_000;

interface Ref {
  readonly namespace: string;
  readonly name: string;
}

export interface PushParts {
  readonly context: ReconcileContext;
  readonly store: ApplicationStore;
  readonly controller: ApplicationController;
  readonly access: SourceAccess;
  readonly git: GitRepositories;
}

/**
 * Looks at the repositories of the applications now, once each however many there are, and reconciles them. What cannot be
 * looked at is left to the reconcile, which meets the same fault and shows it. Gives those that are not here.
 */
export async function takeUpPush(
  { context, store, controller, access, git }: PushParts,
  refs: readonly Ref[],
  jitter: { milliseconds: number; threshold: number },
): Promise<readonly Ref[]> {
  const elsewhere: Ref[] = [];
  const wakes: (() => void)[] = [];
  const looks = new Map<string, Promise<unknown>>();
  for (const [index, ref] of refs.entries()) {
    const application = store.get(`${ref.namespace}/${ref.name}`);
    if (!application || !context.shards.hold(context.clusters.serverOf(application.spec.destination))) {
      elsewhere.push(ref);
      continue;
    }
    const sources = allSourcesOf(application.spec);
    const inGit = sources.filter(isGitSource);
    for (const source of inGit) {
      const id = `${source.repoURL} ${application.spec.project}`;
      if (!looks.has(id))
        looks.set(
          id,
          look(git, () => access.repository(source, application.spec.project || 'default')),
        );
    }
    const askRemote = inGit.length < sources.length;
    const spared = index < jitter.threshold ? 0 : jitter.milliseconds * spread(applicationKey(application));
    // the look at the refs brings those at once that a commit touches
    const delay = askRemote ? spared : Math.max(spared, noteDelay);
    wakes.push(() => controller.wake(applicationKey(application), { askRemote, delay }));
  }
  await Promise.allSettled(looks.values());
  for (const wake of wakes) wake();
  return elsewhere;
}

// the credentials may be what fails
async function look(git: GitRepositories, repository: () => Repository): Promise<void> {
  await git.lsRemote(repository(), { maxAge: 0 });
}

/** From 0 to 1, always the same for an application. */
function spread(key: string): number {
  let hash = 0;
  for (const character of key) hash = (hash * 31 + character.charCodeAt(0)) >>> 0;
  return (hash % 1000) / 1000;
}
