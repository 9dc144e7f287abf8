import { isForbidden, isNotFound } from '@tiphys/kubernetes';

const maxQueue = 1000;
const parallel = 4;

/**
 * Does what need not be waited for, a few at once and in the order in which it was given; beyond 1,000 that wait it is dropped,
 * and once the signal is aborted all of it.
 */
export class BackgroundWrites {
  readonly #signal: AbortSignal;
  readonly #queue: (() => Promise<unknown>)[] = [];
  #writing = 0;
  /** The last refusal of the server, for anyone who wonders where what was written is. */
  lastError: unknown;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** False where it is dropped. */
  add(write: () => Promise<unknown>): boolean {
    if (this.#signal.aborted || this.#queue.length >= maxQueue) return false;
    this.#queue.push(write);
    if (this.#writing < parallel) void this.#drain();
    return true;
  }

  async #drain(): Promise<void> {
    this.#writing++;
    try {
      for (let write = this.#queue.shift(); write && !this.#signal.aborted; write = this.#queue.shift())
        await write().catch((error: unknown) => {
          // a courtesy: in a namespace that goes away, and with a server that does, it is given up
          if (!isNotFound(error) && !isForbidden(error)) this.lastError = error;
        });
    } finally {
      this.#writing--;
    }
  }
}
