import type { Crowd } from './crowd.ts';

/** While many Rollouts change, numbers are written this long after they did, in milliseconds, while more do later: most often others have changed by then, and nobody notices. */
const delay = 5_000;
/** Between two such writes of all Rollouts together: with many that are updated at once the numbers come later, not the steps. */
const apart = 50;

/** Says when a status of a Rollout is written in which nothing but numbers changed; a time that was given is taken. */
export function numbersPace(crowd: Crowd): (now: number, rollout: string) => number {
  let next = 0;
  return (now, rollout) => {
    const crowded = crowd.note(rollout, now);
    if (crowded === 0) return now;
    const due = Math.max(now + delay * crowded, next);
    next = due + apart;
    return due;
  };
}
