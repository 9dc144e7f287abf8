import { handlingOf } from '@tiphys/diagnosis';
import { type Clock, pause } from '@tiphys/kubernetes';

/** Milliseconds before each further attempt; upstream's executor waits as long. */
const waits = [1000, 1600, 2560, 4096];

/** Tries again what may go away by itself: connections that broke, stores that are busy. */
export async function retried<T>(
  work: () => Promise<T>,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const wait = waits[attempt];
      if (wait === undefined || handlingOf(error) !== 'retryable') throw error;
      signal.throwIfAborted();
      await pause(clock, wait, signal);
    }
  }
}
