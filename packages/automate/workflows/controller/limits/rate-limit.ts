export interface RateLimitSettings {
  /** Each second. */
  readonly limit: number;
  /** At once. */
  readonly burst: number;
}

/** A bucket of tokens, one for each pod that may be created now. */
export class RateLimit {
  readonly #settings: () => RateLimitSettings | undefined;
  readonly #now: () => number;
  #tokens = Number.POSITIVE_INFINITY;
  #at = 0;

  constructor(settings: () => RateLimitSettings | undefined, now: () => number) {
    this.#settings = settings;
    this.#now = now;
  }

  /** Takes a token. Gives the milliseconds to wait if there is none; 0 if one was taken. */
  take(): number {
    const settings = this.#settings();
    if (!settings || !(settings.limit > 0)) return 0;
    const now = this.#now();
    const burst = Math.max(settings.burst, 1);
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#at) / 1000) * settings.limit);
    this.#at = now;
    if (this.#tokens < 1) return Math.ceil(((1 - this.#tokens) / settings.limit) * 1000);
    this.#tokens -= 1;
    return 0;
  }
}
