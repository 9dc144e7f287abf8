import { type Clock, pause } from '@tiphys/kubernetes';

/** Milliseconds. */
const closeTime = 2000;

/** Closes what has a server; if that is away it ends when its own time is over, and nobody waits for that. */
export async function closed(opened: { close(): Promise<void> }, clock: Clock): Promise<void> {
  const over = new AbortController();
  const closing = opened.close().catch(() => undefined);
  await Promise.race([closing.finally(() => over.abort()), pause(clock, closeTime, over.signal)]);
}
