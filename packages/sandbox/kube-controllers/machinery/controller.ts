import { type Client, type Clock, isConflict, isNotFound, type KubeObject, WorkQueue } from '@tiphys/kubernetes';
import { EventRecorder } from './event-recorder.ts';
import type { ObjectStore } from './object-store.ts';
import type { ObjectStores } from './object-stores.ts';

/** What every controller is given. */
export interface ControllerContext {
  client: Client;
  clock: Clock;
  signal: AbortSignal;
  stores: ObjectStores;
  /** Told about every reconcile that failed; it is tried again with backoff. */
  onError: (controller: string, key: string, error: unknown) => void;
}

export type Reconcile = (key: string, signal: AbortSignal) => Promise<undefined | { requeueAfter?: number }>;

/** In milliseconds. */
const conflictDelay = 20;

export interface ControllerOptions {
  /** Where its events happen; nowhere in particular if absent. */
  host?: (about: KubeObject) => string | undefined;
  /** How long, in milliseconds, it waits after the first failure, twice as long after each further one, up to a minute; 5 if absent. */
  firstDelay?: number;
}

/** A queue of `namespace/name` keys with its name, recorder and client. */
export class Controller {
  readonly name: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly queue: WorkQueue;
  readonly #context: ControllerContext;
  readonly #waitsLong: boolean;

  constructor(context: ControllerContext, name: string, { host, firstDelay = 5 }: ControllerOptions = {}) {
    this.#context = context;
    this.name = name;
    this.clock = context.clock;
    this.client = context.client.as({ component: name, purpose: 'reconcile' });
    const { clock, signal } = context;
    this.events = new EventRecorder(context.client, { clock, signal, component: name, ...(host ? { host } : {}) });
    this.#waitsLong = firstDelay > conflictDelay;
    this.queue = new WorkQueue({ clock: context.clock, baseDelay: firstDelay, maxDelay: 60_000 });
  }

  /** Queues what `keys` names (the object's own key if absent) on every change of a store. */
  watch<T extends KubeObject>(
    store: ObjectStore<T>,
    keys: (object: T, old?: T) => Iterable<string> = (object) => [keyFor(object)],
  ): this {
    store.subscribe(({ object, old }) => {
      for (const key of keys(object, old)) this.queue.add(key);
    });
    return this;
  }

  /** Starts the workers; conflicts are tried again without a word, for another writer was faster. */
  run(reconcile: Reconcile, workers = 4): void {
    const { signal } = this.#context;
    void this.queue.run({
      workers,
      signal,
      reconcile: async (key, reconcileSignal) => {
        try {
          return (await reconcile(key, reconcileSignal)) ?? {};
        } catch (error) {
          // what another writer was faster with is not worth a long wait
          if (!this.#waitsLong || !isConflict(error)) throw error;
          return { requeueAfter: conflictDelay };
        }
      },
      onError: (key, error) => this.failed(key, error),
    });
  }

  /** Tells anyone who started the controllers that something went wrong. */
  failed(key: string, error: unknown): void {
    const { signal, onError } = this.#context;
    if (!signal.aborted && !isConflict(error)) onError(this.name, key, error);
  }

  /** Writes the status (PUT of the subresource) and shows it to all at once. */
  async updateStatus<T extends KubeObject>(store: ObjectStore<T>, object: T): Promise<T> {
    const written = await this.client.update(object, { subresource: 'status' });
    store.wrote(written);
    return written;
  }

  async update<T extends KubeObject>(store: ObjectStore<T>, object: T): Promise<T> {
    const written = await this.client.update(object);
    store.wrote(written);
    return written;
  }

  async create<T extends KubeObject>(store: ObjectStore<T>, object: T): Promise<T> {
    const written = await this.client.create(object);
    store.wrote(written);
    return written;
  }

  /** Deletes the object of this UID in the background; already gone is fine. */
  async delete<T extends KubeObject>(store: ObjectStore<T>, object: T): Promise<void> {
    const { uid, name = '', namespace } = object.metadata;
    const ref = { apiVersion: object.apiVersion, kind: object.kind, name, ...(namespace ? { namespace } : {}) };
    try {
      await this.client.delete(ref, { propagationPolicy: 'Background', ...(uid ? { preconditions: { uid } } : {}) });
      store.deleted(object);
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}

export function keyFor(object: KubeObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}

export function splitKey(key: string): [namespace: string, name: string] {
  const slash = key.indexOf('/');
  return [key.slice(0, slash), key.slice(slash + 1)];
}

/** A controlling owner reference, as `metav1.NewControllerRef`. */
export function controllerRef(owner: KubeObject) {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name ?? '',
    uid: owner.metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** The key of the object's controller if that is of the kind. */
export function controllerKey(object: KubeObject, kind: string): string[] {
  const owner = object.metadata.ownerReferences?.find((reference) => reference.controller);
  return owner?.kind === kind ? [`${object.metadata.namespace ?? ''}/${owner.name}`] : [];
}
