import type { Clock } from '@tiphys/kubernetes';
import type { Trigger } from '../spec/sensor.ts';

const unitMs: Readonly<Record<string, number>> = { Second: 1000, Minute: 60_000, Hour: 3_600_000 };

/** Spaces actions evenly: each takes the next free moment and waits for it; nothing is dropped. */
export class RateLimit {
  readonly #clock: Clock;
  readonly #interval: number;
  #next = 0;

  constructor(clock: Clock, limit: Trigger['rateLimit']) {
    this.#clock = clock;
    const perUnit = limit?.requestsPerUnit ?? 0;
    this.#interval = limit && perUnit > 0 ? (unitMs[limit.unit || 'Second'] ?? 1000) / perUnit : 0;
  }

  /** Resolves when the action may run; gives how long that took, in milliseconds. */
  async take(signal: AbortSignal): Promise<number> {
    if (this.#interval === 0) return 0;
    const now = this.#clock.now();
    const at = Math.max(now, this.#next);
    this.#next = at + this.#interval;
    if (at > now) await this.#clock.sleep(at - now, signal);
    return at - now;
  }
}
