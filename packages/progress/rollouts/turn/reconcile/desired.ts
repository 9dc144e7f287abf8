import { type PodTemplate, type Rollout, type RolloutStatus, rolloutNames } from '@tiphys/api';
import { copyJson, deepEqual } from '@tiphys/controller';
import { DiagnosisError, diagnosisOf } from '@tiphys/diagnosis';
import { isAlreadyExists, isConflict, isInvalid } from '@tiphys/kubernetes';
import { create, refOf } from '../../cluster/cluster.ts';
import { conditionOf, reasons, setCondition } from '../../decide/conditions.ts';
import { phaseOf } from '../../decide/phase.ts';
import { affinityOf, isAffinityOutdated } from '../../objects/anti-affinity.ts';
import { withPodMetadata } from '../../objects/ephemeral-metadata.ts';
import { isControlledBy, ownedBy } from '../../objects/kinds.ts';
import { isSame, type ReplicaSet, revisionOf } from '../../objects/replica-set.ts';
import { replicasOf } from '../../objects/rollout.ts';
import { remediationAnnotations } from '../../remediation/rules.ts';
import { isSameTemplate } from '../../template/same-template.ts';
import { refuse } from '../refuse.ts';
import { ephemeralMetadata } from '../replicas/ephemeral.ts';
import type { Turn } from '../turn.ts';

const { annotations, labels } = rolloutNames;

/** Annotations of a Rollout that are its own matter and not copied to its ReplicaSets. */
const notCopied = new Set<string>([
  'kubectl.kubernetes.io/last-applied-configuration',
  annotations.revision,
  annotations.revisionHistory,
  annotations.desiredReplicas,
  'notified.notifications.argoproj.io',
  remediationAnnotations.rules,
  remediationAnnotations.state,
]);

function copiedAnnotations({ metadata }: Rollout): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([name]) => !notCopied.has(name)));
}

function nextRevision(sets: readonly ReplicaSet[]): number {
  return Math.max(0, ...sets.map(revisionOf)) + 1;
}

/**
 * Makes the ReplicaSet of a new template, without pods yet, and notes the new revision. False if there is none yet: the pass ends
 * with it. Otherwise the status that is to be written says so already.
 */
export async function makeDesired(turn: Turn): Promise<boolean> {
  const { client, replicaSets } = turn.context.cluster;
  const wanted = desiredSet(turn);
  let made: ReplicaSet;
  try {
    made = await create(client, replicaSets, wanted);
  } catch (error) {
    if (isAlreadyExists(error)) await meetExisting(turn, wanted);
    else await failToMake(turn, { wanted, error });
    return false;
  }
  await noteRevision(turn, revisionOf(made));
  turn.event(
    'Normal',
    reasons.newReplicaSet,
    `Created ReplicaSet ${made.metadata.name} (revision ${revisionOf(made)})`,
  );
  turn.pass.next.status = withProgress(turn, {
    reason: reasons.newReplicaSet,
    message: `Created new replica set "${made.metadata.name}"`,
  });
  return true;
}

function desiredSet(turn: Turn): ReplicaSet {
  const { rollout, templateHash, namespace } = turn;
  const { template = {}, selector, minReadySeconds } = rollout.spec;
  const affinity = affinityOf(rollout, templateHash);
  const podLabels = { ...template.metadata?.labels, [labels.podTemplateHash]: templateHash };
  const { affinity: _, ...pod } = template.spec ?? {};
  const next: PodTemplate = {
    ...template,
    metadata: { ...template.metadata, labels: podLabels },
    spec: { ...pod, ...(affinity ? { affinity } : {}) },
  };
  const set: ReplicaSet = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${rollout.metadata.name}-${templateHash}`,
      namespace,
      labels: podLabels,
      annotations: {
        ...copiedAnnotations(turn.pass.next),
        [annotations.revision]: String(nextRevision(turn.sets.all)),
        [annotations.desiredReplicas]: String(replicasOf(rollout)),
      },
      ownerReferences: ownedBy(rollout),
    },
    spec: {
      replicas: 0,
      ...(minReadySeconds ? { minReadySeconds } : {}),
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [labels.podTemplateHash]: templateHash } },
      template: next,
    },
  };
  const { fresh, stable } = ephemeralMetadata(turn);
  return withPodMetadata(set, turn.stable ? fresh : stable);
}

/** A ReplicaSet of that name is there: ours if its template is ours; otherwise the hash takes another turn. */
async function meetExisting(turn: Turn, wanted: ReplicaSet): Promise<void> {
  const { client, replicaSets } = turn.context.cluster;
  const existing = await client.find<ReplicaSet>(refOf(wanted));
  const template = turn.rollout.spec.template ?? {};
  if (existing && isControlledBy(existing, turn.rollout) && isSameTemplate(existing.spec.template ?? {}, template)) {
    replicaSets.keep(existing);
    await noteRevision(turn, revisionOf(existing));
    turn.requeueIn(0);
    return;
  }
  const { collisionCount = 0 } = turn.status;
  turn.pass.next.status = { ...turn.pass.next.status, collisionCount: collisionCount + 1 };
  await turn.pass.checkpoint();
  turn.requeueIn(0);
}

async function failToMake(turn: Turn, { wanted, error }: { wanted: ReplicaSet; error: unknown }): Promise<void> {
  if (isConflict(error)) throw error;
  const sentence = error instanceof DiagnosisError ? error.diagnosis.message : diagnosisOf(error).message;
  if (isInvalid(error)) {
    const message = sentence.replace(/^.*? is invalid: (?=spec\.template)/, '');
    // the diagnosis of the refusal knows the field and its remedies
    return refuse(turn.pass, [{ path: 'spec.template', message, detail: message, finding: diagnosisOf(error) }]);
  }
  const message = `Failed to create new replica set "${wanted.metadata.name}": ${sentence}`;
  turn.event('Warning', reasons.replicaSetCreateError, message);
  await noteProgress(turn, { reason: reasons.replicaSetCreateError, message, isFailure: true });
  throw error;
}

async function noteRevision(turn: Turn, revision: number): Promise<void> {
  const { next } = turn.pass;
  if (revisionOf(next) === revision) return;
  next.metadata.annotations = { ...next.metadata.annotations, [annotations.revision]: String(revision) };
  await turn.pass.checkpoint();
  turn.event('Normal', reasons.updated, `Rollout updated to revision ${revision}`);
}

interface Progress {
  readonly reason: string;
  readonly message: string;
  readonly isFailure?: boolean;
}

async function noteProgress(turn: Turn, progress: Progress): Promise<void> {
  const { next } = turn.pass;
  const status = withProgress(turn, progress);
  next.status = progress.isFailure ? { ...status, ...phaseOf({ ...turn.rollout, status }) } : status;
  await turn.pass.checkpoint();
}

function withProgress(turn: Turn, { reason, message, isFailure = false }: Progress): RolloutStatus {
  const status = copyJson(turn.pass.next.status ?? {});
  setCondition(status, { type: 'Progressing', status: isFailure ? 'False' : 'True', reason, message }, turn.now);
  return status;
}

/**
 * Keeps revision, copied annotations, `minReadySeconds` and the injected anti-affinity of the wanted ReplicaSet up to date, and the
 * revision of the Rollout. True if the Rollout itself was written: the pass ends with it.
 */
export async function syncRevision(turn: Turn): Promise<boolean> {
  const { rollout, desired, templateHash } = turn;
  const others = turn.sets.all.filter((set) => !isSame(set, desired));
  const next = withRevision(turn, desired, nextRevision(others));
  const minReadySeconds = rollout.spec.minReadySeconds ?? 0;
  const isOutdated =
    (desired.spec.minReadySeconds ?? 0) !== minReadySeconds ||
    isAffinityOutdated(desired.spec.template?.spec?.affinity, rollout, templateHash);
  if (next !== desired || isOutdated) {
    const affinity = affinityOf(rollout, templateHash);
    const { affinity: _, ...pod } = next.spec.template?.spec ?? {};
    const template = { ...next.spec.template, spec: { ...pod, ...(affinity ? { affinity } : {}) } };
    await turn.change(desired, { ...next, spec: { ...next.spec, minReadySeconds, template } });
    return false;
  }
  return noteDesired(turn);
}

/** Notes the wanted revision at the Rollout. True if the Rollout itself was written: the pass ends with it. */
export async function noteDesired(turn: Turn): Promise<boolean> {
  const { desired } = turn;
  const before = turn.pass.next.metadata.resourceVersion;
  await noteRevision(turn, revisionOf(desired));
  if (!conditionOf(turn.status, 'Progressing'))
    await noteProgress(turn, {
      reason: reasons.foundReplicaSet,
      message: `Found new replica set "${desired.metadata.name}"`,
    });
  return before !== turn.pass.next.metadata.resourceVersion;
}

/** A revision that is wanted again becomes the newest; its earlier numbers are kept. */
function withRevision(turn: Turn, set: ReplicaSet, revision: number): ReplicaSet {
  const before = set.metadata.annotations ?? {};
  const after = { ...before, ...copiedAnnotations(turn.pass.next) };
  if (revisionOf(set) < revision) after[annotations.revision] = String(revision);
  if (deepEqual(before, after)) return set;
  const earlier = before[annotations.revision];
  if (earlier !== undefined) {
    const history = before[annotations.revisionHistory];
    after[annotations.revisionHistory] = history ? `${history},${earlier}` : earlier;
  }
  return { ...set, metadata: { ...set.metadata, annotations: after } };
}
