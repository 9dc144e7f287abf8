import type { Rollout } from '@tiphys/api';
import type { Pod } from '../objects/kinds.ts';
import { isAvailable } from '../objects/pods.ts';
import { hashOf, type ReplicaSet } from '../objects/replica-set.ts';
import { isFullyPromoted } from '../objects/rollout.ts';
import type { Driving, WorkloadDriver } from './driver.ts';
import { revisionOfPod, shortHash, shownRevision, type Workload, type WorkloadState } from './revisions.ts';

/** What is waited for is looked at again after this time, in milliseconds, though the workload's status tells of it. */
const lookAgain = 10_000;

/**
 * Drives a StatefulSet by its partition: pods from there on have the new template. At rest the partition is the number of pods, so
 * that another template replaces nothing before its first step.
 */
export function statefulSetDriver(rollout: Rollout, state: WorkloadState, now: number): WorkloadDriver | undefined {
  const { workload, revisions, pods } = state;
  const replicas = workload.spec.replicas ?? 1;
  const current = shortHash(workload, workload.status?.currentRevision);
  const update = shortHash(workload, workload.status?.updateRevision);
  const partition = Math.min(workload.spec.updateStrategy?.rollingUpdate?.partition ?? 0, replicas);
  const count = update === current ? replicas : replicas - partition;
  const shown = revisions.map((revision) => {
    const hash = shortHash(workload, revision.metadata.name);
    const wanted = hash === update ? count : hash === current ? replicas - count : 0;
    return shownRevision(state, revision, { wanted, replicas, now });
  });
  const desired = shown.find((set) => hashOf(set) === update);
  if (!desired) return undefined;
  const podsOf = (revision: ReplicaSet) => pods.filter((pod) => revisionOfPod(workload, pod) === hashOf(revision));
  return {
    rollout: { ...rollout, spec: { ...rollout.spec, replicas } },
    revisions: shown,
    desired,
    podsOf,
    drive: async (driving, target) => {
      const isAtRest = isFullyPromoted(driving.rollout) && update === current && podsOf(desired).length === pods.length;
      const next = isAtRest ? replicas : replicas - target;
      if (await setPartition(driving, workload, next)) return true;
      return update === current ? false : takeBack(driving, { pods, workload, current, partition: next });
    },
  };
}

async function setPartition(driving: Driving, { apiVersion, kind, metadata, spec }: Workload, partition: number) {
  if ((spec.updateStrategy?.rollingUpdate?.partition ?? 0) === partition) return false;
  const { name = '' } = metadata;
  await driving.client.patch({ apiVersion, kind, namespace: metadata.namespace ?? '', name }, 'merge', {
    metadata: { resourceVersion: metadata.resourceVersion },
    spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } } },
  });
  driving.event('Normal', 'ScalingReplicaSet', `Set the partition of ${kind} ${name} to ${partition}`);
  return true;
}

/**
 * Pods before the partition that do not have the current template, after an abort: one after the other is evicted, the highest
 * ordinal first, and comes again with it. What is not ready anyhow goes first.
 */
async function takeBack(
  driving: Driving,
  {
    pods,
    workload,
    current,
    partition,
  }: { pods: readonly Pod[]; workload: Workload; current: string; partition: number },
): Promise<boolean> {
  const isReady = (pod: Pod) => isAvailable(pod, { minReadySeconds: 0, now: driving.now });
  const wrong = pods
    .filter((pod) => ordinal(pod) < partition && revisionOfPod(workload, pod) !== current)
    .sort((a, b) => Number(isReady(a)) - Number(isReady(b)) || ordinal(b) - ordinal(a));
  const [next] = wrong;
  if (!next) return false;
  driving.requeueIn(lookAgain);
  const others = pods.filter((pod) => pod !== next);
  const isWhole = others.length + 1 >= (workload.spec.replicas ?? 1) && others.every(isReady);
  // while another pod is missing, only one that serves nobody may go
  if (next.metadata.deletionTimestamp || (isReady(next) && !isWhole)) return false;
  return driving.evict(next);
}

/** The number at the end of a pod's name. */
function ordinal({ metadata: { name = '' } }: Pod): number {
  return Number(name.slice(name.lastIndexOf('-') + 1));
}
