import type { KubeObject } from '@tiphys/kubernetes';
import { Collection, Item, type StoreEvent } from './collection.ts';
import { Journal } from './journal.ts';
import { WarmItems } from './warm-items.ts';

/** How many changes of all resources together are still watchable after a restart: each costs the start some microseconds. */
const STORED_HISTORY = 5_000;

/** Characters that the log of changes of one resource holds besides the present state. */
const HISTORY_WEIGHT = 32 * 1024 * 1024;

/** What etcd takes of one object. */
const MAX_OBJECT = 1.5 * 1024 * 1024;

/** How many objects are kept as values. */
const WARM = 1_024;

export interface StoreOptions {
  /** Folder of the database; in memory only when absent. */
  readonly dataDir?: string;
  /** How many changes of each resource stay watchable; 20,000 when absent. Long ones are forgotten earlier. */
  readonly history?: number;
}

/**
 * A log of changes with one counter of revisions, as etcd has it. Writes are synchronous and take effect at once;
 * `durable()` resolves when everything written so far would survive a kill.
 */
export class Store {
  readonly #collections = new Map<string, Collection>();
  readonly #warm = new WarmItems(WARM);
  readonly #history: number;
  readonly #journal: Journal | undefined;
  /** Revision at which this process started: what was not stored before it is not known to it. */
  readonly #opened: number;
  #revision: number;
  /** Changes of earlier processes up to this revision are not known any more. */
  readonly #forgotten: number = 0;

  constructor(options: StoreOptions = {}) {
    this.#history = options.history ?? 20_000;
    if (options.dataDir === undefined) {
      this.#opened = 1;
      this.#revision = 1;
      return;
    }
    this.#journal = new Journal(options.dataDir, Math.min(this.#history, STORED_HISTORY), this.#warm);
    const { revision, compacted, collections } = this.#journal.open();
    this.#opened = revision;
    this.#revision = revision;
    this.#forgotten = compacted;
    for (const [name, { items, events }] of collections) {
      const collection = new Collection(name, compacted);
      collection.load(items, events);
      this.#collections.set(name, collection);
    }
  }

  get revision(): number {
    return this.#revision;
  }

  /** The collection of a resource, such as `apps/deployments`; made when there is none. */
  collection(name: string): Collection {
    let collection = this.#collections.get(name);
    if (!collection) {
      collection = new Collection(name, this.#forgotten);
      this.#collections.set(name, collection);
    }
    return collection;
  }

  /** True when watching from the revision would miss changes that were lost with an earlier process. */
  isLost(revision: number): boolean {
    return this.#journal?.isLost(revision, this.#opened) ?? false;
  }

  /** Stores the object and stamps its resourceVersion; the argument itself is not changed. Throws TooLargeError. */
  put(collection: Collection, key: string, object: KubeObject): Item {
    const previous = collection.get(key);
    const revision = this.#next();
    const item = new Item(key, revision, stamp(object, revision), this.#warm);
    if (item.json.length > MAX_OBJECT && sizeOf(item.json) > MAX_OBJECT) throw new TooLargeError();
    this.#record(collection, { revision, type: previous ? 'MODIFIED' : 'ADDED', item, previous });
    return item;
  }

  /** Removes the object; the result is its last state with the revision of the removal. */
  remove(collection: Collection, key: string, lastState?: KubeObject): Item | undefined {
    const previous = collection.get(key);
    if (!previous) return undefined;
    const revision = this.#next();
    const item = new Item(key, revision, stamp(lastState ?? previous.object, revision), this.#warm);
    this.#record(collection, { revision, type: 'DELETED', item, previous });
    return item;
  }

  durable(): Promise<void> {
    return this.#journal?.flushed() ?? Promise.resolve();
  }

  /** Forgets all but the last `keep` changes of every resource: older revisions are answered with 410 from then on. */
  compact(keep = 0): void {
    for (const collection of this.#collections.values()) collection.compact(keep);
  }

  close(): void {
    this.#journal?.close();
  }

  #next(): number {
    this.#revision += 1;
    this.#journal?.reserve(this.#revision);
    return this.#revision;
  }

  #record(collection: Collection, event: StoreEvent): void {
    collection.record(event);
    if (collection.logged > this.#history * 1.25 || collection.weight > HISTORY_WEIGHT * 1.25)
      collection.compact(this.#history, HISTORY_WEIGHT);
    this.#journal?.append(collection.name, event);
  }
}

/** An object is longer than the store takes. */
export class TooLargeError extends Error {
  constructor() {
    super('etcdserver: request is too large');
  }
}

/** Bytes of a text without what JSON adds to quotes and line ends. */
function sizeOf(json: string): number {
  return Buffer.byteLength(json.replaceAll('\\', ''));
}

function stamp(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}
