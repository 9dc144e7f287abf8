import { type Clock, pause } from '@tiphys/kubernetes';
import type { LogEntry } from './workflow-logs.ts';

interface Timed {
  /** RFC 3339 with as many digits as the kubelet gives: in the order of their texts. */
  readonly time: string;
  readonly entry: LogEntry;
}

/** How long lines wait for older ones of other pods, in milliseconds. */
const patience = 500;
/** More lines than this are given out at once: a reader that is slow slows down the pods' streams. */
const most = 10_000;

/** Lines of several pods, which are given out in the order of their times. */
export class LogQueue {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #waiting: Timed[] = [];
  #ended: Promise<void> = Promise.resolve();
  #isEnded = false;
  #failure: unknown;
  #room: (() => void) | undefined;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
  }

  /** The lines end when this does, and fail as it does. */
  endWith(work: Promise<void>): void {
    this.#ended = work.then(
      () => {
        this.#isEnded = true;
      },
      (error: unknown) => {
        this.#isEnded = true;
        this.#failure = error;
      },
    );
  }

  async push(line: Timed): Promise<void> {
    this.#waiting.push(line);
    if (this.#waiting.length >= most) await new Promise<void>((resolve) => (this.#room = resolve));
  }

  async *entries(): AsyncIterable<LogEntry> {
    while (!this.#signal.aborted) {
      const isLast = this.#isEnded;
      const lines = this.#waiting.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
      this.#waiting = [];
      this.#room?.();
      for (const { entry } of lines) yield entry;
      if (isLast) break;
      const next = new AbortController();
      await Promise.race([this.#ended, pause(this.#clock, patience, AbortSignal.any([this.#signal, next.signal]))]);
      next.abort();
    }
    if (this.#failure !== undefined && !this.#signal.aborted) throw this.#failure;
  }
}
