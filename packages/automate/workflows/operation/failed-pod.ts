import { mainContainers } from '../model/template-type.ts';
import type { ContainerStatus, Pod, Template } from '../model/types.ts';

export interface PodVerdict {
  readonly phase: 'Failed' | 'Error' | 'Succeeded';
  readonly message: string;
}

/**
 * What became of a pod that the kubelet calls failed: the user's code (Failed), what surrounds it (Error), or nothing at all, if
 * only sidecars had to be killed.
 */
export function judgeFailedPod(pod: Pod, template: Template | undefined): PodVerdict {
  const { status } = pod;
  if (status?.message) return { phase: 'Failed', message: status.message };
  const mains = mainContainers(template ?? {});
  const rank = ({ name }: ContainerStatus) => (mains.includes(name) ? 1 : name === 'wait' ? 2 : 3);
  const users = [...(status?.containerStatuses ?? [])].sort((a, b) => rank(a) - rank(b));
  const containers = [...(status?.initContainerStatuses ?? []), ...users];
  if (containers.length === 0) return { phase: 'Failed', message: noStatus(pod) };
  const succeeded = new Set<string>();
  for (const container of containers) {
    const verdict = judgeContainer(container, mains);
    if (verdict) return verdict;
    if (container.state?.terminated?.exitCode === 0) succeeded.add(container.name);
  }
  return judgeRest(
    mains.some((name) => succeeded.has(name)),
    succeeded.has('wait'),
  );
}

function noStatus({ metadata, status }: Pod): string {
  if (status?.reason) return `pod ${metadata.name} failed: ${status.reason}`;
  return `can't find failed message for pod ${metadata.name} namespace ${metadata.namespace}`;
}

function judgeContainer({ name, state }: ContainerStatus, mains: readonly string[]): PodVerdict | undefined {
  if (state?.waiting) {
    const { reason = '', message = '' } = state.waiting;
    return { phase: 'Error', message: `Pod failed before ${name} container starts due to ${reason}: ${message}` };
  }
  const end = state?.terminated;
  if (!end || end.exitCode === 0) return undefined;
  const cause = `${end.reason ?? 'Error'} (exit code ${end.exitCode})${end.message ? `: ${end.message}` : ''}`;
  const message = `${name}: ${cause}`;
  if (name === 'init' || name === 'wait') return { phase: 'Error', message };
  if (mains.includes(name)) return { phase: 'Failed', message };
  // a sidecar is killed when the main containers have ended: that is no failure
  return end.exitCode === 137 || end.exitCode === 143 ? undefined : { phase: 'Failed', message };
}

function judgeRest(mainSucceeded: boolean, waitSucceeded: boolean): PodVerdict {
  if (mainSucceeded && waitSucceeded) return { phase: 'Succeeded', message: '' };
  const what = mainSucceeded
    ? 'wait container did not complete successfully'
    : waitSucceeded
      ? 'main container did not complete successfully'
      : 'neither main nor wait container completed successfully';
  return { phase: 'Failed', message: `pod failed: ${what}` };
}

const restartable = ['Evicted', 'NodeShutdown', 'NodeAffinity', 'UnexpectedAdmissionError'];

/** True for a pod that a node refused or lost before the user's code began. */
export function neverStarted(pod: Pod, template: Template | undefined): boolean {
  if (!restartable.includes(pod.status?.reason ?? '')) return false;
  const mains = mainContainers(template ?? {});
  return (pod.status?.containerStatuses ?? [])
    .filter(({ name }) => mains.includes(name))
    .every(({ state, lastState }) => !state?.running && !lastState?.running && !state?.terminated?.startedAt);
}

/** Why a pod does not run yet, as the kubelet or the scheduler say; empty if nobody says anything. */
export function pendingReason({ status }: Pod): string {
  for (const { state } of status?.containerStatuses ?? []) {
    if (!state?.waiting) continue;
    const { reason = '', message } = state.waiting;
    return message ? `${reason}: ${message}` : reason;
  }
  const unscheduled = status?.conditions?.find(({ reason }) => reason === 'Unschedulable');
  if (!unscheduled) return '';
  return unscheduled.message ? `Unschedulable: ${unscheduled.message}` : 'Unschedulable';
}
