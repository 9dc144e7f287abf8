import type { Crowd } from './crowd.ts';

/** While many Rollouts change, numbers are written this long after they did, in milliseconds: most often others have changed by then, and nobody notices. */
const longestDelay = 5_000;
/** Between two such writes of all Rollouts together: with many that are updated at once the numbers come later, not the steps. */
const apart = 50;

/** Says when a status of a Rollout is written in which nothing but numbers changed; a time that was given is taken. */
export function numbersPace(crowd: Crowd): (now: number, rollout: string) => number {
  let next = 0;
  return (now, rollout) => {
    if (!crowd.note(rollout, now)) return now;
    const due = Math.max(now + longestDelay, next);
    next = due + apart;
    return due;
  };
}
