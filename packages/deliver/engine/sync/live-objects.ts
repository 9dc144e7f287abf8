import { type Client, type KubeObject, keyString, type ObjectKey } from '@tiphys/kubernetes';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import type { SyncTask } from './model.ts';

/** Live objects as a sync sees them: what it has just written wins over the cache, which hears of it a moment later. */
export class LiveObjects {
  readonly #cache: ClusterCache;
  readonly #client: Client;
  readonly #signal: AbortSignal;
  readonly #known = new Map<string, KubeObject | undefined>();

  constructor(cache: ClusterCache, client: Client, signal: AbortSignal) {
    this.#cache = cache;
    this.#client = client;
    this.#signal = signal;
  }

  async get(task: SyncTask): Promise<KubeObject | undefined> {
    const id = keyString(task.key);
    if (this.#known.has(id)) return this.#known.get(id);
    if (task.live && !this.#cache.node(task.key)) return task.hook ? undefined : this.fresh(task);
    if (!this.#cache.node(task.key) && this.#cache.watches(task.key.group, task.key.kind)) return undefined;
    return this.#cache.load({ ...refOf(task), apiVersion: apiVersionOf(task) }, this.#signal);
  }

  /** Asks the server, whatever is known. */
  async fresh(task: SyncTask): Promise<KubeObject | undefined> {
    const live = await this.#client.find(refOf(task), { signal: this.#signal });
    if (live) this.wrote(task.key, live);
    else this.gone(task.key);
    return live;
  }

  wrote(key: ObjectKey, object: KubeObject): void {
    this.#known.set(keyString(key), object);
    this.#cache.observe(object);
  }

  gone(key: ObjectKey): void {
    this.#known.set(keyString(key), undefined);
    this.#cache.forget(key);
  }

  /** From here on the cache is asked again: called when the step has to wait anyway. */
  release(): void {
    this.#known.clear();
  }
}

function apiVersionOf({ key, version }: Pick<SyncTask, 'key' | 'version'>): string {
  return key.group ? `${key.group}/${version}` : version;
}

export function refOf(task: Pick<SyncTask, 'key' | 'version'>) {
  const { kind, namespace, name } = task.key;
  return { apiVersion: apiVersionOf(task), kind, name, ...(namespace ? { namespace } : {}) };
}
