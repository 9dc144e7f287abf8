/** Milliseconds that a browser is left to draw what is asked for, and to take in what somebody does with it first. */
const pause = 1000;

/** Does something a second from now or later, when the browser has nothing else to do; nothing at all for those who save data. The answer takes it back. */
export function whenIdle(run: () => void): () => void {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  if (connection?.saveData) return () => undefined;
  let asked: number | undefined;
  const timer = setTimeout(() => {
    if (typeof requestIdleCallback === 'function') asked = requestIdleCallback(run);
    else run();
  }, pause);
  return () => {
    clearTimeout(timer);
    if (asked !== undefined) cancelIdleCallback(asked);
  };
}
