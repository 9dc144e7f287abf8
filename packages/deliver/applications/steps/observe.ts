import { deepEqual, type StepOutcome } from '@tiphys/controller';
import { diagnosisOf } from '@tiphys/diagnosis';
import { compareObjects } from '../comparing.ts';
import { deployedLocally, renderLocally } from '../local-manifests.ts';
import type { Reconciliation } from '../reconciliation.ts';
import { revisionsOf, sourcesOf } from '../source-of.ts';

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
    if (!memory.rendered || memory.renderedFor !== wanted || memory.resolvedAt === undefined || memory.hardRefresh) {
      const noCache = memory.hardRefresh ?? false;
      memory.hardRefresh = false;
      memory.rendered = local
        ? renderLocally(local, status.sourceTypes ?? (status.sourceType ? [status.sourceType] : []))
        : await context.renderer.render(next, sources, cluster, {
            ...(revisions ? { revisions } : {}),
            noCache,
            record: false,
            signal,
          });
      memory.renderedFor = wanted;
      memory.resolvedAt = context.clock.now();
      memory.renders.note(memory.rendered.renders, { now: memory.resolvedAt, hard: noCache });
    }
    memory.comparison = await compareObjects(work, memory.rendered.objects);
    memory.failure = undefined;
  } catch (error) {
    signal.throwIfAborted();
    const now = context.clock.now();
    memory.failure = { diagnosis: diagnosisOf(error), since: memory.failure?.since ?? now, retryAt: now };
    memory.resolvedAt = undefined;
  }
  return 'continue';
}
