import type { Clock } from '@tiphys/kubernetes';

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** A clock that stands still until it is told otherwise: hours of back-off, schedules and time-outs pass in a moment. */
export class ManualClock implements Clock {
  #now: number;
  readonly #sleepers = new Set<Sleeper>();

  /** Milliseconds since the epoch, or what `Date` understands; the present time if absent. */
  constructor(start: number | string = Date.now()) {
    this.#now = new Date(start).getTime();
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const sleeper = { at: this.#now + ms, wake: resolve };
      this.#sleepers.add(sleeper);
      const onAbort = () => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /**
   * Lets time pass, from one appointment to the next, with a moment at each for what follows from it; who sleeps until the
   * same instant wakes at once. What the cluster makes of it comes over its API as always: wait for that with a watch.
   */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      const at = Math.min(...[...this.#sleepers].map((sleeper) => sleeper.at));
      if (at > end) break;
      this.#now = Math.max(this.#now, at);
      for (const sleeper of [...this.#sleepers])
        if (sleeper.at <= this.#now) {
          this.#sleepers.delete(sleeper);
          sleeper.wake();
        }
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    this.#now = end;
  }
}
