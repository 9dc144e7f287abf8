/** Milliseconds that a browser is left to draw what is asked for, and to take in what somebody does with it first. */
const pause = 2000;
/** What somebody does; moves of a pointer are left out, they ask for nothing. */
const doings = ['keydown', 'pointerdown', 'input', 'wheel', 'popstate'] as const;

/**
 * Does something two seconds from the last thing that somebody did, or later, when the browser has nothing else to do: what is loaded ahead of its use must not
 * stand before what is asked for. Nothing at all for those who save data. The answer takes it back.
 */
export function whenIdle(run: () => void): () => void {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  if (connection?.saveData) return () => undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked: number | undefined;
  const wait = () => {
    stop();
    timer = setTimeout(() => {
      if (typeof requestIdleCallback === 'function') asked = requestIdleCallback(done);
      else done();
    }, pause);
  };
  const stop = () => {
    clearTimeout(timer);
    if (asked !== undefined) cancelIdleCallback(asked);
  };
  const forget = () => {
    stop();
    for (const doing of doings) removeEventListener(doing, wait);
  };
  const done = () => {
    forget();
    run();
  };
  for (const doing of doings) addEventListener(doing, wait, { passive: true });
  wait();
  return forget;
}
