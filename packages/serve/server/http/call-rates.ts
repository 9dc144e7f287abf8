import type { Clock } from '@tiphys/kubernetes';
import { TokenBucket } from '../transport/token-bucket.ts';

/** Calls of one user that are let through at once, and in a second from then on. A page that loads makes some twenty. */
const usual = { burst: 2_000, perSecond: 200 };
const maxKnown = 10_000;

/** Calls by user: who sends more than people and scripts do is refused before anything is read, and nobody else is. */
export class CallRates {
  readonly #clock: Clock;
  readonly #rates: typeof usual;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(clock: Clock, rates: Partial<typeof usual> = {}) {
    this.#clock = clock;
    this.#rates = { ...usual, ...rates };
  }

  /** False if the user has none left. */
  take(subject: string): boolean {
    let bucket = this.#buckets.get(subject);
    if (!bucket) {
      const [oldest] = this.#buckets.keys();
      if (this.#buckets.size >= maxKnown && oldest !== undefined) this.#buckets.delete(oldest);
      bucket = new TokenBucket({ ...this.#rates, clock: this.#clock });
      this.#buckets.set(subject, bucket);
    }
    return bucket.take();
  }
}
