import { deepEqual, type StepOutcome } from '@tiphys/controller';
import { diagnosisOf } from '@tiphys/diagnosis';
import { compareObjects } from '../reconciliation/comparing.ts';
import type { Reconciliation } from '../reconciliation/reconciliation.ts';
import { deployedLocally, renderLocally } from '../sources/local-manifests.ts';
import { revisionsOf, sourcesOf } from '../spec/source-of.ts';

/**
 * Compares an application that another process delivers, for those who look at it here. It is rendered at the revisions that
 * its status names, since these are what the other process compared; at its own targets as long as it names none for the present
 * sources. Nothing is written, and what is known stays where the look fails.
 */
export async function observe(work: Reconciliation): Promise<StepOutcome> {
  const { memory, context, status, next, cluster, signal } = work;
  if (!cluster) return 'stop';
  const sources = sourcesOf(next.spec);
  const local = deployedLocally(status);
  const isCurrent = deepEqual(sourcesOf(status.sync?.comparedTo ?? {}), sources);
  const named = revisionsOf(status.sync);
  const revisions = isCurrent && named.length === sources.length ? named : undefined;
  // each refresh of the other process is a look at what a revision does not tell: it is mostly found in the cache
  const wanted = JSON.stringify([
    sources,
    next.spec.destination,
    next.spec.project,
    ...(local ?? [revisions, status.reconciledAt]),
  ]);
  try {
    await cluster.cache.ensureSynced();
    if (!memory.isRenderedFor(wanted) || memory.hardRefresh) {
      const noCache = memory.hardRefresh;
      memory.hardRefresh = false;
      const rendered = local
        ? renderLocally(local, status.sourceTypes ?? (status.sourceType ? [status.sourceType] : []))
        : await context.renderer.render(next, sources, cluster, {
            ...(revisions ? { revisions } : {}),
            noCache,
            record: false,
            signal,
          });
      const now = context.clock.now();
      memory.followed(wanted, rendered, now);
      memory.renders.note(rendered.renders, { now, hard: noCache });
    }
    memory.succeeded(await compareObjects(work, memory.rendered?.objects ?? []));
  } catch (error) {
    signal.throwIfAborted();
    const now = context.clock.now();
    memory.failed(diagnosisOf(error), { now, retryAt: now });
  }
  return 'continue';
}
