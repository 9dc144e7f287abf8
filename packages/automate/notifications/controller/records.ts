import { keyOf, type ObjectStore } from '@tiphys/controller';
import { type Client, isNotFound, type KubeObject, type WorkQueue } from '@tiphys/kubernetes';
import { ownerOf } from '../outbox/record.ts';

interface RecordsOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly store: ObjectStore<KubeObject>;
  readonly queue: WorkQueue;
}

/** The Secrets of the outbox. */
export class Records {
  readonly #options: RecordsOptions;

  constructor(options: RecordsOptions) {
    this.#options = options;
  }

  /** As stored last; asked at the server if no watch has brought it yet. */
  async find(id: string): Promise<KubeObject | undefined> {
    const { client, namespace, store } = this.#options;
    return (
      store.get(`${namespace}/${id}`) ?? (await client.find({ apiVersion: 'v1', kind: 'Secret', namespace, name: id }))
    );
  }

  /** Those about an object. */
  of(uid: string): KubeObject[] {
    return [...this.#options.store.list()].filter((record) => ownerOf(record).uid === uid);
  }

  /** Asks for a delivery. */
  deliver(id: string): void {
    this.#options.queue.add(`${this.#options.namespace}/${id}`);
  }

  deliverAll(): void {
    for (const record of this.#options.store.list()) this.#options.queue.add(keyOf(record));
  }

  async remove(id: string): Promise<void> {
    const { client, namespace } = this.#options;
    try {
      await client.delete({ apiVersion: 'v1', kind: 'Secret', namespace, name: id });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
