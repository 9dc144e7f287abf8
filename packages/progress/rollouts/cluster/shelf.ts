import { keyOf } from '@tiphys/controller';
import type { KubeObject } from '@tiphys/kubernetes';

/** What a shelf needs of an informer. */
export interface View<T extends KubeObject> {
  get(namespace: string, name: string): T | undefined;
  list(): Iterable<T>;
  subscribe(listener: (change: { type: 'added' | 'updated' | 'deleted'; object: T }) => void): () => void;
}

/**
 * Objects of a kind as an informer has them, with what this process has made, changed and deleted since: a pass that follows a
 * write must not decide on the state before it. Objects are found by namespace.
 */
export class Shelf<T extends KubeObject> {
  readonly #view: View<T>;
  /** What this process wrote and the view has not brought yet; undefined once it is deleted. */
  readonly #written = new Map<string, { version: bigint; object: T | undefined }>();
  readonly #byNamespace = new Map<string, Set<string>>();

  constructor(view: View<T>) {
    this.#view = view;
    for (const object of view.list()) this.#index(object);
    view.subscribe(({ type, object }) => {
      const key = keyOf(object);
      const own = this.#written.get(key);
      if (own && (type === 'deleted' || versionOf(object) >= own.version)) this.#written.delete(key);
      if (type === 'deleted') this.#byNamespace.get(object.metadata.namespace ?? '')?.delete(key);
      else this.#index(object);
    });
  }

  get(namespace: string, name: string): T | undefined {
    const own = this.#written.get(`${namespace}/${name}`);
    return own ? own.object : this.#view.get(namespace, name);
  }

  inNamespace(namespace: string): T[] {
    const found: T[] = [];
    for (const key of this.#byNamespace.get(namespace) ?? []) {
      const object = this.get(namespace, key.slice(namespace.length + 1));
      if (object) found.push(object);
    }
    return found;
  }

  /** Remembers what the API server answered to a write. */
  keep(object: T): T {
    const seen = this.#view.get(object.metadata.namespace ?? '', object.metadata.name ?? '');
    if (seen && seen.metadata.uid === object.metadata.uid && versionOf(seen) >= versionOf(object)) return object;
    this.#written.set(keyOf(object), { version: versionOf(object), object });
    this.#index(object);
    return object;
  }

  /** Forgets an object that this process has deleted, or that was not there when it was to be changed. */
  drop(object: T): void {
    const key = keyOf(object);
    if (this.#view.get(object.metadata.namespace ?? '', object.metadata.name ?? ''))
      this.#written.set(key, { version: versionOf(object) + 1n, object: undefined });
    else this.#written.delete(key);
  }

  #index({ metadata: { namespace = '', name = '' } }: T): void {
    const keys = this.#byNamespace.get(namespace) ?? new Set();
    this.#byNamespace.set(namespace, keys.add(`${namespace}/${name}`));
  }
}

function versionOf({ metadata }: KubeObject): bigint {
  return BigInt(metadata.resourceVersion ?? '0');
}
