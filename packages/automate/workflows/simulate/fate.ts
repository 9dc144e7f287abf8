import type { ContainerState, Outputs } from '../model/types.ts';

/** What becomes of one pod in a simulation. Times are in seconds. */
export interface Fate {
  /** From its creation until it runs; 0 if absent. */
  readonly start?: number;
  /** How long it runs; 1 if absent. */
  readonly run?: number;
  /** Exit code of `main`; 0 if absent. */
  readonly exit?: number;
  readonly message?: string;
  /** What takes it away instead: `evicted` fails the pod, `lost` makes it vanish, `never` keeps it from starting, `init` fails before main. */
  readonly loss?: 'evicted' | 'lost' | 'never' | 'init';
  readonly outputs?: {
    parameters?: Readonly<Record<string, string>>;
    result?: string;
    artifacts?: Outputs['artifacts'];
  };
}

/** A terminated container. */
export function terminated(
  exitCode: number,
  times: { startedAt: string; finishedAt: string },
  message?: string,
): ContainerState {
  return {
    terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', ...(message ? { message } : {}), ...times },
  };
}
