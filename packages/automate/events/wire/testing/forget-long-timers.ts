let isForgetting = false;

/** Clients leave timers of minutes behind when their server goes: no process of tests waits for those that are longer than this, in ms. */
export function forgetLongTimers(longest: number): void {
  if (isForgetting) return;
  isForgetting = true;
  const original = globalThis.setTimeout;
  const patched = (done: () => void, ms = 0, ...rest: unknown[]) => {
    const timer = original(done, ms, ...(rest as []));
    return ms > longest ? timer.unref() : timer;
  };
  globalThis.setTimeout = Object.assign(patched, original) as typeof setTimeout;
}
