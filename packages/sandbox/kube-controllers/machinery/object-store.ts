import type { Clock, Informer, KubeObject } from '@tiphys/kubernetes';

export interface StoreChange<T extends KubeObject> {
  type: 'added' | 'updated' | 'deleted';
  object: T;
  old?: T;
}

/** How many UIDs of deleted objects are remembered. */
const remembered = 1000;

/**
 * What a controller reads: an informer's objects, with the controllers' own writes visible at once, so that no
 * controller acts twice on a stale cache (what client-go's expectations are for). Indexed by controller and namespace.
 * Objects are shared: never change one, copy it.
 */
export class ObjectStore<T extends KubeObject> {
  readonly #informer: Informer<T>;
  readonly #clock: Clock;
  readonly #objects = new Map<string, T>();
  readonly #byNamespace = new Map<string, Map<string, T>>();
  readonly #byController = new Map<string, Map<string, T>>();
  readonly #orphans = new Map<string, Map<string, T>>();
  readonly #listeners = new Set<(change: StoreChange<T>) => void>();
  /** UIDs that were deleted by us and whose end the informer has not told yet. */
  readonly #deleting = new Set<string>();
  /** UIDs whose end the informer has told lately: the answer to a write may come after it. */
  readonly #gone = new Set<string>();
  /** Objects that we wrote and that the informer has not shown yet, by key, with the time of the write. */
  readonly #unconfirmed = new Map<string, number>();

  constructor(informer: Informer<T>, clock: Clock) {
    this.#informer = informer;
    this.#clock = clock;
    informer.subscribe((change) => {
      if (change.type === 'deleted') this.#remove(change.object, true);
      else this.#put(change.object, true);
      this.#sweep();
    });
  }

  get synced(): Promise<void> {
    return this.#informer.synced;
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

  inNamespace(namespace: string): Iterable<T> {
    return this.#byNamespace.get(namespace)?.values() ?? [];
  }

  /** Objects whose controller (`ownerReferences[].controller`) has the UID. */
  controlledBy(uid: string): Iterable<T> {
    return this.#byController.get(uid)?.values() ?? [];
  }

  /** Objects of a namespace that have no controller. */
  orphansIn(namespace: string): Iterable<T> {
    return this.#orphans.get(namespace)?.values() ?? [];
  }

  subscribe(listener: (change: StoreChange<T>) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A lookup of the objects by keys of the caller's choice, kept up to date from now on. */
  index(keysOf: (object: T) => Iterable<string>): (key: string) => Iterable<T> {
    const groups = new Map<string, Map<string, T>>();
    const put = (object: T) => {
      for (const group of keysOf(object)) add(groups, group, keyOfObject(object), object);
    };
    for (const object of this.#objects.values()) put(object);
    this.subscribe(({ type, object, old = object }) => {
      if (type !== 'added') for (const group of keysOf(old)) drop(groups, group, keyOfObject(old));
      if (type !== 'deleted') put(object);
    });
    return (key) => groups.get(key)?.values() ?? [];
  }

  /** Tells what a write answered. */
  wrote(object: T): void {
    if (this.#gone.has(object.metadata.uid ?? '')) return;
    const before = this.#objects.get(keyOfObject(object));
    this.#put(object, false);
    if (before?.metadata.uid !== object.metadata.uid) this.#unconfirmed.set(keyOfObject(object), this.#clock.now());
  }

  /** Tells that a delete was accepted: the object counts as terminating from now on. */
  deleted(object: T): void {
    const uid = object.metadata.uid;
    if (!uid) return;
    const current = this.#objects.get(keyOfObject(object));
    if (current?.metadata.uid !== uid) return;
    this.#deleting.add(uid);
    this.#put(current, false);
  }

  #put(incoming: T, confirmed: boolean): void {
    const key = keyOfObject(incoming);
    if (confirmed) this.#unconfirmed.delete(key);
    const old = this.#objects.get(key);
    const sameUid = old?.metadata.uid === incoming.metadata.uid;
    const terminating = this.#deleting.has(incoming.metadata.uid ?? '') && !incoming.metadata.deletionTimestamp;
    if (old && sameUid && !terminating && !isNewer(incoming, old)) return;
    if (old && sameUid && terminating && isNewer(old, incoming)) return;
    const object = terminating
      ? {
          ...incoming,
          metadata: { ...incoming.metadata, deletionTimestamp: new Date(this.#clock.now()).toISOString() },
        }
      : incoming;
    if (old && !sameUid && isNewer(old, incoming)) return;
    if (old) this.#unindex(key, old);
    this.#objects.set(key, object);
    this.#index(key, object);
    this.#tell(old ? { type: 'updated', object, old } : { type: 'added', object });
  }

  #remove(object: T, confirmed: boolean): void {
    const key = keyOfObject(object);
    if (confirmed) this.#markGone(object.metadata.uid ?? '');
    const old = this.#objects.get(key);
    if (!old || old.metadata.uid !== object.metadata.uid) return;
    this.#unconfirmed.delete(key);
    this.#objects.delete(key);
    this.#unindex(key, old);
    this.#tell({ type: 'deleted', object: old });
  }

  #markGone(uid: string): void {
    this.#deleting.delete(uid);
    this.#gone.add(uid);
    if (this.#gone.size > remembered) this.#gone.delete(this.#gone.values().next().value ?? '');
  }

  #index(key: string, object: T): void {
    add(this.#byNamespace, object.metadata.namespace ?? '', key, object);
    const controller = controllerOf(object);
    if (controller) add(this.#byController, controller.uid, key, object);
    else add(this.#orphans, object.metadata.namespace ?? '', key, object);
  }

  #unindex(key: string, object: T): void {
    drop(this.#byNamespace, object.metadata.namespace ?? '', key);
    const controller = controllerOf(object);
    if (controller) drop(this.#byController, controller.uid, key);
    else drop(this.#orphans, object.metadata.namespace ?? '', key);
  }

  /** An object that came and went while the watch was broken leaves no event: it is dropped after a minute. */
  #sweep(): void {
    for (const [key, at] of this.#unconfirmed) {
      if (this.#clock.now() - at < 60_000) return;
      const object = this.#objects.get(key);
      this.#unconfirmed.delete(key);
      if (object && !this.#informer.get(object.metadata.namespace ?? '', object.metadata.name ?? ''))
        this.#remove(object, false);
    }
  }

  #tell(change: StoreChange<T>): void {
    for (const listener of this.#listeners) listener(change);
  }
}

/** The owner that controls the object. */
export function controllerOf(object: KubeObject) {
  return object.metadata.ownerReferences?.find((owner) => owner.controller);
}

function keyOfObject(object: KubeObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}

/** Resource versions of one kind grow with every write, on the sandbox and on etcd. */
function isNewer(a: KubeObject, b: KubeObject): boolean {
  const [left = '', right = ''] = [a.metadata.resourceVersion, b.metadata.resourceVersion];
  return left.length === right.length ? left > right : left.length > right.length;
}

function add<T>(index: Map<string, Map<string, T>>, group: string, key: string, value: T): void {
  const bucket = index.get(group);
  if (bucket) bucket.set(key, value);
  else index.set(group, new Map([[key, value]]));
}

function drop<T>(index: Map<string, Map<string, T>>, group: string, key: string): void {
  const bucket = index.get(group);
  bucket?.delete(key);
  if (bucket?.size === 0) index.delete(group);
}
