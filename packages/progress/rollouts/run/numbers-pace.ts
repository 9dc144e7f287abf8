/** Numbers of pods are written this long after they changed, in milliseconds: most often others have changed by then, and nobody notices. */
const patience = 250;
/** Between two such writes of all Rollouts together: with many that are updated at once the numbers come later, not the steps. */
const apart = 50;

/** Says when a status is written in which nothing but numbers changed; a time that was given is taken. */
export function numbersPace(): (now: number) => number {
  let next = 0;
  return (now) => {
    const due = Math.max(now + patience, next);
    next = due + apart;
    return due;
  };
}
