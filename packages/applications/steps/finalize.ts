import { names } from '@tiphys/api';
import { type Diagnosis, diagnosisOf } from '@tiphys/diagnosis';
import { deleteCascade } from '@tiphys/engine';
import { instanceName } from '../application-key.ts';
import { setConditions } from '../conditions.ts';
import { objectDenial } from '../projects.ts';
import { type Reconciliation, requeue, type StepOutcome, timestamp } from '../reconciliation.ts';

/** How long until a deletion that waits is looked at again although nothing was heard; changes wake it before. */
const patience = 10_000;

/**
 * Deletes the objects of an application that is being deleted, as its finalizers ask, then removes the finalizers.
 * Owns DeletionError. A destination that is registered no more has nothing left to delete, as upstream.
 */
export async function finalize(work: Reconciliation): Promise<StepOutcome> {
  const { next, status, context } = work;
  if (!next.metadata.deletionTimestamp) return 'continue';
  const cascading = (next.metadata.finalizers ?? []).filter((finalizer) =>
    finalizer.startsWith(names.finalizers.resources),
  );
  if (cascading.length === 0) return 'stop';
  const now = timestamp(context.clock.now());
  try {
    const done = await cascade(work, cascading);
    if (done === true) {
      setConditions(status, ['DeletionError'], [], now);
      next.metadata.finalizers = (next.metadata.finalizers ?? []).filter((finalizer) => !cascading.includes(finalizer));
      return 'stop';
    }
    setConditions(
      status,
      ['DeletionError'],
      done.map((diagnosis) => ({ type: 'DeletionError', notice: true, diagnosis })),
      now,
    );
  } catch (error) {
    setConditions(status, ['DeletionError'], [{ type: 'DeletionError', diagnosis: diagnosisOf(error) }], now);
  }
  requeue(work, patience);
  return 'stop';
}

/** True when nothing is left, else why each object is still there. */
async function cascade(work: Reconciliation, finalizers: string[]): Promise<true | Diagnosis[]> {
  const { next, context, key, signal } = work;
  let cluster: ReturnType<typeof context.clusters.resolve>;
  try {
    cluster = context.clusters.resolve(next.spec.destination);
  } catch (error) {
    if (diagnosisOf(error).code === 'ClusterNotFound' || diagnosisOf(error).code === 'DestinationInvalid') return true;
    throw error;
  }
  await cluster.cache.ensureSynced();
  const project = context.project(next.spec.project || 'default');
  const destination = { server: cluster.server, name: cluster.name, namespace: next.spec.destination.namespace ?? '' };
  const result = await deleteCascade({
    cache: cluster.cache,
    client: cluster.client.as({ component: 'controller', application: key, purpose: 'cascading deletion' }),
    instance: instanceName(next, context.controlNamespace),
    propagationPolicy: finalizers.some((finalizer) => finalizer.endsWith('/background')) ? 'Background' : 'Foreground',
    deletionApprovedAt: next.metadata.annotations?.[names.annotations.deletionApproved],
    permit: (object, namespaced) => !project || objectDenial(project, object, namespaced, destination) === undefined,
    signal,
  });
  return result.done ? true : result.remaining.map(({ diagnosis }) => diagnosis);
}
