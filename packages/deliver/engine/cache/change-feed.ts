import type { ObjectKey } from '@tiphys/kubernetes';
import type { CachedNode } from './cached-node.ts';

/** One object that changed, with what was known of it before and is now; the latest state where it changed several times. */
export interface CacheChange {
  readonly key: ObjectKey;
  readonly old?: CachedNode;
  readonly new?: CachedNode;
  /** Instances whose trees the object is or was in. */
  readonly instances: readonly string[];
}

/** Gathers changes and tells them in batches, once the current turn of the event loop is over. */
export class ChangeFeed {
  readonly #subscribers = new Set<(changes: readonly CacheChange[]) => void>();
  #pending = new Map<string, CacheChange>();
  #scheduled = false;

  subscribe(subscriber: (changes: readonly CacheChange[]) => void): () => void {
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  add(id: string, change: CacheChange): void {
    if (this.#subscribers.size === 0) return;
    const before = this.#pending.get(id);
    if (before) {
      const { old: _, ...rest } = change;
      const instances = [...new Set([...before.instances, ...change.instances])];
      this.#pending.set(id, { ...rest, instances, ...(before.old ? { old: before.old } : {}) });
    } else this.#pending.set(id, change);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#scheduled = false;
    const changes = [...this.#pending.values()];
    this.#pending = new Map();
    for (const subscriber of [...this.#subscribers]) subscriber(changes);
  }
}
