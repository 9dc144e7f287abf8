import { type Clock, elapsed, pause } from './clock.ts';

/** Requests at once before anything is known of the server. */
const initial = 32;
/** Requests at once at most: what an API server has seats for with its default settings is below. */
export const mostRequests = 128;
/** A refusal of what was sent before an earlier one says nothing new. */
const refusalsAreOne = 1_000;

/**
 * How many requests to one API server are under way at once: one more with each round of answers while all places are taken, half of
 * them when the server answers 429, and none before the time that it asks to wait. Who waits is served in order; what somebody waits for in
 * person comes first, but for one place of five: who asks without a pause must not stop all other work.
 */
export class RequestLimit {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();
  readonly #waitingFirst = new Set<() => void>();
  /** Places in a row that went to those. */
  #preferred = 0;
  #limit = initial;
  #active = 0;
  #closedUntil = Number.NEGATIVE_INFINITY;
  #opening = false;
  #refusedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Requests that may be under way at once now. */
  get limit(): number {
    return Math.floor(this.#limit);
  }

  /**
   * Resolves when a request may be sent, with what to call once when it is answered; rejects with the signal's reason. `first` goes before
   * those that are not.
   */
  async begin(signal?: AbortSignal, { first = false } = {}): Promise<() => void> {
    signal?.throwIfAborted();
    if (!this.#free()) await this.#turn(first ? this.#waitingFirst : this.#waiting, signal);
    else this.#active++;
    const full = this.#active >= this.limit;
    let open = true;
    return () => {
      if (!open) return;
      open = false;
      this.#active--;
      if (full) this.#limit = Math.min(this.#limit + 1 / this.#limit, mostRequests);
      this.#next();
    };
  }

  /** The server has more than it can do, and wants to be left alone for so many milliseconds. */
  refused(wait: number): void {
    const now = elapsed(this.#clock);
    if (now - this.#refusedAt >= refusalsAreOne) {
      this.#refusedAt = now;
      this.#limit = Math.max(this.#limit / 2, 1);
    }
    this.#closedUntil = Math.max(this.#closedUntil, now + wait);
  }

  #free(): boolean {
    return this.#waits === 0 && this.#active < this.limit && elapsed(this.#clock) >= this.#closedUntil;
  }

  get #waits(): number {
    return this.#waiting.size + this.#waitingFirst.size;
  }

  #turn(lane: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        lane.delete(go);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      lane.add(go);
      this.#next();
    });
  }

  /** Gives the free places to those who wait. */
  #next(): void {
    const closed = this.#closedUntil - elapsed(this.#clock);
    if (closed > 0) {
      if (!this.#opening && this.#waits > 0) void this.#open(this.#closedUntil, closed);
      return;
    }
    while (this.#waits > 0 && this.#active < this.limit) {
      const isPreferred = this.#waitingFirst.size > 0 && (this.#preferred < 4 || this.#waiting.size === 0);
      this.#preferred = isPreferred ? this.#preferred + 1 : 0;
      const lane = isPreferred ? this.#waitingFirst : this.#waiting;
      const [go] = lane;
      if (!go) return;
      lane.delete(go);
      this.#active++;
      go();
    }
  }

  async #open(until: number, after: number): Promise<void> {
    this.#opening = true;
    await pause(this.#clock, after);
    this.#opening = false;
    if (this.#closedUntil === until) this.#closedUntil = Number.NEGATIVE_INFINITY;
    this.#next();
  }
}
