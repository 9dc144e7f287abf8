import { selectorMatches } from '@tiphys/kubernetes';
import { conditionOf, withCondition } from '../machinery/conditions.ts';
import { Controller, type ControllerContext, controllerKey, keyFor, splitKey } from '../machinery/controller.ts';
import { controllerOf } from '../machinery/object-store.ts';
import { adopt, release } from '../machinery/pods.ts';
import type { Deployment, Pod, ReplicaSet } from '../machinery/workload-model.ts';
import { isRollingUpdate } from './deployment-sizes.ts';
import { syncPlainStatus, syncRolloutStatus } from './deployment-status.ts';
import { dropHistory, isScalingEvent, recreate, rollForward, scale } from './deployment-strategies.ts';
import { type DeploymentStores, Rollout } from './rollout.ts';

/** Rolls Deployments out by their ReplicaSets (pkg/controller/deployment). */
export function startDeploymentController(context: ControllerContext): void {
  const controller = new Controller(context, 'deployment-controller');
  const stores: DeploymentStores = {
    deployments: context.stores.of<Deployment>('apps/v1', 'Deployment'),
    sets: context.stores.of<ReplicaSet>('apps/v1', 'ReplicaSet'),
    pods: context.stores.of<Pod>('v1', 'Pod'),
  };
  controller.watch(stores.deployments).watch(stores.sets, setOwners(stores));
  wakeRecreates(controller, stores);
  controller.run(async (key) => {
    const deployment = stores.deployments.get(...splitKey(key));
    if (!deployment || selectsNothing(deployment)) return undefined;
    const requeueAfter = await reconcile(
      new Rollout(controller, stores, deployment, await claimSets(controller, stores, deployment)),
    );
    return requeueAfter === undefined ? undefined : { requeueAfter };
  });
}

/** Guards in the order of upstream's syncDeployment, then the strategy, then the status. */
async function reconcile(rollout: Rollout): Promise<number | undefined> {
  const { deployment } = rollout;
  if (deployment.metadata.deletionTimestamp) {
    await syncPlainStatus(rollout);
    return undefined;
  }
  await checkPaused(rollout);
  if (deployment.spec.paused) {
    await rollout.syncRevision(false);
    await scale(rollout);
    await dropHistory(rollout);
    await syncPlainStatus(rollout);
    return undefined;
  }
  await rollout.syncRevision(false);
  if (isScalingEvent(rollout)) {
    await scale(rollout);
    await syncPlainStatus(rollout);
    return undefined;
  }
  await (isRollingUpdate(deployment) ? rollForward(rollout) : recreate(rollout));
  return syncRolloutStatus(rollout);
}

/** Notes pausing and resuming, so that the deadline does not run meanwhile. */
async function checkPaused(rollout: Rollout): Promise<void> {
  const { deployment } = rollout;
  const conditions = deployment.status?.conditions;
  const current = conditionOf(conditions, 'Progressing');
  if (!rollout.hasDeadline || current?.reason === 'ProgressDeadlineExceeded') return;
  const noted = current?.reason === 'DeploymentPaused';
  if (Boolean(deployment.spec.paused) === noted) return;
  const next = deployment.spec.paused
    ? rollout.condition('Progressing', 'Unknown', 'DeploymentPaused', 'Deployment is paused')
    : rollout.condition('Progressing', 'Unknown', 'DeploymentResumed', 'Deployment is resumed');
  await rollout.writeStatus({ ...deployment.status, conditions: withCondition(conditions, next) });
}

async function claimSets(
  controller: Controller,
  { sets }: DeploymentStores,
  deployment: Deployment,
): Promise<ReplicaSet[]> {
  const uid = deployment.metadata.uid ?? '';
  const claimed: ReplicaSet[] = [];
  for (const set of [...sets.controlledBy(uid)]) {
    if (selectorMatches(deployment.spec.selector, set.metadata.labels)) claimed.push(set);
    else if (!deployment.metadata.deletionTimestamp && !set.metadata.deletionTimestamp)
      await release(controller, sets, set, uid);
  }
  if (deployment.metadata.deletionTimestamp) return claimed;
  for (const set of [...sets.orphansIn(deployment.metadata.namespace ?? '')]) {
    if (set.metadata.deletionTimestamp || !selectorMatches(deployment.spec.selector, set.metadata.labels)) continue;
    const adopted = await adopt(controller, sets, set, deployment);
    if (adopted) claimed.push(adopted);
  }
  return claimed;
}

function setOwners({ deployments }: DeploymentStores): (set: ReplicaSet) => string[] {
  return (set) => {
    if (controllerOf(set)) return controllerKey(set, 'Deployment');
    return [...deployments.inNamespace(set.metadata.namespace ?? '')]
      .filter((deployment) => selectorMatches(deployment.spec.selector, set.metadata.labels))
      .map(keyFor);
  };
}

/** A Recreate goes on when the last old pod is gone, which no ReplicaSet's status tells. */
function wakeRecreates(controller: Controller, { pods, sets, deployments }: DeploymentStores): void {
  pods.subscribe(({ type, object }) => {
    const owner = controllerOf(object);
    if (type !== 'deleted' || owner?.kind !== 'ReplicaSet') return;
    const set = sets.get(object.metadata.namespace ?? '', owner.name);
    for (const key of set ? controllerKey(set, 'Deployment') : []) {
      const deployment = deployments.get(...splitKey(key));
      if (deployment && !isRollingUpdate(deployment)) controller.queue.add(key);
    }
  });
}

function selectsNothing({ spec: { selector } }: Deployment): boolean {
  return !Object.keys(selector.matchLabels ?? {}).length && !selector.matchExpressions?.length;
}
