/** The signs of kubectl's plugin. */
export const kindIcons = {
  Rollout: '⟳',
  Revision: '#',
  ReplicaSet: '⧉',
  Pod: '□',
  Job: '⊞',
  Experiment: 'Σ',
  AnalysisRun: 'α',
} as const;

const waiting = '◷';
const progressing = '◌';
const warning = '⚠';
const unknown = '?';
const good = '✔';
const bad = '✖';
const paused = '॥';
const neutral = '•';

export const counts = { successful: good, failed: bad, inconclusive: unknown, error: warning } as const;

const ofStatus = new Map<string, string>([
  ['Progressing', progressing],
  ['Paused', paused],
  ['Healthy', good],
  ['Degraded', bad],
  ['ReplicaFailure', bad],
  ['ScaledDown', neutral],
  ['Successful', good],
  ['Inconclusive', unknown],
  ['Failed', bad],
  ['Error', warning],
  ['Running', progressing],
  ['Pending', waiting],
]);

const ofPod = new Map<string, string>([
  ['Pending', progressing],
  ['Terminating', progressing],
  ['ContainerCreating', progressing],
  ['Running', good],
  ['Completed', good],
  ['Failed', bad],
  ['InvalidImageName', bad],
  ['CrashLoopBackOff', bad],
  ['ImagePullBackOff', warning],
  ['RegistryUnavailable', warning],
  ['Unknown', unknown],
]);

/** Of a Rollout, a ReplicaSet, an Experiment, an analysis or its Job; a space if there is none. */
export function statusIcon(status: string): string {
  return ofStatus.get(status) ?? ' ';
}

export function podIcon(status: string): string {
  if (status.startsWith('Init:')) return progressing;
  if (status.startsWith('Signal:') || status.startsWith('ExitCode:')) return bad;
  if (status.endsWith('Error') || status.startsWith('Err')) return warning;
  return ofPod.get(status) ?? ' ';
}
