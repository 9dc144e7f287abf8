import type { ContainerStatus, Pod } from '../objects/kinds.ts';

export interface PodTrouble {
  readonly reason: string;
  readonly remedy: string;
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
    remedy: 'Give the cluster a node with room, or ask for less; check node selectors, affinities and taints',
  };
}

function waitingContainer({ status }: Pod): PodTrouble | undefined {
  for (const container of [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]) {
    const trouble = containerTrouble(container);
    if (trouble) return trouble;
  }
  return undefined;
}

function containerTrouble({ name, state, restartCount = 0 }: ContainerStatus): PodTrouble | undefined {
  const { reason = '', message } = state?.waiting ?? {};
  const said = message ? `${reason}: ${message}` : reason;
  if (imageReasons.includes(reason))
    return {
      reason: `container ${name} cannot pull its image (${said})`,
      remedy: 'Correct the name or tag of the image, or give the pod a pull secret for its registry',
    };
  if (reason === 'CrashLoopBackOff' || state?.terminated) {
    const code = state?.terminated?.exitCode;
    return {
      reason: `container ${name} ends after its start${code === undefined ? '' : ` with exit code ${code}`}, restarted ${restartCount} times`,
      remedy: `Read its log: kubectl logs POD -c ${name} --previous`,
    };
  }
  if (reason && reason !== 'ContainerCreating' && reason !== 'PodInitializing')
    return { reason: `container ${name} waits (${said})`, remedy: 'Correct what the message names' };
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
    remedy: 'Check path, port and delays of the readiness probe, and what the container needs to serve',
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
  return { reason: `it has to be ready for ${minReadySeconds} s`, remedy: 'Nothing has to be done' };
}
