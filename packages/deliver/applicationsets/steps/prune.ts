import type { Application } from '@tiphys/api';
import { within } from '@tiphys/diagnosis';
import { isConflict, isNotFound } from '@tiphys/kubernetes';
import {
  confirmedDeletionsAnnotation,
  decideDeletions,
  limitProblem,
  pendingDeletionsAnnotation,
} from '../plan/deletions.ts';
import { mayDelete, policyOf } from '../settings/settings.ts';
import { resourcesFinalizer } from '../template/render-application.ts';
import { fail, retryDelay, type SetPass } from './reconciliation.ts';

/** Deletes the Applications that no element stands for any more, where the policy and the limit permit it. */
export async function prune(pass: SetPass): Promise<void> {
  const { next, key, context, memory, clock } = pass;
  const { work } = memory;
  const settings = context.settings();
  if (settings.dryRun || !mayDelete(policyOf(next, settings))) return;
  const wanted = new Set(memory.generation?.applications.map(({ application }) => application.metadata.name));
  const current = context.applications.of(key);
  const superfluous = current.filter(
    (application) => !wanted.has(application.metadata.name) && !context.applications.isGoing(application),
  );
  const annotations = next.metadata.annotations ?? {};
  const problem = limitProblem(annotations);
  if (problem) work.diagnoses.push(problem);
  const decision = decideDeletions({
    names: superfluous.map(({ metadata }) => metadata.name ?? ''),
    size: current.length,
    complete: (memory.generation?.gaps.length ?? 0) === 0,
    limit: { count: settings.deletionCount, percent: settings.deletionPercent },
    annotations,
    now: clock.now(),
    edited: memory.inOrderOf !== undefined && memory.inOrderOf !== next.metadata.generation,
  });
  if (decision.kind === 'held') {
    next.metadata.annotations = { ...annotations, [pendingDeletionsAnnotation]: decision.pending };
    // the evaluation that must agree asks the sources themselves
    memory.lookAgain = true;
    pass.requeueIn(decision.again);
    work.diagnoses.push(decision.diagnosis);
    if (work.outcome.kind === 'up-to-date')
      work.outcome = { kind: 'held', reason: decision.diagnosis.code, message: decision.diagnosis.message };
    if (decision.fresh) pass.event('Warning', decision.diagnosis.code, decision.diagnosis.message);
    return;
  }
  if (decision.kind === 'incomplete') {
    const [gap] = memory.generation?.gaps ?? [];
    if (gap && work.outcome.kind === 'up-to-date')
      work.outcome = {
        kind: 'held',
        reason: gap.code,
        message: `${superfluous.length} Applications are kept, since the generators may lack elements: ${gap.message}`,
      };
    return;
  }
  const { [pendingDeletionsAnnotation]: _, [confirmedDeletionsAnnotation]: __, ...rest } = annotations;
  if (Object.keys(rest).length < Object.keys(annotations).length) next.metadata.annotations = rest;
  memory.inOrderOf = next.metadata.generation;
  if (decision.kind === 'none') return;
  for (const application of superfluous) await remove(pass, application);
}

async function remove(pass: SetPass, application: Application): Promise<void> {
  const { context, memory, signal } = pass;
  const { namespace = '', name = '', uid = '' } = application.metadata;
  const ref = { apiVersion: application.apiVersion, kind: application.kind, namespace, name };
  try {
    await releaseFromLostCluster(pass, application, ref);
    await context.client.delete(ref, { preconditions: { uid } });
    context.applications.noteDeleted(application);
    pass.event('Normal', 'Deleted', `Deleted Application "${name}"`);
  } catch (error) {
    signal.throwIfAborted();
    if (isNotFound(error) || isConflict(error)) return pass.requeueIn(1_000);
    fail(
      memory.work,
      'DeleteApplicationError',
      within(error, { place: { object: `Application ${namespace}/${name}` } }).diagnosis,
    );
    pass.requeueIn(retryDelay(memory.failures));
  }
}

/** Upstream rule: an Application whose cluster is not registered any more is deleted without its resources, since nobody could. */
async function releaseFromLostCluster(
  pass: SetPass,
  application: Application,
  ref: Parameters<SetPass['context']['client']['patch']>[0],
): Promise<void> {
  const { context } = pass;
  const finalizers = application.metadata.finalizers ?? [];
  const { server, name } = application.spec.destination ?? {};
  const found = context.clusters
    .list()
    .some((cluster) => (server ? cluster.server === server.replace(/(?<!\/)\/+$/, '') : cluster.name === name));
  if (found || !finalizers.includes(resourcesFinalizer)) return;
  const kept = finalizers.filter((finalizer) => finalizer !== resourcesFinalizer);
  context.applications.note(await context.client.patch(ref, 'merge', { metadata: { finalizers: kept } }));
  pass.event(
    'Normal',
    'Updated',
    `Updated Application "${ref.name}" finalizer before deletion, because application has an invalid destination`,
  );
}
