import { type Client, type InformerChange, isNotFound, type KubeObject, shareManagedFields } from '@tiphys/kubernetes';
import { mergePatch } from './json.ts';

/** What a store needs of an informer. */
export interface ObjectView<T extends KubeObject> {
  get(namespace: string, name: string): T | undefined;
  list(): Iterable<T>;
  subscribe(listener: (change: InformerChange<T>) => void): () => void;
}

export interface ObjectStoreOptions<T extends KubeObject> {
  readonly client: Client;
  readonly view: ObjectView<T>;
  /** Members beside `metadata` that the family writes, such as `spec` and `operation`; `status` alone if absent. */
  readonly fields?: readonly string[];
  /** Whether the kind serves `status` as a subresource, so that it is written by a request of its own, after the rest. */
  readonly statusSubresource?: boolean;
}

/** Of metadata, what a family may write. */
const metadataFields = ['annotations', 'labels', 'finalizers', 'ownerReferences'] as const;

/** `namespace/name`; the key of cluster-wide objects begins with the slash. */
export function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

/** The two halves of a key of `keyOf`. */
export function splitKey(key: string): { namespace: string; name: string } {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/**
 * Objects of a kind as last seen or last written by this process, whichever is newer: a reconciler that has just written reads
 * its own write although the watch has not brought it yet.
 */
export class ObjectStore<T extends KubeObject> {
  readonly #client: Client;
  readonly #view: ObjectView<T>;
  readonly #fields: readonly string[];
  readonly #statusSubresource: boolean;
  readonly #written = new Map<string, T>();
  /** Versions that this process made and the watch has not brought yet, by key. */
  readonly #unseen = new Map<string, Set<string>>();
  readonly #writing = new Map<string, Promise<unknown>>();

  constructor({ client, view, fields = ['status'], statusSubresource = false }: ObjectStoreOptions<T>) {
    this.#client = client;
    this.#view = view;
    this.#fields = fields;
    this.#statusSubresource = statusSubresource;
    view.subscribe(({ type, object }) => {
      const key = keyOf(object);
      const own = this.#written.get(key);
      if (own && (type === 'deleted' || !isNewer(own, object))) this.#written.delete(key);
      if (type === 'deleted') this.#unseen.delete(key);
    });
  }

  get(key: string): T | undefined {
    const { namespace, name } = splitKey(key);
    const seen = this.#view.get(namespace, name);
    const own = this.#written.get(key);
    if (!seen || !own || own.metadata.uid !== seen.metadata.uid) return seen;
    return isNewer(own, seen) ? own : seen;
  }

  list(): Iterable<T> {
    return this.#view.list();
  }

  /**
   * Calls back unless what the watch has brought is what this process wrote, which is no news. The watch may be faster than the
   * answer to a write: it is judged when that has come.
   */
  unlessOwn(object: T, tell: () => void): void {
    const key = keyOf(object);
    const judge = () => {
      if (!this.#takeOwn(key, object)) tell();
    };
    const writing = this.#writing.get(key);
    if (writing) void writing.then(judge, judge);
    else judge();
  }

  #takeOwn(key: string, object: T): boolean {
    const unseen = this.#unseen.get(key);
    const own = unseen?.has(object.metadata.resourceVersion ?? '') ?? false;
    // the watch may skip some of several writes, never go back
    for (const version of unseen ?? []) if (!isNewerVersion(version, object)) unseen?.delete(version);
    if (unseen?.size === 0) this.#unseen.delete(key);
    return own;
  }

  /**
   * Writes the difference between two states of an object and returns what is stored then; `before` if there is none.
   * Fails with Conflict if somebody else wrote in between; resolves to undefined if the object is gone.
   */
  async write(before: T, after: T): Promise<T | undefined> {
    const main = this.#statusSubresource ? this.#fields.filter((field) => field !== 'status') : this.#fields;
    let stored = await this.#patch(before, before, after, main, true);
    if (stored && this.#statusSubresource && this.#fields.includes('status'))
      stored = await this.#patch(stored, before, after, ['status'], false);
    return stored;
  }

  async #patch(base: T, before: T, after: T, fields: readonly string[], withMetadata: boolean): Promise<T | undefined> {
    const patch = mergePatch(this.#part(before, fields, withMetadata), this.#part(after, fields, withMetadata)) as
      | { metadata?: Record<string, unknown> }
      | undefined;
    if (patch === undefined) return base;
    const body = { ...patch, metadata: { ...patch.metadata, resourceVersion: base.metadata.resourceVersion } };
    const key = keyOf(before);
    const { namespace, name } = splitKey(key);
    const { apiVersion, kind } = before;
    const writing = this.#client
      .patch<T>(
        { apiVersion, kind, ...(namespace ? { namespace } : {}), name },
        'merge',
        body,
        withMetadata ? {} : { subresource: 'status' },
      )
      .then((stored) => {
        this.#keep(key, shareManagedFields(stored));
        this.#noteOwn(key, stored);
        return stored;
      })
      .finally(() => this.#writing.delete(key));
    this.#writing.set(key, writing);
    try {
      return await writing;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Until the watch brings it; one that was faster than the answer has. */
  #keep(key: string, stored: T): void {
    const { namespace, name } = splitKey(key);
    const seen = this.#view.get(namespace, name);
    if (!seen || seen.metadata.uid !== stored.metadata.uid || isNewer(stored, seen)) this.#written.set(key, stored);
    else this.#written.delete(key);
  }

  #part(object: T, fields: readonly string[], withMetadata: boolean): Record<string, unknown> {
    const from = object as unknown as Record<string, unknown>;
    const part: Record<string, unknown> = Object.fromEntries(
      fields.map((field) => [field, field === 'status' ? (from[field] ?? {}) : from[field]]),
    );
    if (withMetadata) {
      const metadata = object.metadata as unknown as Record<string, unknown>;
      part.metadata = {
        ...Object.fromEntries(metadataFields.map((field) => [field, metadata[field]])),
        annotations: metadata.annotations ?? {},
      };
    }
    return part;
  }

  #noteOwn(key: string, stored: T): void {
    const unseen = this.#unseen.get(key) ?? new Set();
    this.#unseen.set(key, unseen.add(stored.metadata.resourceVersion ?? ''));
  }

  /** Reads past every cache; for the retry after a conflict. */
  async reread(object: T): Promise<T | undefined> {
    const key = keyOf(object);
    const { namespace, name } = splitKey(key);
    const { apiVersion, kind } = object;
    const stored = await this.#client.find<T>({ apiVersion, kind, ...(namespace ? { namespace } : {}), name });
    if (stored) this.#keep(key, stored);
    return stored;
  }
}

/** Versions of one object are compared as numbers, which etcd and the sandbox both give. */
function isNewer(a: KubeObject, b: KubeObject): boolean {
  return isNewerVersion(a.metadata.resourceVersion ?? '0', b);
}

function isNewerVersion(version: string, { metadata }: KubeObject): boolean {
  return BigInt(version) > BigInt(metadata.resourceVersion ?? '0');
}
