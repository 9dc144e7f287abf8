import type { Rollout } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import { type ShownStep, shownStep } from './step-words.ts';

/** A row of the list of Rollouts. */
export interface RolloutSummary {
  readonly namespace: string;
  readonly name: string;
  readonly strategy: 'canary' | 'blue-green' | 'none';
  readonly phase: string;
  readonly message: string;
  /** Steps that are done, of how many; absent without steps. */
  readonly step?: { readonly index: number; readonly count: number };
  /** Percent of the canary: what the steps ask for, and what a router was told, where one is. */
  readonly weight?: { readonly desired: number; readonly actual?: number };
  /** Number of the revision that is gone to; hashes of both. */
  readonly revision: string;
  readonly current: string;
  readonly stable: string;
  readonly pods: { readonly wanted: number; readonly updated: number; readonly available: number };
}

export interface RolloutHead extends RolloutSummary {
  readonly steps: readonly ShownStep[];
  readonly aborted: boolean;
  readonly paused: boolean;
  readonly pauses: readonly { readonly reason: string; readonly since: string }[];
  readonly conditions: readonly unknown[];
  readonly diagnoses: readonly unknown[];
}

const revisionAnnotation = 'rollout.argoproj.io/revision';
const hashLabel = 'rollouts-pod-template-hash';

export const revisionOf = ({ metadata }: KubeObject) => metadata.annotations?.[revisionAnnotation] ?? '';

export function rolloutSummary(rollout: Rollout): RolloutSummary {
  const { metadata, spec, status = {} } = rollout;
  const { canary, blueGreen } = spec.strategy ?? {};
  const steps = canary?.steps ?? [];
  const weight = weightOf(rollout);
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    strategy: canary ? 'canary' : blueGreen ? 'blue-green' : 'none',
    phase: status.phase ?? 'Unknown',
    message: status.message ?? (status.phase ? '' : 'No controller of Rollouts has looked at it yet'),
    ...(steps.length > 0 ? { step: { index: status.currentStepIndex ?? 0, count: steps.length } } : {}),
    ...(weight ? { weight } : {}),
    revision: revisionOf(rollout),
    current: status.currentPodHash ?? '',
    stable: status.stableRS ?? '',
    pods: {
      wanted: wantedPods(rollout),
      updated: status.updatedReplicas ?? 0,
      available: status.availableReplicas ?? 0,
    },
  };
}

/** A StatefulSet or DaemonSet keeps its own number of pods, which is what the status tells of it. */
function wantedPods({ spec, status = {} }: Rollout): number {
  const keepsPods = ['StatefulSet', 'DaemonSet'].includes(spec.workloadRef?.kind ?? '');
  return spec.replicas ?? (keepsPods ? (status.replicas ?? 0) : 1);
}

function weightOf({ spec, status = {} }: Rollout): RolloutSummary['weight'] {
  const { canary } = spec.strategy ?? {};
  const isUpdating = status.stableRS && status.currentPodHash !== status.stableRS;
  if (!canary || !isUpdating) return undefined;
  const steps = canary.steps ?? [];
  const index = status.currentStepIndex ?? 0;
  const asked = steps.slice(0, index + 1).findLast(({ setWeight }) => setWeight !== undefined)?.setWeight ?? 0;
  const all = canary.trafficRouting?.maxTrafficWeight ?? 100;
  const told = status.canary?.weights?.canary.weight;
  return {
    desired: status.abort ? 0 : index >= steps.length ? all : asked,
    ...(told === undefined ? {} : { actual: told }),
  };
}

export function rolloutHead(rollout: Rollout): RolloutHead {
  const { spec, status = {} } = rollout;
  return {
    ...rolloutSummary(rollout),
    steps: (spec.strategy?.canary?.steps ?? []).map(shownStep),
    aborted: status.abort === true,
    paused: spec.paused === true,
    pauses: (status.pauseConditions ?? []).map(({ reason, startTime }) => ({ reason, since: startTime })),
    conditions: status.conditions ?? [],
    diagnoses: status.diagnoses ?? [],
  };
}

/** A ReplicaSet of a Rollout, with what it is now. */
export interface ShownRevision {
  readonly name: string;
  readonly revision: string;
  readonly hash: string;
  readonly roles: readonly string[];
  readonly images: readonly string[];
  /** Names of the containers of the images. */
  readonly containers: readonly string[];
  readonly created: string;
  readonly wanted: number;
  readonly pods: number;
  readonly ready: number;
  readonly available: number;
}

interface ReplicaSet extends KubeObject {
  spec?: { replicas?: number; template?: { spec?: { containers?: { name?: string; image?: string }[] } } };
  status?: { replicas?: number; readyReplicas?: number; availableReplicas?: number };
}

export function shownRevision(rollout: Rollout, set: KubeObject): ShownRevision {
  const { metadata, spec = {}, status = {} } = set as ReplicaSet;
  const hash = metadata.labels?.[hashLabel] ?? '';
  return {
    name: metadata.name ?? '',
    revision: revisionOf(set),
    hash,
    roles: rolesOf(rollout, hash),
    images: (spec.template?.spec?.containers ?? []).map(({ image }) => image ?? ''),
    containers: (spec.template?.spec?.containers ?? []).map(({ name }) => name ?? ''),
    created: metadata.creationTimestamp ?? '',
    wanted: spec.replicas ?? 1,
    pods: status.replicas ?? 0,
    ready: status.readyReplicas ?? 0,
    available: status.availableReplicas ?? 0,
  };
}

function rolesOf({ spec, status = {} }: Rollout, hash: string): string[] {
  if (hash === '') return [];
  const { blueGreen, stableRS, currentPodHash } = status;
  const isBlueGreen = spec.strategy?.blueGreen !== undefined;
  return [
    ...(stableRS === hash ? ['stable'] : []),
    ...(!isBlueGreen && currentPodHash === hash && stableRS !== hash ? ['canary'] : []),
    ...(isBlueGreen && blueGreen?.activeSelector === hash ? ['active'] : []),
    ...(isBlueGreen && blueGreen?.previewSelector === hash && blueGreen.activeSelector !== hash ? ['preview'] : []),
  ];
}
