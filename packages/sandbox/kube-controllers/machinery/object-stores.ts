import { type Client, type Clock, Informer, type KubeObject } from '@tiphys/kubernetes';
import { ObjectStore } from './object-store.ts';

/** One store a kind, started when first asked for; shared by all controllers (and nodes) of a process. */
export class ObjectStores {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #stores = new Map<string, ObjectStore<KubeObject>>();

  constructor(client: Client, { clock, signal }: { clock: Clock; signal: AbortSignal }) {
    this.#client = client.as({ component: 'sandbox-controllers', purpose: 'watch' });
    this.#clock = clock;
    this.#signal = signal;
  }

  /** The objects of a kind, or those alone that a selector of fields takes. */
  of<T extends KubeObject>(
    apiVersion: string,
    kind: string,
    { fieldSelector }: { fieldSelector?: string } = {},
  ): ObjectStore<T> {
    const key = `${apiVersion}/${kind}/${fieldSelector ?? ''}`;
    let store = this.#stores.get(key);
    if (!store) {
      const informer = new Informer<KubeObject>(this.#client, {
        ref: { apiVersion, kind },
        ...(fieldSelector ? { fieldSelector } : {}),
        clock: this.#clock,
        transform: withoutManagedFields,
      });
      store = new ObjectStore(informer, this.#clock);
      this.#stores.set(key, store);
      informer.start(this.#signal);
    }
    return store as unknown as ObjectStore<T>;
  }

  async synced(): Promise<void> {
    await Promise.all([...this.#stores.values()].map((store) => store.synced));
  }
}

/** Nothing here reads managed fields, and they are half of an object's memory. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (!object.metadata.managedFields) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
