/** Milliseconds that a browser without a word for its rest is left to draw what is asked for. */
const pause = 2000;

/** Does something as soon as the browser has nothing else to do, and nothing at all for those who save data; the answer takes it back. */
export function whenIdle(run: () => void): () => void {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  if (connection?.saveData) return () => undefined;
  if (typeof requestIdleCallback === 'function') {
    const asked = requestIdleCallback(run);
    return () => cancelIdleCallback(asked);
  }
  const timer = setTimeout(run, pause);
  return () => clearTimeout(timer);
}
