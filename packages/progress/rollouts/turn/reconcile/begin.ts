import type { AnalysisRun } from '@tiphys/analysis';
import type { Experiment, Rollout } from '@tiphys/api';
import { diagnosisOf } from '@tiphys/diagnosis';
import { isVersioned, keepCopies, versionedTemplate } from '../../configuration/versioned.ts';
import { driverOf, validateDriven } from '../../driven/drive.ts';
import type { Workload } from '../../driven/revisions.ts';
import { type CurrentRuns, isControlledBy } from '../../objects/kinds.ts';
import { hashOf, ofHash, stableOf } from '../../objects/replica-set.ts';
import { isDriven, isFullyPromoted } from '../../objects/rollout.ts';
import { findDesired } from '../../template/find-desired.ts';
import { podTemplateHash, readablePodTemplate, unreadablePlaces } from '../../template/hashes.ts';
import { type FieldError, invalid } from '../../validate/field-error.ts';
import { validateReferences } from '../../validate/validate-references.ts';
import { validateSpec } from '../../validate/validate-spec.ts';
import { refuse } from '../refuse.ts';
import { notePauses } from '../status/note-pauses.ts';
import { blueGreen } from '../strategy/blue-green.ts';
import { canary } from '../strategy/canary.ts';
import { type RolloutPass, Turn, type TurnObjects } from '../turn.ts';
import { noteGeneration } from '../workloads.ts';
import { makeDesired, noteDesired, syncRevision } from './desired.ts';
import { isScaling, syncReplicasOnly } from './scaling.ts';

/** Configuration that changed between two looks is looked at again after this time, in milliseconds. */
const changedRetry = 500;

/** The whole pass over one Rollout. */
export async function reconcileRollout(pass: RolloutPass): Promise<void> {
  const { before } = pass;
  if (before.metadata.deletionTimestamp) return;
  const resolved = await resolve(pass);
  if (!resolved) return;
  const { rollout, objects } = resolved;
  let turn = new Turn(pass, rollout, objects);
  if (turn.driver) return reconcileDriven(turn);
  if (await mendTemplate(turn)) return;
  if (!objects.sets.desired) {
    if (!(await makeDesired(turn))) return;
    // its status is written with what follows
    const seen = { ...rollout, metadata: pass.next.metadata, status: pass.next.status ?? {} };
    turn = new Turn(pass, seen, gather(pass, seen));
  }
  if (before.spec.replicas === undefined) {
    pass.next.spec.replicas = 1;
    return pass.checkpoint();
  }
  if (isFullyPromoted(rollout) && turn.pauses.isAborted) turn.pauses.removeAbort();
  if (await syncRevision(turn)) return;
  if (await notePauses(turn)) return;
  if (isScaling(turn)) return syncReplicasOnly(turn);
  await (rollout.spec.strategy.blueGreen ? blueGreen(turn) : canary(turn));
}

/** The steps over a workload that keeps its pods: there is nothing to make and nothing to scale but those. */
async function reconcileDriven(turn: Turn): Promise<void> {
  if (isFullyPromoted(turn.rollout) && turn.pauses.isAborted) turn.pauses.removeAbort();
  if (await noteDesired(turn)) return;
  if (await notePauses(turn)) return;
  await canary(turn);
}

/**
 * Takes out of the template what cannot be read, as upstream does: programs that read the Rollout fail of it otherwise. True if
 * there was something.
 */
async function mendTemplate(turn: Turn): Promise<boolean> {
  const { spec } = turn.pass.next;
  const places = spec.template ? unreadablePlaces(spec.template) : [];
  if (!spec.template || places.length === 0) return false;
  spec.template = readablePodTemplate(spec.template);
  await turn.pass.checkpoint();
  const message = `Left out of spec.template what Kubernetes cannot read: ${places.join(', ')}`;
  turn.event('Warning', 'UnreadableTemplate', message);
  return true;
}

/** The Rollout with its template, and its objects; undefined if it is invalid, which its status tells then. */
async function resolve(pass: RolloutPass): Promise<{ rollout: Rollout; objects: TurnObjects } | undefined> {
  const { context, before } = pass;
  let resolved: Awaited<ReturnType<typeof context.workloads.resolve>>;
  try {
    resolved = await context.workloads.resolve(before);
  } catch (error) {
    const finding = diagnosisOf(error);
    await refuse(pass, [invalid('spec.workloadRef', before.spec.workloadRef, finding.message, { finding })]);
    return undefined;
  }
  const { templateIsBorrowed, generation } = resolved;
  if (noteGeneration(pass.next, generation)) await pass.checkpoint();
  const template = readablePodTemplate(resolved.rollout.spec.template ?? {});
  const rollout = { ...resolved.rollout, spec: { ...resolved.rollout.spec, template } };
  const [problem, ...others] = await problemsOf(pass, rollout, templateIsBorrowed);
  if (problem) {
    await refuse(pass, [problem, ...others]);
    return undefined;
  }
  if (isDriven(rollout)) return drivenObjects(pass, rollout);
  const versioned = await withVersions(pass, rollout);
  return versioned && { rollout: versioned, objects: gather(pass, versioned) };
}

/** The Rollout with its ConfigMaps and Secrets as they are kept with the revision, where that is asked for. */
async function withVersions(pass: RolloutPass, rollout: Rollout): Promise<Rollout | undefined> {
  if (!isVersioned(rollout)) return rollout;
  const { context } = pass;
  const namespace = rollout.metadata.namespace ?? '';
  const sets = context.cluster.replicaSets.inNamespace(namespace).filter((set) => isControlledBy(set, rollout));
  const current = ofHash(sets, rollout.status?.currentPodHash)?.spec.template;
  const versioned = await versionedTemplate(context.configurations, rollout, current);
  if (await keepCopies({ client: context.cluster.client, configurations: context.configurations, rollout }, versioned))
    return { ...rollout, spec: { ...rollout.spec, template: versioned.template } };
  // an object has changed since it was looked at: the informer brings it
  pass.requeueIn(changedRetry);
  return undefined;
}

/** The revisions of a StatefulSet or DaemonSet in place of ReplicaSets; undefined while its controller has not seen it. */
async function drivenObjects(
  pass: RolloutPass,
  rollout: Rollout,
): Promise<{ rollout: Rollout; objects: TurnObjects } | undefined> {
  const { cluster, workloads } = pass.context;
  const found = await workloads.find(rollout.metadata.namespace ?? '', rollout.spec.workloadRef ?? {});
  const workload = found as Workload | undefined;
  if (!workload) return undefined;
  const [problem, ...others] = validateDriven(rollout, workload);
  if (problem) {
    await refuse(pass, [problem, ...others]);
    return undefined;
  }
  const driver = await driverOf(cluster.client, workload, { rollout, now: pass.clock.now() });
  if (!driver) return undefined;
  const { desired, revisions } = driver;
  const sets = { all: revisions, desired, stable: stableOf(rollout, revisions) };
  return {
    rollout: driver.rollout,
    objects: { ...gather(pass, rollout), sets, templateHash: hashOf(desired), driver },
  };
}

/** What is wrong with a Rollout by itself; if nothing, with what it refers to; if nothing, with its router. */
async function problemsOf(
  pass: RolloutPass,
  rollout: Rollout,
  templateIsBorrowed: boolean,
): Promise<readonly FieldError[]> {
  const { context } = pass;
  const namespace = rollout.metadata.namespace ?? '';
  const wrong = validateSpec(rollout, { templateIsBorrowed });
  if (wrong.length > 0) return wrong;
  const unfit = validateReferences(rollout, {
    service: (name) => context.cluster.services.get(namespace, name),
    template: (name, clusterScope) => context.cluster.template(namespace, name, clusterScope),
  });
  return unfit.length > 0 ? unfit : context.validateRouters(rollout);
}

function gather(pass: RolloutPass, rollout: Rollout): TurnObjects {
  const { cluster } = pass.context;
  const namespace = rollout.metadata.namespace ?? '';
  const all = cluster.replicaSets.inNamespace(namespace).filter((set) => isControlledBy(set, rollout));
  const templateHash = podTemplateHash(rollout.spec.template ?? {}, rollout.status?.collisionCount);
  const desired = findDesired(rollout, all, templateHash);
  const stable = desired && hashOf(desired) === rollout.status?.stableRS ? desired : stableOf(rollout, all);
  const runs = cluster.analysisRuns.inNamespace(namespace).filter((run) => isControlledBy(run, rollout));
  const experiments = cluster.experiments.inNamespace(namespace).filter((each) => isControlledBy(each, rollout));
  const experiment = currentExperiment(rollout, experiments);
  const current = currentRuns(rollout, runs);
  const named = new Set(Object.values(current));
  return {
    sets: { all, desired, stable },
    runs: current,
    otherRuns: runs.filter((run) => !named.has(run)),
    experiment,
    otherExperiments: experiments.filter((each) => each !== experiment),
    templateHash,
  };
}

function currentExperiment({ status }: Rollout, experiments: readonly Experiment[]): Experiment | undefined {
  const name = status?.canary?.currentExperiment;
  return name ? experiments.find(({ metadata }) => metadata.name === name) : undefined;
}

function currentRuns({ status }: Rollout, runs: readonly AnalysisRun[]): CurrentRuns {
  const { canary, blueGreen } = status ?? {};
  const names = {
    step: canary?.currentStepAnalysisRunStatus?.name,
    background: canary?.currentBackgroundAnalysisRunStatus?.name,
    prePromotion: blueGreen?.prePromotionAnalysisRunStatus?.name,
    postPromotion: blueGreen?.postPromotionAnalysisRunStatus?.name,
  };
  return Object.fromEntries(
    Object.entries(names).flatMap(([kind, name]) => {
      const run = name && runs.find(({ metadata }) => metadata.name === name);
      return run ? [[kind, run]] : [];
    }),
  );
}
