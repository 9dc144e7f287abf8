import type { KubeObject, LabelSelector } from '@tiphys/kubernetes';
import type { Condition, PersistentVolumeClaim, Pod, PodTemplate } from '../machinery/workload-model.ts';

export interface StatefulSetStatus {
  observedGeneration?: number;
  replicas: number;
  readyReplicas?: number;
  currentReplicas?: number;
  updatedReplicas?: number;
  availableReplicas: number;
  currentRevision?: string;
  updateRevision?: string;
  collisionCount?: number;
  conditions?: Condition[];
}

type RetentionPolicy = 'Retain' | 'Delete';

export interface StatefulSet extends KubeObject {
  spec: {
    replicas?: number;
    selector: LabelSelector;
    template: PodTemplate;
    serviceName?: string;
    podManagementPolicy?: string;
    updateStrategy?: { type?: string; rollingUpdate?: { partition?: number } };
    revisionHistoryLimit?: number;
    minReadySeconds?: number;
    ordinals?: { start?: number };
    volumeClaimTemplates?: PersistentVolumeClaim[];
    persistentVolumeClaimRetentionPolicy?: { whenDeleted?: RetentionPolicy; whenScaled?: RetentionPolicy };
  };
  status?: StatefulSetStatus;
}

export function replicasOf({ spec }: StatefulSet): number {
  return spec.replicas ?? 1;
}

export function startOf({ spec }: StatefulSet): number {
  return spec.ordinals?.start ?? 0;
}

/** The number at the end of a pod's name, if the rest is the set's name; undefined for others. */
export function ordinalOf(set: StatefulSet, pod: Pod): number | undefined {
  const match = /^(.*)-(\d+)$/.exec(pod.metadata.name ?? '');
  return match?.[1] === set.metadata.name ? Number(match?.[2]) : undefined;
}

export function isInRange(set: StatefulSet, ordinal: number): boolean {
  return ordinal >= startOf(set) && ordinal < startOf(set) + replicasOf(set);
}

/** Pods are created and deleted one after the other, each when its predecessor is available. */
export function isOrdered({ spec }: StatefulSet): boolean {
  return spec.podManagementPolicy !== 'Parallel';
}
