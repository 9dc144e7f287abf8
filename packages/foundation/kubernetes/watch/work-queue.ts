import { type Clock, systemClock } from '../connect/clock.ts';

export interface WorkQueueOptions {
  clock?: Clock;
  /** Delay after the first failure of a key, in milliseconds; doubles with each. 500 if absent. */
  baseDelay?: number;
  /** Longest delay, in milliseconds. 5 minutes if absent. */
  maxDelay?: number;
  /**
   * How long a key is left alone after a turn that took so many milliseconds: what is added meanwhile has one turn then, so that news that come
   * one after the other share it. Not at all if absent. Who is added `first` does not wait, and an appointment is kept to its time; each turn asks anew
   * for the one that it needs.
   */
  rest?: (took: number) => number;
}

// biome-ignore lint/suspicious/noConfusingVoidType: reconcilers that ask for nothing return nothing
type KeyOutcome = { requeueAfter?: number; first?: boolean } | undefined | void;

export interface RunOptions {
  /** How many keys are worked on at once. */
  workers: number;
  signal: AbortSignal;
  /**
   * Handles a key. `requeueAfter`, in milliseconds, asks for another turn, with `first` before all others, those that were added
   * first too: what has begun is finished before more is begun. A rejection asks for one with back-off.
   */
  reconcile: (key: string, signal: AbortSignal) => Promise<KeyOutcome>;
  onError: (key: string, error: unknown) => void;
}

/** Told of what a queue does with its keys; `now` is the time of the queue's clock. */
export interface QueueObserver {
  /** Wants a worker; told again while it waits for one. */
  added(key: string, now: number): void;
  taken(key: string, now: number): void;
  ended(key: string, now: number): void;
  /** Comes again after a failure, or at a time. */
  delayed(key: string): void;
}

/** Why a timer ends early; one for all: without a reason each abort makes an error with its stack. */
const otherwisePlanned = 'otherwise planned';

/**
 * Keys that want attention: each at most once in the queue and with one worker at a time. A key that is added while it is
 * worked on comes again afterwards.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #baseDelay: number;
  readonly #maxDelay: number;
  readonly #rest: ((took: number) => number) | undefined;
  /** Until when keys are left alone, in the order in which their turns ended. */
  readonly #resting = new Map<string, number>();
  readonly #ready = new Set<string>();
  /** Those of the ready ones that come first, and before them those that have begun and asked for their next turn. */
  readonly #first = new Set<string>();
  readonly #begun = new Set<string>();
  readonly #active = new Set<string>();
  /** Whether they come first then. */
  readonly #again = new Map<string, boolean>();
  /** Turns in a row that were given to those who come first. */
  #preferred = 0;
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, { at: number; cancel: AbortController }>();
  #wake: PromiseWithResolvers<void> | undefined;
  #observer: QueueObserver | undefined;

  constructor(options: WorkQueueOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#baseDelay = options.baseDelay ?? 500;
    this.#maxDelay = options.maxDelay ?? 300_000;
    this.#rest = options.rest;
  }

  /** Tells one observer from now on. */
  observe(observer: QueueObserver): void {
    this.#observer = observer;
  }

  /** Time of the clock of this queue, in milliseconds since the epoch. */
  get now(): number {
    return this.#clock.now();
  }

  /** Keys that wait for a worker, without those that wait for time. */
  get depth(): number {
    return this.#ready.size + this.#again.size;
  }

  /** Keys that have a worker. */
  get busy(): number {
    return this.#active.size;
  }

  /** `first`: there is work to do, so that it comes before those that may only have to be looked at. */
  add(key: string, { first = false }: { first?: boolean } = {}): void {
    const rested = first || this.#active.has(key) ? undefined : this.#resting.get(key);
    if (rested !== undefined && rested > this.now) this.addAfter(key, rested - this.now);
    else this.#add(key, first);
  }

  #add(key: string, first: boolean): void {
    this.#observer?.added(key, this.now);
    if (this.#active.has(key)) {
      this.#again.set(key, first || this.#again.get(key) === true);
      return;
    }
    this.#ready.add(key);
    if (first) this.#first.add(key);
    this.#wake?.resolve();
  }

  /** Whether the key has a turn to come that does not wait for time. */
  has(key: string): boolean {
    return this.#ready.has(key) || this.#again.has(key);
  }

  /** The next key. Of five turns one is for who was added without being first: nobody waits for ever. */
  #take(): string {
    const [preferred] = this.#begun.size > 0 ? this.#begun : this.#first;
    const [oldest = ''] = this.#ready;
    const key = preferred !== undefined && this.#preferred < 4 ? preferred : oldest;
    this.#preferred = key === preferred ? this.#preferred + 1 : 0;
    this.#ready.delete(key);
    this.#first.delete(key);
    this.#begun.delete(key);
    return key;
  }

  /** Adds the key after a time in milliseconds; an earlier appointment of the key stands, a later one is replaced. */
  addAfter(key: string, ms: number): void {
    if (ms <= 0) {
      this.#add(key, false);
      return;
    }
    const at = this.#clock.now() + ms;
    const planned = this.#timers.get(key);
    if (planned && planned.at <= at) return;
    planned?.cancel.abort(otherwisePlanned);
    const cancel = new AbortController();
    this.#timers.set(key, { at, cancel });
    this.#observer?.delayed(key);
    this.#clock.sleep(ms, cancel.signal).then(
      () => {
        this.#timers.delete(key);
        this.#add(key, false);
      },
      () => undefined,
    );
  }

  /** Forgets the failures of a key and its appointments. */
  forget(key: string): void {
    this.#failures.delete(key);
    this.#timers.get(key)?.cancel.abort(otherwisePlanned);
    this.#timers.delete(key);
  }

  /** Works until the signal aborts and the keys at hand are done. */
  async run(options: RunOptions): Promise<void> {
    const { signal } = options;
    const stop = () => this.#wake?.resolve();
    signal.addEventListener('abort', stop, { once: true });
    const running = new Set<Promise<void>>();
    try {
      while (!signal.aborted) {
        while (this.#ready.size > 0 && running.size < options.workers) {
          const key = this.#take();
          const work = this.#work(key, options).finally(() => {
            running.delete(work);
            this.#wake?.resolve();
          });
          running.add(work);
        }
        this.#wake = Promise.withResolvers();
        await this.#wake.promise;
      }
    } finally {
      signal.removeEventListener('abort', stop);
      await Promise.all(running);
      // those that the last turns have made too: an appointment keeps the process alive
      for (const { cancel } of this.#timers.values()) cancel.abort(otherwisePlanned);
      this.#timers.clear();
    }
  }

  async #work(key: string, { reconcile, onError, signal }: RunOptions): Promise<void> {
    this.#active.add(key);
    const began = this.now;
    this.#observer?.taken(key, began);
    try {
      const result = await reconcile(key, signal);
      this.#failures.delete(key);
      if (result?.requeueAfter !== undefined) this.#later(key, result.requeueAfter, result.first);
    } catch (error) {
      if (!signal.aborted) {
        const failures = this.#failures.get(key) ?? 0;
        this.#failures.set(key, failures + 1);
        onError(key, error);
        this.#later(key, Math.min(this.#baseDelay * 2 ** Math.min(failures, 30), this.#maxDelay));
      }
    } finally {
      this.#active.delete(key);
      this.#observer?.ended(key, this.now);
      this.#leaveAlone(key, began);
      const first = this.#again.get(key);
      if (this.#again.delete(key)) this.add(key, { first: first === true });
    }
  }

  #leaveAlone(key: string, began: number): void {
    if (!this.#rest) return;
    const { now } = this;
    this.#resting.delete(key);
    this.#resting.set(key, now + this.#rest(now - began));
    for (const [oldest, until] of this.#resting) {
      if (until > now) break;
      this.#resting.delete(oldest);
    }
  }

  /** A new appointment after a turn replaces whatever stood before it. */
  #later(key: string, ms: number, first = false): void {
    this.#timers.get(key)?.cancel.abort(otherwisePlanned);
    this.#timers.delete(key);
    // a turn that asks for another one at once must let everything else have its turn too
    if (ms <= 0) setImmediate(() => this.#addBegun(key, first));
    else this.addAfter(key, ms);
  }

  #addBegun(key: string, first: boolean): void {
    this.#add(key, first);
    if (first && this.#ready.has(key)) this.#begun.add(key);
  }
}
