import { type Application, names, type OperationState } from '@tiphys/api';
import { type StepOutcome, timestamp } from '@tiphys/controller';
import { type Diagnosis, DiagnosisError, defineDiagnosis, diagnose, diagnosisOf } from '@tiphys/diagnosis';
import { deleteCascade, stepDeleteHooks } from '@tiphys/engine';
import type { Client } from '@tiphys/kubernetes';
import type { ClusterHandle } from '../clusters/cluster-registry.ts';
import { deletionClientOf } from '../clusters/impersonation.ts';
import type { EffectiveProject } from '../projects/project-directory.ts';
import { missingProject, objectDenial, sourceNamespaceDenial } from '../projects/projects.ts';
import { compareApplication } from '../reconciliation/comparing.ts';
import { type Condition, setConditions } from '../reconciliation/conditions.ts';
import { deletionBlock } from '../reconciliation/dependencies.ts';
import { type Reconciliation, takeRefreshRequest } from '../reconciliation/reconciliation.ts';
import { instanceName } from '../spec/application-key.ts';
import { isRunning } from './auto-sync.ts';
import { isOutdated } from './outdated.ts';
import { ownParts } from './sync-options-of.ts';

const deleteHooksRunning = defineDiagnosis('DeleteHooksRunning', 'The deletion waits for its hooks to end');

const deletionWaits = defineDiagnosis(
  'DeletionWaitsForSync',
  'A deletion waits until the sync that changes objects has ended',
);

/** How long until a deletion that waits is looked at again although nothing was heard; changes wake it before. */
const requeuePeriod = 10_000;
/** Deletions so close to one another are one, in milliseconds. */
const together = 3_000;
/** The same for a deletion that goes on only after somebody did something. */
const longRequeuePeriod = 60_000;
/**
 * An application is there for so long after its deletion was seen, in milliseconds: clients of Argo CD read it once more when they
 * have asked for the deletion, and objects without pods are gone at once.
 */
const readable = 500;

/** What still stands in the way of a stage; none if the stage is over. */
type Obstacles = readonly Pick<Condition, 'diagnosis' | 'notice'>[];

/** Stages of a deletion in their order, with the beginning of the finalizers that ask for them. */
const stages: readonly { finalizer: string; run: (work: Reconciliation) => Promise<Obstacles> }[] = [
  { finalizer: names.finalizers.preDelete, run: (work) => hooks(work, 'PreDelete') },
  { finalizer: names.finalizers.resources, run: cascade },
  { finalizer: names.finalizers.postDelete, run: (work) => hooks(work, 'PostDelete') },
];

/**
 * Does what the finalizers of an application that is being deleted ask for: PreDelete hooks, the deletion of its objects,
 * PostDelete hooks. Each finalizer goes as its stage is over, so that a restart goes on where this process ended.
 * Owns DeletionError. A destination that is registered no more has nothing left to delete, as upstream.
 */
export async function finalize(work: Reconciliation): Promise<StepOutcome> {
  const { next, status, context, memory } = work;
  if (!next.metadata.deletionTimestamp) return 'continue';
  memory.deletionSeenAt ??= context.clock.now();
  const asked = () => stages.filter(({ finalizer }) => finalizersOf(work, finalizer).length > 0);
  if (asked().length === 0) return 'stop';
  const conclude = (obstacles: Obstacles) =>
    setConditions(
      status,
      ['DeletionError'],
      obstacles.map((obstacle) => ({ type: 'DeletionError', ...obstacle })),
      timestamp(context.clock.now()),
    );
  if (isAtWork(status.operationState)) {
    conclude([{ diagnosis: waitsForSync(next), notice: true }]);
    return 'continue';
  }
  const dependents = context.dependents
    .of(work.key)
    .map(context.find)
    .filter((each) => each !== undefined);
  const waits = deletionBlock(next, dependents, context.find);
  if (waits) {
    conclude([{ diagnosis: waits, notice: true }]);
    work.requeueIn(requeuePeriod);
    return 'stop';
  }
  // who deletes several at once may not come to the dependents first
  const settled = Date.parse(next.metadata.deletionTimestamp) + together;
  if (dependents.length > 0 && context.clock.now() < settled) {
    work.requeueIn(settled - context.clock.now());
    return 'stop';
  }
  try {
    const gone = !findDestination(work);
    for (const { finalizer, run } of asked()) {
      const obstacles = gone ? [] : await run(work);
      conclude(obstacles);
      if (obstacles.length > 0) {
        work.requeueIn(obstacles.every(({ notice }) => notice) ? requeuePeriod : longRequeuePeriod);
        return 'stop';
      }
      const left = memory.deletionSeenAt + readable - context.clock.now();
      if (left > 0) {
        work.requeueIn(left);
        return 'stop';
      }
      const over = finalizersOf(work, finalizer);
      next.metadata.finalizers = (next.metadata.finalizers ?? []).filter((item) => !over.includes(item));
      await work.checkpoint();
    }
  } catch (error) {
    work.signal.throwIfAborted();
    if (isOutdated(error)) throw error;
    conclude([{ diagnosis: diagnosisOf(error) }]);
    work.requeueIn(requeuePeriod);
  }
  return 'stop';
}

/** Whether a sync has begun to change objects and is not over: the deletion waits for its end, as upstream. */
function isAtWork(state: OperationState | undefined): boolean {
  return isRunning(state) && state?.finishedAt === undefined && (state?.syncResult?.resources?.length ?? 0) > 0;
}

function waitsForSync({ metadata }: Application): Diagnosis {
  return diagnose(deletionWaits, {
    message: 'The deletion begins when the running sync has ended',
    remedies: [
      { text: 'Or end the sync now', paste: `argocd app terminate-op ${metadata.namespace}/${metadata.name}` },
    ],
  });
}

function finalizersOf({ next }: Reconciliation, start: string): string[] {
  return (next.metadata.finalizers ?? []).filter((item) => item === start || item.startsWith(`${start}/`));
}

/** Finds cluster and project; false if the destination names no cluster any more. */
function findDestination(work: Reconciliation): boolean {
  const { next, context } = work;
  try {
    work.cluster = context.clusters.resolve(next.spec.destination);
  } catch (error) {
    const { code } = diagnosisOf(error);
    if (code === 'ClusterNotFound' || code === 'DestinationInvalid') return false;
    throw error;
  }
  const project = context.project(next.spec.project || 'default');
  // Without its rules nobody can say what the application may delete.
  const denial = project ? sourceNamespaceDenial(project, next, context.controlNamespace) : missingProject(next);
  if (!project || denial) throw new DiagnosisError(denial ?? missingProject(next));
  work.project = project;
  return true;
}

/** Of the cluster, acting as whom the project says. */
function clientFor(work: Reconciliation, purpose: string): Client {
  const { next, context, key } = work;
  const deployment = {
    application: next,
    project: work.project as EffectiveProject,
    cluster: work.cluster as ClusterHandle,
    settings: context.settings(),
  };
  return deletionClientOf(deployment).as({ component: 'controller', application: key, purpose });
}

async function hooks(work: Reconciliation, type: 'PreDelete' | 'PostDelete'): Promise<Obstacles> {
  const { next, memory, status, signal, context } = work;
  const { cache } = work.cluster as ClusterHandle;
  const requested = takeRefreshRequest(next);
  if (requested || status.conditions?.some((condition) => condition.type === 'DeletionError')) {
    // The correction of a failed hook may have been committed a moment ago: running the old one again helps nobody.
    memory.outdated({ askRemote: true });
  }
  const now = context.clock.now();
  const retry = requested !== undefined || now >= (memory.deleteHooksRetryAt ?? Number.POSITIVE_INFINITY);
  const { comparison } = await compareApplication(work, { hard: requested?.type === 'hard' });
  const { done, failures, waitingFor } = await stepDeleteHooks({
    comparison,
    type,
    cache,
    client: clientFor(work, `${type} hooks`),
    since: next.metadata.deletionTimestamp ?? '',
    retry,
    signal,
  });
  memory.deleteHooksRetryAt = failures.length > 0 ? (memory.deleteHooksRetryAt ?? now + longRequeuePeriod) : undefined;
  if (done) return [];
  return failures.length > 0
    ? failures.map((diagnosis) => ({ diagnosis }))
    : [{ diagnosis: running(type, waitingFor), notice: true }];
}

function running(type: string, waitingFor: readonly string[]): Diagnosis {
  return diagnose(deleteHooksRunning, {
    message: `The deletion waits for the ${type} hooks ${waitingFor.join(', ')}`,
    remedies: ['Wait for them to end'],
  });
}

/** What the deletion of objects is waiting for is no error; that one cannot be deleted is. */
const waits = ['FinalizerStuck', 'DeletionConfirmationAwaited'];

async function cascade(work: Reconciliation): Promise<Obstacles> {
  const { next, context, project, signal } = work;
  const cluster = work.cluster as ClusterHandle;
  await cluster.cache.ensureSynced();
  const destination = { server: cluster.server, name: cluster.name, namespace: next.spec.destination.namespace ?? '' };
  const background = next.metadata.finalizers?.includes(names.finalizers.resourcesBackground);
  const { done, remaining } = await deleteCascade({
    cache: cluster.cache,
    client: clientFor(work, 'cascading deletion'),
    instance: instanceName(next, context.controlNamespace),
    propagationPolicy: background ? 'Background' : 'Foreground',
    deletionApprovedAt: next.metadata.annotations?.[names.annotations.deletionApproved],
    deletionRequestedAt: next.metadata.deletionTimestamp,
    syncOptions: next.spec.syncPolicy?.syncOptions,
    permit: (object, namespaced) => !project || objectDenial(project, object, namespaced, destination) === undefined,
    ...ownParts(cluster, context),
    signal,
  });
  return done ? [] : remaining.map(({ diagnosis }) => ({ diagnosis, notice: waits.includes(diagnosis.code) }));
}
