import { setImmediate } from 'node:timers/promises';

/** Milliseconds that an answer is made without a turn for others. */
const longestTurn = 25;

/** Gives others a turn where the last one was that long ago. */
export function breaks(): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (performance.now() - last < longestTurn) return;
    await setImmediate();
    last = performance.now();
  };
}
