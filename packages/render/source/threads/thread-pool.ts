import { Worker } from 'node:worker_threads';
import type { RenderCaller, RenderTurns } from '../turns/render-turns.ts';

/** What one render may take. */
export interface ThreadLimits {
  /** Milliseconds. */
  readonly time: number;
  /** Megabytes of heap of a thread. */
  readonly memory: number;
  /** Milliseconds after which a thread that has nothing to do ends. */
  readonly idle: number;
  /** How many times `time` work gets until its thread is ended from outside; 1.25 if absent. By itself it ends with its place in the message. */
  readonly grace?: number;
}

/** Milliseconds after which a thread is ended from outside. */
export const timeOutside = ({ time, grace = 1.25 }: ThreadLimits): number => time * grace;

export interface ThreadPoolOptions {
  /** Module that a thread runs; it posts `ready` when it is loaded, and then one answer for each message. */
  readonly module: URL;
  /** Who may use a thread, and when. */
  readonly turns: RenderTurns;
  /** Milliseconds after which a thread without work ends. */
  readonly idle: number;
  /** Megabytes of heap of each thread. */
  readonly memory: number;
  /** Megabytes of stack of each thread. */
  readonly stack: number;
}

/** A thread was ended because its work exceeded a limit. */
export class ThreadStopped extends Error {
  readonly limit: 'time' | 'memory';

  constructor(limit: 'time' | 'memory') {
    super(`the thread exceeded its limit of ${limit}`);
    this.limit = limit;
  }
}

/** A thread as its user sees it, while the user has it. */
export interface Thread {
  /** What the user wants to remember about the thread; empty for a new one. */
  readonly notes: Set<string>;
  /** Sends a message and gives the answer. */
  ask(message: unknown): Promise<unknown>;
}

/** The turn of a piece of work was given to somebody else. */
class TurnTaken extends Error {}

export interface RunOptions {
  readonly caller: RenderCaller;
  /** Told once if no thread is had soon, with the renders that it waits for, by project. */
  readonly onWait?: ((ahead: ReadonlyMap<string, number>) => void) | undefined;
  /** Milliseconds that the thread may work, all that it is asked together; then it is ended. */
  readonly time: number;
  readonly signal?: AbortSignal;
  /** An idle thread that fits better than another. */
  readonly prefers?: (thread: Thread) => boolean;
}

/** A few threads that live on between pieces of work; one that was ended is replaced when there is work for it. */
export class ThreadPool {
  readonly #options: ThreadPoolOptions;
  readonly #threads = new Set<PooledThread>();
  readonly #idle: PooledThread[] = [];
  readonly #closed = new AbortController();

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
  }

  /** Threads that are alive. */
  get size(): number {
    return this.#threads.size;
  }

  /**
   * Runs work on a thread, and again from its beginning if the turn was given to somebody else. Rejects with `ThreadStopped`, with
   * the signal's reason, or with what the work throws.
   */
  async run<T>(work: (thread: Thread) => Promise<T>, options: RunOptions): Promise<T> {
    for (;;) {
      try {
        return await this.#runOnce(work, options);
      } catch (error) {
        if (!(error instanceof TurnTaken)) throw error;
      }
    }
  }

  async close(): Promise<void> {
    const reason = new Error('the threads were closed');
    this.#closed.abort(reason);
    await Promise.all([...this.#threads].map((thread) => thread.end(reason)));
  }

  async #runOnce<T>(work: (thread: Thread) => Promise<T>, options: RunOptions): Promise<T> {
    const { caller, onWait, signal } = options;
    let thread: PooledThread | undefined;
    let taken: TurnTaken | undefined;
    const turn = await this.#options.turns.take(caller, {
      signal: signal ? AbortSignal.any([signal, this.#closed.signal]) : this.#closed.signal,
      onTaken: () => {
        taken = new TurnTaken();
        void thread?.end(taken);
      },
      ...(onWait ? { onWait } : {}),
    });
    const abort = () => thread?.end(signal?.reason);
    try {
      thread = this.#take(options);
      signal?.addEventListener('abort', abort, { once: true });
      signal?.throwIfAborted();
      if (taken) throw taken;
      await thread.ready;
      thread.time = options.time;
      return await work(thread);
    } finally {
      signal?.removeEventListener('abort', abort);
      if (thread) this.#release(thread);
      turn.end();
    }
  }

  #take({ prefers }: RunOptions): PooledThread {
    const fitting = prefers ? this.#idle.findLastIndex(prefers) : -1;
    const [thread = this.#start()] = this.#idle.splice(fitting, 1);
    thread.work();
    return thread;
  }

  #start(): PooledThread {
    const thread = new PooledThread(this.#options, () => {
      this.#threads.delete(thread);
      const at = this.#idle.indexOf(thread);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    this.#threads.add(thread);
    return thread;
  }

  #release(thread: PooledThread): void {
    if (thread.ended) return;
    this.#idle.push(thread);
    thread.rest(this.#options.idle);
  }
}

class PooledThread implements Thread {
  readonly notes = new Set<string>();
  /** Milliseconds that it may still work. */
  time = 0;
  readonly ready: Promise<void>;
  readonly #worker: Worker;
  #answer: PromiseWithResolvers<unknown> = Promise.withResolvers();
  #failure: { readonly reason: unknown } | undefined;
  readonly #onEnd: () => void;
  #restTimer: NodeJS.Timeout | undefined;

  constructor({ module, memory, stack }: ThreadPoolOptions, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#worker = new Worker(module, {
      // Nothing of the process: what is rendered depends on what it is given alone.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: memory, stackSizeMb: stack },
    });
    this.ready = this.#answer.promise.then(() => undefined);
    this.ready.catch(() => undefined);
    this.#worker.on('message', (answer: unknown) => this.#answer.resolve(answer));
    this.#worker.on('error', (error: Error & { code?: string }) =>
      this.#fail(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new ThreadStopped('memory') : error),
    );
    this.#worker.on('exit', (code) => this.#fail(new Error(`the thread ended with ${code}`)));
  }

  get ended(): boolean {
    return this.#failure !== undefined;
  }

  async ask(message: unknown): Promise<unknown> {
    if (this.#failure) throw this.#failure.reason;
    this.#answer = Promise.withResolvers();
    const since = performance.now();
    const timer = setTimeout(() => this.end(new ThreadStopped('time')), Math.max(0, this.time));
    this.#worker.postMessage(message);
    try {
      return await this.#answer.promise;
    } finally {
      clearTimeout(timer);
      this.time -= performance.now() - since;
    }
  }

  async end(reason: unknown): Promise<void> {
    this.#fail(reason);
    await this.#worker.terminate();
  }

  work(): void {
    clearTimeout(this.#restTimer);
    this.#worker.ref();
  }

  /** Lets the process end, and ends itself after a while. */
  rest(milliseconds: number): void {
    this.#worker.unref();
    this.#restTimer = setTimeout(() => this.end(new Error('the thread had no work')), milliseconds).unref();
  }

  #fail(reason: unknown): void {
    if (this.#failure) return;
    this.#failure = { reason };
    clearTimeout(this.#restTimer);
    // Nobody may be given a thread that is about to end.
    this.#onEnd();
    this.#answer.promise.catch(() => undefined);
    this.#answer.reject(reason);
  }
}
