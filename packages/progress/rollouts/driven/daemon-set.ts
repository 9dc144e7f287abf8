import type { Rollout } from '@tiphys/api';
import type { Pod } from '../objects/kinds.ts';
import { isAvailable } from '../objects/pods.ts';
import { hashOf, type ReplicaSet } from '../objects/replica-set.ts';
import { maxUnavailable } from '../objects/rollout.ts';
import type { Driving, WorkloadDriver } from './driver.ts';
import {
  type Revision,
  revisionOfPod,
  shortHash,
  shownRevision,
  type Workload,
  type WorkloadState,
} from './revisions.ts';

const lookAgain = 10_000;

/**
 * Drives a DaemonSet by evictions: its strategy is OnDelete, so that a node has the new template when its old pod is gone, and as
 * many pods go at once as `maxUnavailable` lets.
 */
export function daemonSetDriver(rollout: Rollout, state: WorkloadState, now: number): WorkloadDriver | undefined {
  const { workload, revisions, pods } = state;
  const replicas = workload.status?.desiredNumberScheduled ?? 0;
  const newest = revisions.reduce<Revision | undefined>(
    (last, each) => (!last || (each.revision ?? 0) > (last.revision ?? 0) ? each : last),
    undefined,
  );
  if (!newest) return undefined;
  const counted = (hash: string) => pods.filter((pod) => revisionOfPod(workload, pod) === hash).length;
  const shown = revisions.map((revision) => {
    const wanted = counted(shortHash(workload, revision.metadata.name));
    return shownRevision(state, revision, { wanted, replicas, now });
  });
  const desired = shown.find(({ metadata }) => metadata.name === newest.metadata.name) as ReplicaSet;
  const podsOf = (revision: ReplicaSet) => pods.filter((pod) => revisionOfPod(workload, pod) === hashOf(revision));
  return {
    rollout: { ...rollout, spec: { ...rollout.spec, replicas } },
    revisions: shown,
    desired,
    podsOf,
    drive: async (driving, target) =>
      (await holdUpdates(driving, workload)) || replace(driving, { pods, target, replicas, updated: podsOf(desired) }),
  };
}

async function holdUpdates(driving: Driving, { apiVersion, kind, metadata, spec }: Workload): Promise<boolean> {
  if (spec.updateStrategy?.type === 'OnDelete') return false;
  const { name = '' } = metadata;
  await driving.client.patch({ apiVersion, kind, namespace: metadata.namespace ?? '', name }, 'merge', {
    metadata: { resourceVersion: metadata.resourceVersion },
    spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: null } },
  });
  return true;
}

interface Replacing {
  readonly pods: readonly Pod[];
  readonly updated: readonly Pod[];
  readonly target: number;
  readonly replicas: number;
}

async function replace(driving: Driving, { pods, updated, target, replicas }: Replacing): Promise<boolean> {
  const isReady = (pod: Pod) => isAvailable(pod, { minReadySeconds: 0, now: driving.now });
  // a pod that is missing or goes comes again with the new template
  const left = pods.filter((pod) => !pod.metadata.deletionTimestamp);
  let missing = target - updated.length - (replicas - left.length);
  if (missing <= 0) return false;
  driving.requeueIn(lookAgain);
  let room = Math.max(1, maxUnavailable(driving.rollout)) - (replicas - left.filter(isReady).length);
  const old = left
    .filter((pod) => !updated.includes(pod))
    .sort((a, b) => Number(isReady(a)) - Number(isReady(b)) || nameOf(a).localeCompare(nameOf(b)));
  let evicted = 0;
  for (const pod of old) {
    const costs = isReady(pod) ? 1 : 0;
    if (missing <= 0 || room < costs) break;
    if (!(await driving.evict(pod))) continue;
    room -= costs;
    missing -= 1;
    evicted += 1;
  }
  if (evicted > 0)
    driving.event(
      'Normal',
      'ScalingReplicaSet',
      `Evicted ${evicted} pods of DaemonSet ${driving.rollout.spec.workloadRef?.name}`,
    );
  return evicted > 0;
}

function nameOf({ metadata }: Pod): string {
  return metadata.name ?? '';
}
