import { type Diagnosis, diagnosisOf } from '@tiphys/diagnosis';
import { isExpired } from '../connect/api-error.ts';
import type { Client, ResourceRef } from '../connect/client.ts';
import { type Clock, pause, systemClock } from '../connect/clock.ts';
import type { KubeObject } from '../object/object.ts';
import { shareManagedFields } from '../object/share-managed-fields.ts';

export interface InformerOptions<T extends KubeObject> {
  /** Kind to follow; without namespace, in all namespaces. With a name, that object alone. */
  ref: ResourceRef;
  labelSelector?: string;
  fieldSelector?: string;
  clock?: Clock;
  /** What is kept of each object; undefined keeps nothing of it. */
  transform?: (object: T) => T | undefined;
  /** Objects per page of a list; 500 if absent. */
  pageSize?: number;
  /** Told of each failure to list or to watch; it is tried again. */
  onError?: (problem: Diagnosis) => void;
}

export interface InformerChange<T> {
  type: 'added' | 'updated' | 'deleted';
  object: T;
  /** What was kept before; absent for `added`. */
  old?: T;
}

export interface InformerState {
  synced: boolean;
  /** When the server last said anything, in milliseconds since the epoch; 0 before that. */
  lastEventAt: number;
  /** How often the list was read, the first time included. */
  relists: number;
  resourceVersion: string;
  /** Why the view is not being updated, while it is not. */
  error?: Diagnosis;
}

const firstDelay = 500;
const longestDelay = 30_000;

/**
 * A local copy of the objects of a kind, kept up to date by list and watch. Failures never end it: they are in `state`,
 * and it tries again with growing, jittered delays until its signal aborts. After a relist only real differences are told.
 */
export class Informer<T extends KubeObject = KubeObject> {
  /** Resolves after the first complete list; rejects if the informer ends before that. */
  readonly synced: Promise<void>;
  readonly #client: Client;
  readonly #options: InformerOptions<T>;
  readonly #clock: Clock;
  readonly #objects = new Map<string, T>();
  readonly #subscribers = new Set<(change: InformerChange<T>) => void>();
  readonly #sync = Promise.withResolvers<void>();
  #state: InformerState = { synced: false, lastEventAt: 0, relists: 0, resourceVersion: '' };
  #delay = 0;

  constructor(client: Client, options: InformerOptions<T>) {
    this.#client = client;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.synced = this.#sync.promise;
    // anyone who does not wait for it must not be killed by its rejection
    this.synced.catch(() => undefined);
  }

  /** Starts to follow; returns at once. Call it once. */
  start(signal: AbortSignal): void {
    void this.#run(signal);
  }

  get(namespace: string, name: string): T | undefined {
    return this.#objects.get(`${namespace}/${name}`);
  }

  list(): Iterable<T> {
    return this.#objects.values();
  }

  get size(): number {
    return this.#objects.size;
  }

  /** Calls back for every change from now on, in order; returns what ends it. A subscriber must not throw. */
  subscribe(subscriber: (change: InformerChange<T>) => void): () => void {
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  state(): InformerState {
    return this.#state;
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (!this.#state.resourceVersion) await this.#relist(signal);
        await this.#follow(signal);
      } catch (error) {
        if (signal.aborted) break;
        if (isExpired(error)) this.#update({ resourceVersion: '' });
        else {
          const problem = diagnosisOf(error);
          this.#update({ error: problem });
          this.#options.onError?.(problem);
        }
        await this.#backOff(isExpired(error), signal);
      }
    }
    this.#sync.reject(signal.reason);
  }

  async #backOff(expired: boolean, signal: AbortSignal): Promise<void> {
    // one expiry is the ordinary course of things; only its repetition slows us down
    const base = expired && this.#delay === 0 ? 0 : Math.max(this.#delay, firstDelay);
    this.#delay = Math.min(Math.max(this.#delay * 2, firstDelay), longestDelay);
    if (base > 0) await pause(this.#clock, base * (0.5 + Math.random()), signal);
  }

  async #relist(signal: AbortSignal): Promise<void> {
    const { ref, labelSelector, fieldSelector, pageSize = 500 } = this.#options;
    const selector = { ...(labelSelector ? { labelSelector } : {}), ...this.#fieldSelector(ref, fieldSelector) };
    const seen = new Map<string, T>();
    let resourceVersion = '';
    let token: string | undefined;
    do {
      const page = await this.#client.list<T>(
        { apiVersion: ref.apiVersion, kind: ref.kind, ...(ref.namespace ? { namespace: ref.namespace } : {}) },
        { ...selector, limit: pageSize, signal, ...(token ? { continue: token } : {}) },
      );
      for (const item of page.items) {
        const object = this.#transformed(item);
        if (object) seen.set(keyOf(item), object);
      }
      resourceVersion = page.metadata.resourceVersion ?? '';
      token = page.metadata.continue || undefined;
      this.#heard();
    } while (token);
    this.#replace(seen);
    this.#update({ resourceVersion, relists: this.#state.relists + 1, synced: true, error: undefined });
    this.#sync.resolve();
  }

  #fieldSelector(ref: ResourceRef, fieldSelector: string | undefined): { fieldSelector?: string } {
    const parts = [ref.name ? `metadata.name=${ref.name}` : '', fieldSelector ?? ''].filter(Boolean);
    return parts.length > 0 ? { fieldSelector: parts.join(',') } : {};
  }

  #replace(seen: Map<string, T>): void {
    for (const [key, old] of [...this.#objects]) if (!seen.has(key)) this.#remove(key, old);
    for (const [key, object] of seen) this.#put(key, object);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { ref, labelSelector, fieldSelector } = this.#options;
    const options = {
      ...(labelSelector ? { labelSelector } : {}),
      ...(fieldSelector ? { fieldSelector } : {}),
      resourceVersion: this.#state.resourceVersion,
      signal,
    };
    const started = this.#clock.now();
    for await (const { type, object } of this.#client.watch<T>(ref, options)) {
      this.#heard(object.metadata.resourceVersion);
      if (type === 'BOOKMARK') continue;
      const key = keyOf(object);
      const kept = type === 'DELETED' ? undefined : this.#transformed(object);
      if (kept) this.#put(key, kept);
      else this.#remove(key, type === 'DELETED' ? this.#transformed(object) : undefined);
    }
    // a server that ends watches at once must not be asked in a tight loop
    if (this.#clock.now() - started < 1000) await this.#backOff(false, signal);
    else this.#delay = 0;
  }

  #transformed(object: T): T | undefined {
    return this.#options.transform ? this.#options.transform(object) : object;
  }

  #put(key: string, object: T): void {
    const old = this.#objects.get(key);
    if (old && sameVersion(old, object)) return;
    shareManagedFields(object);
    this.#objects.set(key, object);
    this.#tell(old ? { type: 'updated', object, old } : { type: 'added', object });
  }

  /** `last` is the final state, as a deletion's event has it; without one the state that was kept. */
  #remove(key: string, last: T | undefined): void {
    const old = this.#objects.get(key);
    if (!old) return;
    this.#objects.delete(key);
    this.#tell({ type: 'deleted', object: last ?? old, old });
  }

  #tell(change: InformerChange<T>): void {
    for (const subscriber of this.#subscribers) subscriber(change);
  }

  #heard(resourceVersion?: string): void {
    this.#update({ lastEventAt: this.#clock.now(), error: undefined, ...(resourceVersion ? { resourceVersion } : {}) });
  }

  #update(change: Omit<Partial<InformerState>, 'error'> & { error?: Diagnosis | undefined }): void {
    const { error = 'error' in change ? undefined : this.#state.error, ...rest } = change;
    const { error: _, ...state } = this.#state;
    this.#state = { ...state, ...rest, ...(error ? { error } : {}) };
  }
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

function sameVersion(a: KubeObject, b: KubeObject): boolean {
  const { resourceVersion, uid } = a.metadata;
  return resourceVersion !== undefined && resourceVersion === b.metadata.resourceVersion && uid === b.metadata.uid;
}
