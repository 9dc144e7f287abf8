import type { KubeObject } from '@tiphys/kubernetes';
import { textAt, valueAt } from '../../model/fields.ts';
import { health } from '../conditions.ts';
import { type Check, type Checks, field, firstOf, given, hasStatus, isSeen, listAt, numberOr } from './check.ts';

const waiting = health('Progressing', 'Waiting for initialization');
const count = (object: KubeObject, name: string) => numberOr(0, object, 'status', name);

const advancedCronJob: Check = (job) => {
  const scheduled = textAt(job, 'status', 'lastScheduleTime');
  if (!scheduled && valueAt(job, 'spec', 'paused') === true) return health('Suspended', 'AdvancedCronJob is Paused');
  if (listAt(job, 'status', 'active').length > 0) return health('Progressing', 'AdvancedCronJobs has active jobs');
  return scheduled
    ? health('Healthy', 'AdvancedCronJobs has run successfully')
    : health('Degraded', 'AdvancedCronJobs has not run successfully');
};

const phase = (object: KubeObject) => textAt(object, 'status', 'phase');
const broadcastJob = firstOf(
  ['Progressing', 'BroadcastJob is still running'],
  given(
    (job) => phase(job) === 'completed' && count(job, 'desired') === count(job, 'succeeded'),
    'Healthy',
    'BroadcastJob is completed successfully',
  ),
  given((job) => phase(job) === 'failed' && valueAt(job, 'status', 'failed') !== 0, 'Degraded', 'BroadcastJob failed'),
  given(
    (job) => phase(job) === 'paused' && valueAt(job, 'spec', 'paused') === true,
    'Suspended',
    'BroadcastJob is Paused',
  ),
);

interface Words {
  readonly name: string;
  /** Where the update strategy keeps `paused` and `partition`. */
  readonly strategy: readonly string[];
  /** Whether enough of the replicas beyond the partition are updated. */
  readonly partitioned: (object: KubeObject, partition: number) => boolean;
  readonly partition: (value: unknown) => boolean;
}

/** What CloneSet and StatefulSet have in common. */
function replicated({ name, strategy, partitioned, partition }: Words): Check {
  return (object) => {
    if (!hasStatus(object) || !isSeen(object)) return waiting;
    const available = valueAt(object, 'status', 'updatedAvailableReplicas');
    if (valueAt(object, ...strategy, 'paused') === true || available === undefined)
      return health('Suspended', `${name} is paused`);
    const held = valueAt(object, ...strategy, 'partition');
    if (partition(held) && (object.metadata.generation ?? 0) > 1)
      return partitioned(object, Number(held ?? 0))
        ? health('Suspended', `${name} needs manual intervention`)
        : waiting;
    return available === valueAt(object, 'status', 'replicas')
      ? health('Healthy', `All ${name} workloads are ready and updated`)
      : health('Degraded', 'Some replicas are not ready or available');
  };
}

const daemonSet: Check = (object) => {
  if (!hasStatus(object) || !isSeen(object)) return waiting;
  const strategy = ['spec', 'updateStrategy', 'rollingUpdate'];
  const updated = valueAt(object, 'status', 'updatedNumberScheduled');
  if (valueAt(object, ...strategy, 'paused') === true || updated === undefined)
    return health('Suspended', 'Daemonset is paused');
  const partition = numberOr(0, object, ...strategy, 'partition');
  const desired = count(object, 'desiredNumberScheduled');
  if (partition !== 0 && (object.metadata.generation ?? 0) > 1) {
    return Number(updated) > desired - partition ? health('Suspended', 'Daemonset needs manual intervention') : waiting;
  }
  if (updated !== desired) return waiting;
  if (valueAt(object, 'status', 'numberAvailable') === desired)
    return health('Healthy', 'All Daemonset workloads are ready and updated');
  return valueAt(object, 'status', 'numberUnavailable') === desired
    ? health('Degraded', 'Some pods are not ready or available')
    : waiting;
};

const gameServer: Check = (object) => {
  const unready = health('Unknown', 'Waiting for GameServer to be ready');
  if (!hasStatus(object)) return unready;
  const current = valueAt(object, 'status', 'currentState');
  const desired = valueAt(object, 'status', 'desiredState');
  if (current !== desired)
    return health('Progressing', `State change: ${current ?? 'Unknown'} → ${desired ?? 'Unknown'}`);
  const pod = listAt(object, 'status', 'podStatus', 'conditions') as { type?: string; status?: string }[];
  if (pod.some(({ type, status }) => type === 'KruisePodReady' && status !== 'True'))
    return health('Degraded', 'Pod is not ready: KruisePodReady');
  return current === 'Ready' ? health('Healthy', 'GameServer is Ready') : unready;
};

const gameServerSet: Check = (object) => {
  const starting = health('Progressing', 'Waiting for GameServerSet initialization');
  if (!hasStatus(object) || !isSeen(object)) return starting;
  const strategy = ['spec', 'updateStrategy', 'rollingUpdate'];
  if (valueAt(object, ...strategy, 'paused') === true) return health('Suspended', 'GameServerSet is paused');
  const partition = numberOr(0, object, ...strategy, 'partition');
  const replicas = count(object, 'replicas');
  if (partition !== 0 && count(object, 'updatedReplicas') >= replicas - partition)
    return health('Suspended', `Partition=${partition}, waiting for manual intervention`);
  if (count(object, 'updatedReadyReplicas') === replicas)
    return health('Healthy', 'All GameServerSet replicas are updated and ready');
  const readyReplicas = count(object, 'readyReplicas');
  return readyReplicas < replicas
    ? health('Progressing', `ReadyReplicas ${readyReplicas}/${replicas}, still progressing`)
    : starting;
};

const rollout: Check = (object) => {
  const step = isSeen(object) ? textAt(object, 'status', 'canaryStatus', 'currentStepState') : '';
  const at = `${step} ${phase(object)}`;
  return firstOf(
    ['Progressing', 'Rollout is still progressing'],
    field(['at'], {
      'StepPaused Progressing': ['Suspended', 'Rollout is Paused need manual intervention'],
      'Completed Healthy': ['Healthy', 'Rollout is Completed'],
      'StepPaused Terminating': ['Degraded', 'Rollout is Disabled or Terminating'],
      'StepPaused Disabled': ['Degraded', 'Rollout is Disabled or Terminating'],
    }),
  )({ ...object, at });
};

/** Kinds of OpenKruise. */
export const kruiseKinds: Checks = {
  'apps.kruise.io/AdvancedCronJob': advancedCronJob,
  'apps.kruise.io/BroadcastJob': broadcastJob,
  'apps.kruise.io/CloneSet': replicated({
    name: 'Cloneset',
    strategy: ['spec', 'updateStrategy'],
    partition: (value) => value !== 0,
    partitioned: (object) => count(object, 'updatedReplicas') >= count(object, 'expectedUpdatedReplicas'),
  }),
  'apps.kruise.io/DaemonSet': daemonSet,
  'apps.kruise.io/StatefulSet': replicated({
    name: 'Statefulset',
    strategy: ['spec', 'updateStrategy', 'rollingUpdate'],
    partition: (value) => value !== 0,
    partitioned: (object, partition) => count(object, 'updatedReplicas') > count(object, 'replicas') - partition,
  }),
  'game.kruise.io/GameServer': gameServer,
  'game.kruise.io/GameServerSet': gameServerSet,
  'rollouts.kruise.io/Rollout': rollout,
};
