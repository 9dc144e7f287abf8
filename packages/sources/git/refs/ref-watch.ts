import { DiagnosisError } from '@tiphys/diagnosis';
import type { Clock } from '@tiphys/kubernetes';
import { fingerprintOf, type LocalRepository, watchLocal } from '../repository/local-repository.ts';

/** What a watcher is told: refs that moved (full names), or why the remote cannot be seen. */
export type RefChange =
  | { readonly kind: 'moved'; readonly refs: readonly string[] }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'recovered' };

export interface RefWatchOptions {
  readonly clock: Clock;
  /** Asks the remote now; what moved comes back through `tell`. */
  look(): Promise<void>;
  /** For local repositories: where they are; may throw while the repository is missing. */
  local?(): LocalRepository;
  /** Called when refs may have moved, before anybody is asked. */
  invalidate(): void;
}

/** A commit writes several files within milliseconds. */
const settle = 15;
/** Between two looks for a local repository that is missing. */
const lostInterval = 1_000;
/** After a failure a remote is asked again soon, since people wait for its end; ever less often the longer it lasts. */
const firstRetry = 5_000;
const lastRetry = 30_000;
/** No host's wish is believed for longer than an hour. */
const longestPause = 3_600_000;
/** Where a ref has moved, another one often follows: a correction, a second commit. */
const livelyFor = 120_000;
const livelyInterval = 15_000;

/** Watches the refs of one repository for any number of listeners: a local one through the file system, a remote one by polling. */
export class RefWatch {
  readonly #options: RefWatchOptions;
  readonly #listeners = new Map<(change: RefChange) => void, number>();
  #stopLocal: (() => void) | undefined;
  #polling: AbortController | undefined;
  #settling = false;
  #lost = false;
  /** Looks that failed one after the other. */
  #failures = 0;
  /** Before this the host does not want to be asked again. */
  #notBefore = 0;
  #movedAt = Number.NEGATIVE_INFINITY;
  /** Of the local repository when polling looked at it last. */
  #fingerprint: string | undefined;
  #closed = new AbortController();

  constructor(options: RefWatchOptions) {
    this.#options = options;
  }

  add(listener: (change: RefChange) => void, interval: number): () => void {
    // Each watcher counts, even where two pass the same function.
    const own = (change: RefChange) => listener(change);
    this.#listeners.set(own, interval);
    this.start();
    this.#poll();
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size === 0) this.#polling?.abort();
    };
  }

  /** Begins to watch a local repository; again after it failed. Safe to call at any time. */
  start(): void {
    this.#lost = false;
    if (this.#stopLocal || !this.#options.local || this.#closed.signal.aborted) return;
    let repository: LocalRepository;
    try {
      repository = this.#options.local();
    } catch {
      this.#lost = true;
      // It is missing now: polling and the next question tell why, and start this again.
      return;
    }
    this.#stopLocal = watchLocal(
      repository,
      () => this.#changed(),
      () => {
        this.#stopLocal?.();
        this.#stopLocal = undefined;
        this.#changed();
      },
    );
  }

  /** The repository could not be read: what was watched may be gone, so it is watched anew when it can be read again. */
  lost(): void {
    this.#lost = true;
    this.#stopLocal?.();
    this.#stopLocal = undefined;
    // A local repository is looked for often: it costs nothing, and people wait for it.
    if (this.#options.local && this.#listeners.size > 0) this.#poll();
  }

  tell(change: RefChange): void {
    if (change.kind === 'moved') this.#movedAt = this.#options.clock.now();
    for (const listener of [...this.#listeners.keys()]) listener(change);
  }

  close(): void {
    this.#closed.abort();
    this.#stopLocal?.();
    this.#polling?.abort();
    this.#listeners.clear();
  }

  #changed(): void {
    this.#options.invalidate();
    if (this.#settling || this.#listeners.size === 0) return;
    this.#settling = true;
    this.#options.clock.sleep(settle, this.#closed.signal).then(
      () => {
        this.#settling = false;
        this.#options.invalidate();
        return this.#look();
      },
      () => undefined,
    );
  }

  /** Restarts the wait, since a new watcher may want a shorter one. */
  #poll(): void {
    this.#polling?.abort();
    const polling = new AbortController();
    this.#polling = polling;
    const run = async () => {
      while (!polling.signal.aborted && this.#listeners.size > 0) {
        await this.#options.clock.sleep(this.#wait(), polling.signal);
        if (await this.#mayHaveMoved()) await this.#look();
      }
    };
    // Only its end by abort rejects.
    run().catch(() => undefined);
  }

  /** False where the files of a local repository that is watched are those of the last look: an event that was missed leaves others. */
  async #mayHaveMoved(): Promise<boolean> {
    const before = this.#fingerprint;
    this.#fingerprint = this.#options.local && this.#stopLocal ? await fingerprint(this.#options.local) : undefined;
    return this.#failures > 0 || this.#fingerprint === undefined || this.#fingerprint !== before;
  }

  /** Until the next look: as long as the most hurried listener wants, less after a change and after failures. */
  #wait(): number {
    if (this.#lost && this.#options.local) return Math.min(lostInterval, ...this.#listeners.values());
    const interval = Math.min(...this.#listeners.values());
    const now = this.#options.clock.now();
    if (this.#failures > 0) {
      const backoff = Math.min(firstRetry * 2 ** (this.#failures - 1), lastRetry);
      return Math.max(Math.min(backoff, interval), this.#notBefore - now);
    }
    // a local one that is watched tells of the next one itself
    const isLively = !this.#stopLocal && now - this.#movedAt < livelyFor;
    return isLively ? Math.min(livelyInterval, interval) : interval;
  }

  async #look(): Promise<void> {
    try {
      await this.#options.look();
      this.#failures = 0;
    } catch (error) {
      // Listeners were told by `look` itself, with the diagnosis.
      this.#failures += 1;
      const after = error instanceof DiagnosisError ? (error.retryAfter ?? 0) : 0;
      this.#notBefore = this.#options.clock.now() + Math.min(after, longestPause);
    }
  }
}

/** Undefined where it cannot be read: a look tells why. */
async function fingerprint(locate: () => LocalRepository): Promise<string | undefined> {
  try {
    return await fingerprintOf(locate());
  } catch {
    return undefined;
  }
}
