/** Time as an argument. Anyone who waits or stamps takes one; tests script it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds since some instant, whatever becomes of the time of the machine: what measures how long something took. `now` if absent. */
  elapsed?(): number;
  /** Resolves after `ms`, or rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: async (ms, signal) => {
    let left = ms;
    for (; left > longestTimeout; left -= longestTimeout) await timeout(longestTimeout, signal);
    await timeout(left, signal);
  },
};

/** A reading of the clock that is only good for differences: setting the time of the machine moves it neither way. */
export function elapsed(clock: Clock): number {
  return clock.elapsed?.() ?? clock.now();
}

/** What a timer can be set to, in milliseconds (24 days); one that is set to more fires at once. */
const longestTimeout = 2 ** 31 - 1;

function timeout(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Resolves after `ms`, or as soon as the signal aborts. */
export async function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}
