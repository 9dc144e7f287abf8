import type { Clock } from '@tiphys/kubernetes';

/** Lets `burst` through at once and `perSecond` from then on. */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #clock: Clock;
  #tokens: number;
  #at: number;

  constructor(options: { perSecond: number; burst: number; clock: Clock }) {
    this.#perSecond = options.perSecond;
    this.#burst = options.burst;
    this.#clock = options.clock;
    this.#tokens = options.burst;
    this.#at = options.clock.now();
  }

  /** False if there is nothing left. */
  take(): boolean {
    const now = this.#clock.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#at) / 1000) * this.#perSecond);
    this.#at = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
