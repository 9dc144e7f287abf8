import { type Rollout, rolloutNames } from '@tiphys/api';
import { annotationOf, hashOf, isOlder, type ReplicaSets } from '../objects/replica-set.ts';

/** The revision that is wanted is the stable one, or older than it. */
export function isRollback(rollout: Rollout, { desired, stable }: ReplicaSets): boolean {
  if (!desired || !stable) return false;
  return rollout.status?.stableRS === hashOf(desired) || isOlder(desired, stable);
}

/** A way back that needs no steps: to the stable revision, within the window, or to pods that still run. */
export function isFastRollback(rollout: Rollout, sets: ReplicaSets, isWithinDelay: boolean): boolean {
  if (!isRollback(rollout, sets)) return false;
  return (
    isWithinWindow(rollout, sets) ||
    (isWithinDelay && rollout.spec.strategy.blueGreen !== undefined) ||
    rollout.status?.stableRS === hashOf(sets.desired)
  );
}

/** Whether fewer than `rollbackWindow.revisions` revisions lie between the wanted one and the stable one. */
export function isWithinWindow({ spec }: Rollout, { all, desired, stable }: ReplicaSets): boolean {
  const window = spec.rollbackWindow?.revisions ?? 0;
  if (!desired || !stable || window <= 0 || !isOlder(desired, stable)) return false;
  const between = all.filter(
    (set) =>
      !annotationOf(set, rolloutNames.annotations.experimentName) && isOlder(set, stable) && isOlder(desired, set),
  );
  return between.length < window;
}
