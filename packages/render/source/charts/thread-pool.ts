import { Worker } from 'node:worker_threads';

export interface ThreadPoolOptions {
  /** Module that a thread runs; it posts `ready` when it is loaded, and then one answer for each message. */
  readonly module: URL;
  /** Threads at once. */
  readonly threads: number;
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

export interface RunOptions {
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
  readonly #waiting: ((thread: PooledThread) => void)[] = [];
  #closed = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
  }

  /** Threads that are alive. */
  get size(): number {
    return this.#threads.size;
  }

  /** Runs work on a thread. Rejects with `ThreadStopped`, with the signal's reason, or with what the work throws. */
  async run<T>(work: (thread: Thread) => Promise<T>, options: RunOptions): Promise<T> {
    options.signal?.throwIfAborted();
    const thread = await this.#take(options);
    const abort = () => thread.end(options.signal?.reason);
    options.signal?.addEventListener('abort', abort, { once: true });
    try {
      options.signal?.throwIfAborted();
      await thread.ready;
      thread.time = options.time;
      return await work(thread);
    } finally {
      options.signal?.removeEventListener('abort', abort);
      this.#release(thread);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#threads].map((thread) => thread.end(new Error('the threads were closed'))));
  }

  #take({ prefers }: RunOptions): Promise<PooledThread> {
    if (this.#closed) throw new Error('the threads were closed');
    const fitting = prefers ? this.#idle.findLastIndex(prefers) : -1;
    const [thread] = this.#idle.splice(fitting, 1);
    if (thread) {
      thread.work();
      return Promise.resolve(thread);
    }
    if (this.#threads.size < this.#options.threads) return Promise.resolve(this.#start());
    const { promise, resolve } = Promise.withResolvers<PooledThread>();
    this.#waiting.push(resolve);
    return promise;
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
    const next = this.#waiting.shift();
    if (thread.ended) {
      if (next && !this.#closed) next(this.#start());
    } else if (next) next(thread);
    else {
      this.#idle.push(thread);
      thread.rest(this.#options.idle);
    }
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
