/** So many writes of numbers alone are made at once: who follows one update sees each number, as with upstream. */
const burst = 40;
/** Beyond them numbers of pods are written this long after they changed, in milliseconds: most often others have changed by then. */
const patience = 250;
/** Between two such writes of all Rollouts together, and until one more is made at once: with many that are updated the numbers come later, not the steps. */
const apart = 50;

/** Says when a status is written in which nothing but numbers changed; a time that was given is taken. */
export function numbersPace(): (now: number) => number {
  let next = 0;
  let left = burst;
  let counted = 0;
  return (now) => {
    const earned = Math.floor((now - counted) / apart);
    left = Math.min(burst, left + earned);
    counted = left === burst ? now : counted + earned * apart;
    if (left > 0) {
      left -= 1;
      return now;
    }
    const due = Math.max(now + patience, next);
    next = due + apart;
    return due;
  };
}
