/** Milliseconds before a service that failed once is tried again; doubles with each failure in a row. */
const firstPause = 1000;
const longestPause = 300_000;

interface Failing {
  failures: number;
  /** Milliseconds since 1970. */
  until: number;
}

/**
 * When a service may be tried again: all of its notifications wait for one that tries, so that a receiver that is down costs
 * one attempt at a time, however many wait for it.
 */
export class ServiceHealth {
  readonly #failing = new Map<string, Failing>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Milliseconds until the service may be tried. */
  pause(service: string): number {
    return Math.max(0, (this.#failing.get(service)?.until ?? 0) - this.#now());
  }

  /** One tries a service that failed: the others wait for it, at most so many milliseconds. */
  begin(service: string, limit: number): void {
    const failing = this.#failing.get(service);
    if (failing) failing.until = this.#now() + limit;
  }

  /** True if the service had failed, and others wait for it. */
  succeeded(service: string): boolean {
    return this.#failing.delete(service);
  }

  /** What failed was not the service: another may try it. */
  released(service: string): void {
    const failing = this.#failing.get(service);
    if (failing) failing.until = this.#now();
  }

  failed(service: string, atLeast = 0): void {
    const failures = (this.#failing.get(service)?.failures ?? 0) + 1;
    this.#failing.set(service, { failures, until: this.#now() + Math.max(atLeast, pauseAfter(failures)) });
  }

  /** The settings have changed: everything is tried at once. */
  reset(): void {
    this.#failing.clear();
  }
}

/** Milliseconds between an attempt and the next one. */
export function pauseAfter(failures: number): number {
  return Math.min(firstPause * 2 ** Math.min(failures - 1, 20), longestPause);
}
