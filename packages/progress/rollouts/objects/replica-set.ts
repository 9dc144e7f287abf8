import { type LabelSelector, type PodTemplate, type Rollout, rolloutNames } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';

export interface ReplicaSet extends KubeObject {
  spec: { replicas?: number; minReadySeconds?: number; selector?: LabelSelector; template?: PodTemplate };
  status?: {
    replicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    observedGeneration?: number;
    conditions?: ReplicaSetCondition[];
  };
}

export interface ReplicaSetCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

const { labels, annotations } = rolloutNames;

/** The pod-template hash of a ReplicaSet, or of whatever carries the label; empty if it has none. */
export function hashOf(object: KubeObject | undefined): string {
  return object?.metadata.labels?.[labels.podTemplateHash] ?? '';
}

export function annotationOf(object: KubeObject, name: string): string | undefined {
  return object.metadata.annotations?.[name];
}

/** Pods that are wanted; Kubernetes' default is 1. */
export function wanted(set: ReplicaSet | undefined): number {
  return set ? (set.spec.replicas ?? 1) : 0;
}

export function available(set: ReplicaSet | undefined): number {
  return set?.status?.availableReplicas ?? 0;
}

type Sets = readonly (ReplicaSet | undefined)[];

export const totalWanted = (sets: Sets): number => sum(sets, wanted);
export const totalAvailable = (sets: Sets): number => sum(sets, available);
export const totalActual = (sets: Sets): number => sum(sets, (set) => set?.status?.replicas ?? 0);
export const totalReady = (sets: Sets): number => sum(sets, (set) => set?.status?.readyReplicas ?? 0);

function sum(sets: Sets, count: (set: ReplicaSet | undefined) => number): number {
  return sets.reduce((total, set) => total + count(set), 0);
}

/** The revision that the annotation tells; 0 if it tells none. */
export function revisionOf(object: KubeObject): number {
  const text = annotationOf(object, annotations.revision) ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

export function createdAt({ metadata }: KubeObject): number {
  return Date.parse(metadata.creationTimestamp ?? '') || 0;
}

/** Oldest first; those of one second by name. */
export function byAge(a: KubeObject, b: KubeObject): number {
  return createdAt(a) - createdAt(b) || (a.metadata.name ?? '').localeCompare(b.metadata.name ?? '');
}

/**
 * Whether a ReplicaSet was made before another one. Kubernetes' times have seconds: of two that were made in the same one, that of
 * the lower first revision, whatever numbers they have had since.
 */
export function isOlder(one: ReplicaSet, other: ReplicaSet): boolean {
  const difference = createdAt(one) - createdAt(other);
  return difference < 0 || (difference === 0 && firstRevisionOf(one) < firstRevisionOf(other));
}

function firstRevisionOf(set: ReplicaSet): number {
  const [first = ''] = (annotationOf(set, annotations.revisionHistory) ?? '').split(',', 1);
  return /^\d{1,15}$/.test(first) ? Number(first) : revisionOf(set);
}

/** Newest revision first; ReplicaSets without one last. */
export function byRevisionDescending(a: ReplicaSet, b: ReplicaSet): number {
  return revisionOf(b) - revisionOf(a) || createdAt(b) - createdAt(a);
}

export function hasScaleDownDeadline(set: ReplicaSet | undefined): boolean {
  return Boolean(set && annotationOf(set, annotations.scaleDownDeadline));
}

/** Milliseconds until the deadline; undefined if it has passed, cannot be read, or there is none. */
export function untilScaleDown(set: ReplicaSet, now: number): number | undefined {
  const deadline = Date.parse(annotationOf(set, annotations.scaleDownDeadline) ?? '');
  return deadline > now ? deadline - now : undefined;
}

/** The number of pods that the Rollout asked for when the ReplicaSet was last scaled. */
export function desiredReplicasNoted(set: ReplicaSet): number | undefined {
  const text = annotationOf(set, annotations.desiredReplicas);
  return text !== undefined && /^-?\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/** Whether all that the Rollout asks for is there and available. */
export function isSaturated(set: ReplicaSet | undefined, replicas: number): boolean {
  return (
    set !== undefined &&
    desiredReplicasNoted(set) === replicas &&
    wanted(set) === replicas &&
    available(set) === replicas
  );
}

/** The ReplicaSets of a Rollout by their parts in it. */
export interface ReplicaSets {
  readonly all: readonly ReplicaSet[];
  /** Of the template that the Rollout asks for. */
  readonly desired: ReplicaSet | undefined;
  /** Of the revision that was promoted last; may be the same as `desired`. */
  readonly stable: ReplicaSet | undefined;
}

/** Neither desired nor stable. */
export function otherSets({ all, desired, stable }: ReplicaSets): ReplicaSet[] {
  return all.filter((set) => !isSame(set, desired) && !isSame(set, stable));
}

export function isSame(one: ReplicaSet | undefined, other: ReplicaSet | undefined): boolean {
  return one !== undefined && other !== undefined && one.metadata.name === other.metadata.name;
}

/** The stable ReplicaSet, when it is another one than the desired. */
export function separateStable({ desired, stable }: ReplicaSets): ReplicaSet | undefined {
  return isSame(desired, stable) ? undefined : stable;
}

export function ofHash(sets: readonly ReplicaSet[], hash: string | undefined): ReplicaSet | undefined {
  return hash ? sets.find((set) => hashOf(set) === hash) : undefined;
}

export function stableOf(rollout: Rollout, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  return ofHash(sets, rollout.status?.stableRS);
}
