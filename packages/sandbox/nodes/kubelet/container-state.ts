import { createHash } from 'node:crypto';
import type { Container, ContainerState } from '@tiphys/kube-controllers';
import { timestamp } from '@tiphys/kubernetes';
import type { ContainerBehavior } from './pod-behavior.ts';

/** The list of a pod's spec that a container is in. */
export type ContainerGroup = 'containers' | 'initContainers' | 'ephemeralContainers';

/** Where a container is; times in milliseconds since the epoch. */
export type Stage =
  | { at: 'created'; since: number }
  | { at: 'pull-error'; since: number }
  | { at: 'running'; since: number }
  | {
      at: 'ended';
      since: number;
      exitCode: number;
      reason: string;
      message?: string;
      startedAt: number;
      /** It will be started again. */
      passing?: boolean;
    }
  | { at: 'backoff'; since: number; until: number };

/** Why a container ended whose program could not be started. */
export const startError = 'StartError';

/** How long a container that will be restarted is seen to have ended, in milliseconds. */
export const endSeen = 20;

/** How long a probe takes, in milliseconds. */
export const probeTime = 20;

/** How long a pull is said to have failed before it is said to be waited for. */
export const pullRetry = 2_000;

/** What the state of a container is told with. */
export interface ContainerIdentity {
  readonly uid: string;
  readonly container: Container;
  readonly restarts: number;
  /** The pod, as messages call it. */
  readonly pod: string;
  readonly pullError: ContainerBehavior['pullError'];
  /** Why it could not be started, once that was tried. */
  readonly configError: string | undefined;
  /** What it waits for as long as its turn has not come. */
  readonly initial: 'ContainerCreating' | 'PodInitializing';
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function containerId({
  uid,
  container,
  restarts,
}: Pick<ContainerIdentity, 'uid' | 'container' | 'restarts'>): string {
  return `containerd://${digest(`${uid}/${container.name}/${restarts}`)}`;
}

export function terminatedState(
  stage: Extract<Stage, { at: 'ended' }>,
  identity: Pick<ContainerIdentity, 'uid' | 'container' | 'restarts'>,
): NonNullable<ContainerState['terminated']> {
  return {
    exitCode: stage.exitCode,
    reason: stage.reason,
    ...(stage.message === undefined ? {} : { message: stage.message }),
    startedAt: timestamp(stage.startedAt),
    finishedAt: timestamp(stage.since),
    containerID: containerId(identity),
  };
}

/** The state as a kubelet writes it. */
export function stateOf(stage: Stage, identity: ContainerIdentity, now: number): ContainerState {
  const { pullError, configError, container, pod, initial } = identity;
  if (stage.at === 'running') return { running: { startedAt: timestamp(stage.since) } };
  if (stage.at === 'ended' && stage.passing && stage.reason === startError)
    return { waiting: { reason: 'RunContainerError', message: stage.message ?? '' } };
  if (stage.at === 'ended') return { terminated: terminatedState(stage, identity) };
  if (stage.at === 'pull-error' && pullError) {
    if (now - stage.since < pullRetry || pullError.reason !== 'ErrImagePull') return { waiting: pullError };
    return {
      waiting: {
        reason: 'ImagePullBackOff',
        message: `Back-off pulling image "${container.image}": ${pullError.reason}: ${pullError.message}`,
      },
    };
  }
  if (stage.at === 'backoff') {
    const seconds = Math.round((stage.until - stage.since) / 1000);
    const text = seconds >= 60 ? `${Math.floor(seconds / 60)}m${seconds % 60}s` : `${seconds}s`;
    return {
      waiting: {
        reason: 'CrashLoopBackOff',
        message: `back-off ${text} restarting failed container=${container.name} pod=${pod}`,
      },
    };
  }
  return {
    waiting: configError ? { reason: 'CreateContainerConfigError', message: configError } : { reason: initial },
  };
}

/**
 * Where a restarted node goes on with a container whose status it finds: what is simulated runs on, a process has ended
 * with the sandbox that ran it.
 */
export function adoptedStage(
  { running, terminated, waiting }: ContainerState,
  fresh: Stage,
  isProcess: boolean,
): Stage {
  const { since } = fresh;
  if (terminated) {
    const endedAt = Date.parse(terminated.finishedAt ?? '') || since;
    return {
      at: 'ended',
      since: endedAt,
      exitCode: terminated.exitCode,
      reason: terminated.reason ?? 'Error',
      startedAt: Date.parse(terminated.startedAt ?? '') || endedAt,
    };
  }
  if (running?.startedAt) {
    const startedAt = Date.parse(running.startedAt);
    return isProcess
      ? { at: 'ended', since, exitCode: 255, reason: 'Unknown', startedAt }
      : { at: 'running', since: startedAt };
  }
  return waiting?.reason === 'CrashLoopBackOff' ? { at: 'backoff', since, until: since } : fresh;
}

/** When the run began and ended that a state tells of; undefined for one that has not ended. */
export function spanOf({ terminated }: ContainerState): { startedAt: number; finishedAt: number } | undefined {
  if (!terminated) return undefined;
  return { startedAt: Date.parse(terminated.startedAt ?? ''), finishedAt: Date.parse(terminated.finishedAt ?? '') };
}
