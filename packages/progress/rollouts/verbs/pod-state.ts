import type { ContainerStatus, Pod } from '../objects/kinds.ts';

export interface PodState {
  /** One word, as kubectl shows it. */
  readonly status: string;
  readonly ready: number;
  readonly total: number;
  readonly restarts: number;
}

/** What is to be said of a pod in one line. */
export function podState({ metadata, spec, status = {} }: Pod): PodState {
  const main = status.containerStatuses ?? [];
  const init = status.initContainerStatuses ?? [];
  const inits = Array.isArray(spec?.initContainers) ? spec.initContainers.length : init.length;
  const initial = initReason(init, inits);
  const reason = initial ?? mainReason(main) ?? (status as { reason?: string }).reason ?? status.phase ?? '';
  return {
    status: metadata.deletionTimestamp ? 'Terminating' : reason,
    ready: initial ? 0 : main.filter(({ ready, state }) => ready && state?.running).length,
    total: Array.isArray(spec?.containers) ? spec.containers.length : main.length,
    restarts: (initial ? init : main).reduce((total, { restartCount = 0 }) => total + restartCount, 0),
  };
}

function initReason(statuses: readonly ContainerStatus[], total: number): string | undefined {
  const index = statuses.findIndex((status) => !isInitialised(status));
  if (index < 0) return undefined;
  const { terminated, waiting } = statuses[index]?.state ?? {};
  if (terminated) return `Init:${terminated.reason || `ExitCode:${terminated.exitCode ?? 0}`}`;
  if (waiting?.reason && waiting.reason !== 'PodInitializing') return `Init:${waiting.reason}`;
  return `Init:${index}/${total}`;
}

/** It has ended well, or it is a sidecar that goes on. */
function isInitialised({ ready, state }: ContainerStatus): boolean {
  return state?.terminated ? (state.terminated.exitCode ?? 0) === 0 : Boolean(ready && state?.running);
}

/** The first container that does not run tells it. */
function mainReason(statuses: readonly ContainerStatus[]): string | undefined {
  for (const { state } of statuses) {
    if (state?.waiting?.reason) return state.waiting.reason;
    if (state?.terminated) return state.terminated.reason || `ExitCode:${state.terminated.exitCode ?? 0}`;
  }
  return undefined;
}
