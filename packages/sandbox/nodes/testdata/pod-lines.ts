import type { ContainerState, ContainerStatus, Pod } from '@tiphys/kube-controllers';

/** What a watch of a pod has shown so far: of each subject (the pod, a condition, a container) its different lines, in order. */
export type PodLines = Record<string, string[]>;

function told({ waiting, running, terminated }: ContainerState): string {
  if (running) return 'running';
  const { reason = '', message = '' } = terminated ?? waiting ?? {};
  const code = terminated ? ` ${terminated.exitCode}` : '';
  return `${terminated ? 'terminated' : waiting ? 'waiting' : '-'}${code} ${reason} ${message}`.trim();
}

function container(status: ContainerStatus): string {
  const { state, lastState, ready, started, restartCount, imageID, allocatedResources, resources, volumeMounts } = status;
  const mounts = volumeMounts?.filter(({ name }) => !name.startsWith('kube-api-access-'));
  const facts = { ready, started, restartCount, pulled: imageID !== '', allocatedResources, resources, mounts };
  return `${told(state)} after ${told(lastState)} ${JSON.stringify(facts)}`;
}

/** Adds what one version of the pod shows; names that any two runs differ in are replaced. */
export function addLines(lines: PodLines, type: string, pod: Pod): void {
  const { metadata, status = {} } = pod;
  const add = (subject: string, text: string) => {
    const line = text
      .replaceAll(metadata.namespace ?? '', 'NAMESPACE')
      .replaceAll(metadata.uid ?? '', 'UID')
      .replaceAll(/used: \d+/g, 'used: SOME')
      .replaceAll(/10\.244\.\d+\.\d+/g, 'POD-IP')
      .replaceAll(/10\.201\.0\.2|127\.0\.0\.1/g, 'HOST-IP');
    const list = (lines[subject] ??= []);
    if (!list.includes(line)) list.push(line);
  };
  const { phase, reason, message, hostIP, hostIPs, podIP, podIPs, qosClass, startTime, observedGeneration } = status;
  const addresses = JSON.stringify({ hostIP, hostIPs, podIP, podIPs });
  const grace = metadata.deletionGracePeriodSeconds;
  add('pod', `${type === 'DELETED' ? 'gone ' : ''}${phase} ${reason ?? ''} ${message ?? ''}`.trim());
  add('generation', `${metadata.generation} seen ${observedGeneration} grace ${grace} started ${startTime !== undefined}`);
  add('addresses', addresses);
  add('quality', `${qosClass}`);
  add('conditions', (status.conditions ?? []).map((condition) => condition.type).join(' '));
  for (const condition of status.conditions ?? [])
    add(condition.type, `${condition.status} ${condition.reason ?? ''} ${condition.message ?? ''} ${condition.observedGeneration}`);
  for (const list of ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'] as const) {
    const statuses = status[list] ?? [];
    if (statuses.length > 0) add(list, statuses.map(({ name }) => name).join(' '));
    for (const item of statuses) add(`${list}{${item.name}}`, container(item));
  }
}
