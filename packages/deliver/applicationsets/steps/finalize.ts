import type { StepOutcome } from '@tiphys/controller';
import { isNotFound } from '@tiphys/kubernetes';
import { nextDeletions } from '../rollout/reverse-deletion.ts';
import { deletesInReverse } from '../rollout/steps.ts';
import { mayDelete, policyOf } from '../settings/settings.ts';
import { resourcesFinalizer } from '../template/render-application.ts';
import type { SetPass } from './reconciliation.ts';

/** How often a step of a deletion in reverse order is looked at beside the watch, in milliseconds. */
const reverseDelay = 10_000;

/**
 * A set that is being deleted makes nothing any more. Upstream rules: where its policy forbids deletions the Applications are let go,
 * so that they stay; in reverse order they are deleted step by step before the set goes.
 */
export async function finalize({ next, key, context, requeueIn }: SetPass): Promise<StepOutcome> {
  if (!next.metadata.deletionTimestamp) return 'continue';
  const { applications, client } = context;
  const current = applications.of(key);
  const ref = (application: (typeof current)[number]) => ({
    apiVersion: application.apiVersion,
    kind: application.kind,
    namespace: application.metadata.namespace ?? '',
    name: application.metadata.name ?? '',
  });
  if (!mayDelete(policyOf(next, context.settings()))) {
    for (const application of current) {
      const ownerReferences = (application.metadata.ownerReferences ?? []).filter(
        ({ uid }) => uid !== next.metadata.uid,
      );
      const metadata = { ownerReferences, resourceVersion: application.metadata.resourceVersion };
      applications.note(await client.patch(ref(application), 'merge', { metadata }));
    }
  } else if (deletesInReverse(next)) {
    const due = nextDeletions(next, current);
    for (const application of due) {
      if (applications.isGoing(application)) continue;
      try {
        await client.delete(ref(application), { preconditions: { uid: application.metadata.uid ?? '' } });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
      applications.noteDeleted(application);
    }
    if (due.length > 0) {
      requeueIn(reverseDelay);
      return 'stop';
    }
  }
  next.metadata.finalizers = (next.metadata.finalizers ?? []).filter((finalizer) => finalizer !== resourcesFinalizer);
  return 'stop';
}
