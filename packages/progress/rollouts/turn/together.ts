import type { Rollout } from '@tiphys/api';
import { reasons } from '../decide/conditions.ts';
import { currentStep, isFullyPromoted, stepsOf } from '../objects/rollout.ts';
import type { Turn } from './turn.ts';

/** Of Rollouts of a namespace that are updated together: the name of what they are released as. */
export const releaseAnnotation = 'tiphys.dev/release';

export function releaseOf({ metadata }: Rollout): string | undefined {
  return metadata.annotations?.[releaseAnnotation] || undefined;
}

/** Whether two Rollouts are updated together. */
export function areTogether(one: Rollout, other: Rollout): boolean {
  const release = releaseOf(one);
  return (
    release !== undefined &&
    release === releaseOf(other) &&
    one.metadata.namespace === other.metadata.namespace &&
    one.metadata.name !== other.metadata.name
  );
}

/** Whether the others of a release have something to do when a Rollout changed so. */
export function isNewsToOthers(now: Rollout, old: Rollout | undefined): boolean {
  if (releaseOf(now) === undefined) return false;
  const told = ({ metadata, status }: Rollout) => [
    ...[releaseOf(now), metadata.generation, status?.observedGeneration, status?.currentStepIndex],
    ...[status?.abort, status?.stableRS, status?.currentPodHash],
  ];
  return !old || told(now).join() !== told(old).join();
}

function others(turn: Turn): Rollout[] {
  if (releaseOf(turn.rollout) === undefined) return [];
  return [...turn.context.cluster.rollouts.list()].filter((each) => areTogether(turn.rollout, each));
}

/** One of the release that is behind: nobody goes on to the next step, or is promoted, before all are there. */
export function awaitedMember(turn: Turn): string | undefined {
  const { index } = currentStep(turn.rollout);
  const isAtEnd = index === undefined || index >= stepsOf(turn.rollout).length;
  return others(turn).find((other) => isBehind(other, isAtEnd ? undefined : index))?.metadata.name;
}

function isBehind(other: Rollout, index: number | undefined): boolean {
  const { status } = other;
  if (status?.abort) return false;
  if (status?.observedGeneration !== String(other.metadata.generation ?? 0)) return true;
  if (isFullyPromoted(other)) return false;
  const at = currentStep(other).index ?? 0;
  const end = stepsOf(other).length;
  return at < (index === undefined ? end : Math.min(index, end));
}

/** An abort of one, since this update began, is the abort of all. */
export function abortWithOthers(turn: Turn): void {
  const { rollout, status } = turn;
  if (turn.pauses.isAborted || isFullyPromoted(rollout)) return;
  const began = Date.parse(status.duration?.rolloutStartedAt ?? '');
  const aborted = others(turn).find(
    (other) => other.status?.abort && Date.parse(other.status.abortedAt ?? '') >= began,
  );
  if (!aborted) return;
  const message = `Rollout ${aborted.metadata.name} of release ${releaseOf(rollout)} was aborted`;
  turn.pauses.abort(message);
  turn.event('Warning', reasons.aborted, message);
}
