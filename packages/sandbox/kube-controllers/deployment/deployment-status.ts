import { conditionOf, withCondition, withoutCondition } from '../machinery/conditions.ts';
import { semanticallyEqual } from '../machinery/semantically-equal.ts';
import type { Condition, DeploymentStatus } from '../machinery/workload-model.ts';
import {
  actualReplicas,
  availableReplicas,
  isComplete,
  maxUnavailable,
  readyReplicas,
  replicasOf,
  wantedReplicas,
} from './deployment-sizes.ts';
import type { Rollout } from './rollout.ts';

/** The status without regard to progress, for paused and scaled Deployments (`syncDeploymentStatus`). */
export async function syncPlainStatus(rollout: Rollout): Promise<void> {
  await writeIfChanged(rollout, calculateStatus(rollout));
}

/** The status with progress, deadline and the sets' failures; answers when to look at the deadline again, in ms. */
export async function syncRolloutStatus(rollout: Rollout): Promise<number | undefined> {
  let status = calculateStatus(rollout);
  if (!rollout.hasDeadline) status = { ...status, conditions: withoutCondition(status.conditions, 'Progressing') };
  else status = withProgress(rollout, status);
  const failure = replicaFailure(rollout);
  status = {
    ...status,
    conditions: failure
      ? withCondition(status.conditions, failure)
      : withoutCondition(status.conditions, 'ReplicaFailure'),
  };
  await writeIfChanged(rollout, status);
  return untilDeadline(rollout, status);
}

function calculateStatus(rollout: Rollout): DeploymentStatus {
  const { deployment, allSets, newSet } = rollout;
  const available = availableReplicas(allSets);
  const minimum = replicasOf(deployment) - maxUnavailable(deployment);
  const availability =
    available >= minimum
      ? rollout.condition('Available', 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.')
      : rollout.condition(
          'Available',
          'False',
          'MinimumReplicasUnavailable',
          'Deployment does not have minimum availability.',
        );
  const counts = {
    replicas: actualReplicas(allSets),
    updatedReplicas: newSet ? actualReplicas([newSet]) : 0,
    readyReplicas: readyReplicas(allSets),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, wantedReplicas(allSets) - available),
    observedGeneration: deployment.metadata.generation ?? 0,
  };
  return {
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    ...(deployment.status?.collisionCount ? { collisionCount: deployment.status.collisionCount } : {}),
    conditions: withCondition(deployment.status?.conditions, availability),
  };
}

function withProgress(rollout: Rollout, status: DeploymentStatus): DeploymentStatus {
  const { deployment, newSet } = rollout;
  const current = conditionOf(deployment.status?.conditions, 'Progressing');
  const settled =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && current?.reason === 'NewReplicaSetAvailable';
  if (settled) return status;
  const subject = newSet ? `ReplicaSet "${newSet.metadata.name}"` : `Deployment "${deployment.metadata.name}"`;
  if (isComplete(deployment, status)) {
    const done = rollout.condition(
      'Progressing',
      'True',
      'NewReplicaSetAvailable',
      `${subject} has successfully progressed.`,
    );
    return { ...status, conditions: withCondition(status.conditions, done) };
  }
  if (hasProgressed(deployment.status ?? {}, status)) {
    const progress = rollout.condition('Progressing', 'True', 'ReplicaSetUpdated', `${subject} is progressing.`);
    // the same reason must not keep lastUpdateTime: each progress restarts the deadline
    const kept = current?.status === 'True' ? { lastTransitionTime: current.lastTransitionTime as string } : {};
    return { ...status, conditions: [...withoutCondition(status.conditions, 'Progressing'), { ...progress, ...kept }] };
  }
  if (isTimedOut(rollout, status)) {
    const late = rollout.condition(
      'Progressing',
      'False',
      'ProgressDeadlineExceeded',
      `${subject} has timed out progressing.`,
    );
    return { ...status, conditions: withCondition(status.conditions, late) };
  }
  return status;
}

function hasProgressed(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const old = (status: DeploymentStatus) => (status.replicas ?? 0) - (status.updatedReplicas ?? 0);
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(after) < old(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function isTimedOut(rollout: Rollout, status: DeploymentStatus): boolean {
  const progress = conditionOf(status.conditions, 'Progressing');
  if (!progress || progress.reason === 'NewReplicaSetAvailable') return false;
  return (
    progress.reason === 'ProgressDeadlineExceeded' || deadlineOf(rollout, progress) < rollout.controller.clock.now()
  );
}

function deadlineOf({ deployment }: Rollout, progress: Condition): number {
  return Date.parse(progress.lastUpdateTime ?? '') + (deployment.spec.progressDeadlineSeconds ?? 600) * 1000;
}

function untilDeadline(rollout: Rollout, status: DeploymentStatus): number | undefined {
  const progress = conditionOf(status.conditions, 'Progressing');
  if (!rollout.hasDeadline || !progress) return undefined;
  if (isComplete(rollout.deployment, status) || progress.reason === 'ProgressDeadlineExceeded') return undefined;
  return Math.max(1000, deadlineOf(rollout, progress) - rollout.controller.clock.now() + 1000);
}

/** The failure of the new set, or else of any. */
function replicaFailure({ newSet, allSets }: Rollout): Condition | undefined {
  for (const set of [...(newSet ? [newSet] : []), ...allSets]) {
    const failure = conditionOf(set.status?.conditions, 'ReplicaFailure');
    if (failure?.lastTransitionTime) return { ...failure, lastUpdateTime: failure.lastTransitionTime };
  }
  return undefined;
}

async function writeIfChanged(rollout: Rollout, status: DeploymentStatus): Promise<void> {
  if (rollout.noted || !semanticallyEqual(rollout.deployment.status, status)) await rollout.writeStatus(status);
}
