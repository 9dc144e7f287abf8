/** A Rollout counts as one whose pods change for this long after they did, in milliseconds. */
const memory = 30_000;
/** While no more Rollouts than these change, numbers are written as they change: people and pipelines look at them. */
const few = 50;
/** While more do, numbers are written this long after they changed: most often others have changed by then, and nobody notices. */
const patience = 2_000;
/** Between two such writes of all Rollouts together: with many that are updated at once the numbers come later, not the steps. */
const apart = 50;

/** Says when a status of a Rollout is written in which nothing but numbers changed; a time that was given is taken. */
export function numbersPace(): (now: number, rollout: string) => number {
  /** When each Rollout last asked, the one that asked last at the end. */
  const asked = new Map<string, number>();
  let next = 0;
  return (now, rollout) => {
    asked.delete(rollout);
    asked.set(rollout, now);
    for (const [each, at] of asked) {
      if (now - at < memory) break;
      asked.delete(each);
    }
    if (asked.size <= few) return now;
    const due = Math.max(now + patience, next);
    next = due + apart;
    return due;
  };
}
