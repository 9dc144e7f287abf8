import { type Attempts, withRetry } from '../retry/backoff.ts';

type Run = (connected: () => void) => Promise<void>;

/**
 * Connects with the tries of `connectionBackoff`, and listens. A connection that is lost later is thrown at once: the next call
 * has all tries again.
 */
export async function connectAndListen(attempts: Attempts, run: Run): Promise<void> {
  let lost: { readonly error: unknown } | undefined;
  await withRetry(attempts, async () => {
    let isConnected = false;
    try {
      await run(() => {
        isConnected = true;
      });
    } catch (error) {
      if (!isConnected) throw error;
      lost = { error };
    }
  });
  if (lost) throw lost.error;
}
