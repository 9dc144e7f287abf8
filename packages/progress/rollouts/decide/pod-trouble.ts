import { endingOf, pullMeaning, startRemedies } from '@tiphys/kubernetes';
import type { ContainerStatus, Pod } from '../objects/kinds.ts';

export interface PodTrouble {
  readonly reason: string;
  readonly remedies: readonly string[];
}

const imageReasons = [
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'RegistryUnavailable',
];

/** Why a pod is not available; undefined for one that goes, or that only just starts. */
export function podTrouble(
  pod: Pod,
  { now, minReadySeconds }: { now: number; minReadySeconds: number },
): PodTrouble | undefined {
  const { metadata, status } = pod;
  if (metadata.deletionTimestamp) return undefined;
  return (
    unscheduled(pod) ?? waitingContainer(pod) ?? notReady(pod) ?? justReady(status?.conditions, now, minReadySeconds)
  );
}

function unscheduled({ status }: Pod): PodTrouble | undefined {
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status !== 'False') return undefined;
  return {
    reason: `it is not scheduled: ${scheduled.message ?? scheduled.reason ?? 'no reason is given'}`,
    remedies: ['Give the cluster a node with room, or ask for less; check node selectors, affinities and taints'],
  };
}

function waitingContainer(pod: Pod): PodTrouble | undefined {
  const { status } = pod;
  for (const container of [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]) {
    const trouble = containerTrouble(pod, container);
    if (trouble) return trouble;
  }
  return undefined;
}

function containerTrouble(
  { metadata }: Pod,
  { name, image = '', ready, state, lastState, restartCount = 0 }: ContainerStatus,
): PodTrouble | undefined {
  const { reason = '', message = '' } = state?.waiting ?? {};
  const said = message ? `${reason}: ${message}` : reason;
  if (imageReasons.includes(reason)) {
    const { text, remedies } = pullMeaning(message, reason, image);
    return { reason: `container ${name} cannot pull its image: ${text} (${said})`, remedies };
  }
  const ended = state?.terminated ?? lastState?.terminated;
  if (reason === 'CrashLoopBackOff' || (ended && ready !== true && ended.exitCode !== 0)) {
    const { how, meaning, signal, remedy } = endingOf(ended?.exitCode, ended?.message ?? '');
    const cause =
      ended?.reason === 'OOMKilled' ? ': it used more memory than its limit' : signal ? ` (${meaning})` : '';
    return {
      reason: `container ${name} ${how}${cause}, restarted ${restartCount} times`,
      remedies: [
        `Read its log: kubectl logs -n ${metadata.namespace ?? ''} ${metadata.name ?? ''} -c ${name} --previous`,
        remedy,
      ],
    };
  }
  if (reason && reason !== 'ContainerCreating' && reason !== 'PodInitializing')
    return { reason: `container ${name} cannot be started (${said})`, remedies: startRemedies(message) };
  return undefined;
}

function notReady({ status }: Pod): PodTrouble | undefined {
  if (status?.phase !== 'Running') return undefined;
  const condition = status.conditions?.find(({ type }) => type === 'Ready');
  if (condition?.status === 'True') return undefined;
  const unready = status.containerStatuses?.find(({ ready }) => ready === false);
  return {
    reason: unready
      ? `container ${unready.name} is not ready: its readiness probe fails or has not passed yet`
      : `it is not ready: ${condition?.message ?? condition?.reason ?? 'a readiness gate is not set'}`,
    remedies: ['Check path, port and delays of the readiness probe, and what the container needs to serve'],
  };
}

function justReady(
  conditions: NonNullable<Pod['status']>['conditions'],
  now: number,
  minReadySeconds: number,
): PodTrouble | undefined {
  const ready = conditions?.find(({ type }) => type === 'Ready');
  const since = Date.parse(ready?.lastTransitionTime ?? '');
  if (ready?.status !== 'True' || !(since + minReadySeconds * 1000 > now)) return undefined;
  return { reason: `it has to be ready for ${minReadySeconds} s`, remedies: ['Nothing has to be done'] };
}
