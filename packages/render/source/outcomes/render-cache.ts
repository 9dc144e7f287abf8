import type { Outcome } from '../request/outcome.ts';
import type { FoundAt } from '../request/rendered.ts';
import { isKeepable, type OutcomeStores } from './outcome-stores.ts';

interface Found {
  readonly outcome: Outcome;
  readonly at: FoundAt;
}

interface Running {
  readonly found: Promise<Found>;
  readonly abort: AbortController;
  /** Who waits for it. */
  callers: number;
}

export interface CacheRequest {
  readonly key: string;
  /** Renders again, whatever is known. */
  readonly noCache: boolean;
  /** False for what may differ although all that is known of it is equal: it is kept in memory alone. */
  readonly lasting?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Whether an outcome serves this caller; all do if absent. */
  readonly serves?: (outcome: Outcome, age: OutcomeAge) => boolean;
}

/** `known` was rendered before it was asked for, `new` meanwhile. */
export type OutcomeAge = 'known' | 'new';

/** Outcomes by the digest of all that they depend on, least recently used dropped. Failures are kept like successes. */
export class RenderCache {
  readonly #outcomes = new Map<string, { readonly outcome: Outcome; readonly bytes: number }>();
  readonly #running = new Map<string, Running>();
  readonly #maxBytes: number;
  readonly #stores: OutcomeStores | undefined;
  #bytes = 0;

  /** `stores` keep outcomes when the process ends. */
  constructor(maxBytes: number, stores?: OutcomeStores) {
    this.#maxBytes = maxBytes;
    this.#stores = stores;
  }

  /**
   * The known outcome, or that of `render`, which runs once however many ask for it. A caller whose signal aborts is let go at
   * once; when the last one has gone, the signal of `render` aborts.
   */
  async get(
    request: CacheRequest,
    render: (signal: AbortSignal) => Promise<{ outcome: Outcome; bytes: number }>,
  ): Promise<{ readonly outcome: Outcome; readonly age: OutcomeAge; readonly at: FoundAt }> {
    const { key, signal, serves = () => true, noCache } = request;
    signal?.throwIfAborted();
    const known = this.#outcomes.get(key);
    if (known && !noCache && serves(known.outcome, 'known')) {
      this.#outcomes.delete(key);
      this.#outcomes.set(key, known);
      return { outcome: known.outcome, age: 'known', at: 'memory' };
    }
    const running = this.#running.get(key);
    if (running) {
      const { outcome, at } = await this.#join(running, signal);
      return serves(outcome, 'new') ? { outcome, age: 'new', at } : this.get(request, render);
    }
    const abort = new AbortController();
    const started: Running = {
      abort,
      callers: 0,
      found: this.#find(request, () => render(abort.signal)).finally(
        () => this.#running.get(key) === started && this.#running.delete(key),
      ),
    };
    this.#running.set(key, started);
    const { outcome, at } = await this.#join(started, signal);
    return { outcome, age: at === 'rendered' ? 'new' : 'known', at };
  }

  /** The outcome of a key that is known already, if it is. */
  async known(key: string): Promise<{ readonly outcome: Outcome; readonly at: FoundAt } | undefined> {
    const known = this.#outcomes.get(key);
    if (!known) return this.#kept(key);
    this.#outcomes.delete(key);
    this.#outcomes.set(key, known);
    return { outcome: known.outcome, at: 'memory' };
  }

  async #kept(key: string): Promise<Found | undefined> {
    const kept = await this.#stores?.get(key);
    if (!kept) return undefined;
    const { outcome, bytes } = kept.value as { outcome: Outcome; bytes: number };
    if (outcome.kind === 'objects') for (const object of outcome.objects) deepFreeze(object);
    this.#add(key, outcome, bytes);
    return { outcome, at: kept.from };
  }

  /** Keeps an outcome under another key too. */
  also(key: string, outcome: Outcome, bytes: number): void {
    if (this.#outcomes.has(key)) return;
    this.#add(key, outcome, bytes);
    if (isKeepable(outcome)) this.#stores?.put(key, { outcome, bytes });
  }

  /** Something small that was noted under the key; undefined if nothing was, or it is lost. */
  async note(key: string): Promise<unknown> {
    return (await this.#stores?.get(`note ${key}`))?.value;
  }

  setNote(key: string, value: unknown): void {
    this.#stores?.put(`note ${key}`, value);
  }

  async #find(
    { key, noCache, lasting = true }: CacheRequest,
    render: () => Promise<{ outcome: Outcome; bytes: number }>,
  ): Promise<Found> {
    const kept = noCache || !lasting ? undefined : await this.#kept(key);
    if (kept) return kept;
    const { outcome, bytes } = await render();
    this.#add(key, outcome, bytes);
    if (lasting && isKeepable(outcome)) this.#stores?.put(key, { outcome, bytes });
    return { outcome, at: 'rendered' };
  }

  async #join(running: Running, signal: AbortSignal | undefined): Promise<Found> {
    running.callers += 1;
    if (!signal) return running.found;
    const { promise, reject } = Promise.withResolvers<never>();
    const leave = () => {
      running.callers -= 1;
      if (running.callers === 0) running.abort.abort(signal.reason);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([running.found, promise]);
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  #add(key: string, outcome: Outcome, bytes: number): void {
    this.#bytes += bytes - (this.#outcomes.get(key)?.bytes ?? 0);
    this.#outcomes.delete(key);
    this.#outcomes.set(key, { outcome, bytes });
    for (const [oldest, { bytes: size }] of this.#outcomes) {
      if (this.#bytes <= this.#maxBytes || oldest === key) break;
      this.#outcomes.delete(oldest);
      this.#bytes -= size;
    }
  }
}

/** Objects are everybody's: nobody may change them. */
export function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const child of Object.values(value)) deepFreeze(child);
}
