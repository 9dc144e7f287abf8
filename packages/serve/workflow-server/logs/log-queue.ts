import { type Clock, pause } from '@tiphys/kubernetes';

interface Timed<Entry> {
  /** RFC 3339 with as many digits as the kubelet gives: in the order of their texts. */
  readonly time: string;
  readonly entry: Entry;
  /** Characters of the line. */
  readonly size: number;
}

/** How long lines wait for older ones of other pods, in milliseconds. */
const lookPeriod = 500;
/** More lines or characters than this wait for nobody: a reader that is slow slows down the pods' streams. */
const most = { lines: 10_000, characters: 8 << 20 };

/** Lines of several pods, which are given out in the order of their times. */
export class LogQueue<Entry> {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #waiting: Timed<Entry>[] = [];
  #ended: Promise<void> = Promise.resolve();
  #isEnded = false;
  #failure: unknown;
  #characters = 0;
  /** Those who wait until there is room again. */
  #room: (() => void)[] = [];
  #full: () => void = () => undefined;

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

  async push(line: Timed<Entry>): Promise<void> {
    this.#waiting.push(line);
    this.#characters += line.size;
    if (this.#waiting.length < most.lines && this.#characters < most.characters) return;
    this.#full();
    await new Promise<void>((resolve) => this.#room.push(resolve));
  }

  async *entries(): AsyncIterable<Entry> {
    try {
      yield* this.#entries();
    } finally {
      this.#makeRoom();
    }
    if (this.#failure !== undefined && !this.#signal.aborted) throw this.#failure;
  }

  async *#entries(): AsyncIterable<Entry> {
    while (!this.#signal.aborted) {
      const isLast = this.#isEnded;
      const lines = this.#waiting.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
      this.#waiting = [];
      this.#characters = 0;
      for (const { entry } of lines) yield entry;
      if (isLast) return;
      const full = new Promise<void>((resolve) => (this.#full = resolve));
      this.#makeRoom();
      const next = new AbortController();
      const waited = pause(this.#clock, lookPeriod, AbortSignal.any([this.#signal, next.signal]));
      await Promise.race([this.#ended, full, waited]);
      next.abort();
    }
  }

  #makeRoom(): void {
    for (const resolve of this.#room.splice(0)) resolve();
  }
}
