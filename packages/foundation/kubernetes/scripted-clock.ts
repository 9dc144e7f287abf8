import type { Clock } from './connect/clock.ts';

/** A clock for tests: time passes only by `advance`, which wakes anyone who slept that long. */
export class ScriptedClock implements Clock {
  #now: number;
  readonly #sleepers = new Set<{ at: number; wake: () => void }>();
  #arrived = Promise.withResolvers<void>();

  constructor(start = Date.parse('2026-01-01T00:00:00Z')) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const sleeper = { at: this.#now + ms, wake: resolve };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', () => {
        this.#sleepers.delete(sleeper);
        reject(signal.reason);
      });
      this.#arrived.resolve();
      return undefined;
    });
  }

  /** Lets time pass; everyone whose time has come runs before this resolves. */
  async advance(ms: number): Promise<void> {
    this.#now += ms;
    for (const sleeper of [...this.#sleepers].sort((a, b) => a.at - b.at)) {
      if (sleeper.at > this.#now) continue;
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Resolves as soon as somebody sleeps. */
  async sleeping(): Promise<void> {
    while (this.#sleepers.size === 0) {
      this.#arrived = Promise.withResolvers();
      await this.#arrived.promise;
    }
  }
}
