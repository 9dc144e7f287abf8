import type { Application } from '@tiphys/api';
import { type Client, isNotFound } from '@tiphys/kubernetes';
import type { ApplicationInformer } from './application-informer.ts';
import { applicationKey } from './application-key.ts';
import { mergePatch } from './merge-patch.ts';

/**
 * Applications as last seen or last written by us, whichever is newer: a reconciler that has just written reads its own
 * write although the watch has not brought it yet.
 */
export class ApplicationStore {
  readonly #client: Client;
  readonly #informer: ApplicationInformer;
  readonly #written = new Map<string, Application>();
  /** Versions that we made and the watch has not brought yet, by application. */
  readonly #unseen = new Map<string, Set<string>>();
  readonly #writing = new Map<string, Promise<unknown>>();

  constructor(client: Client, informer: ApplicationInformer) {
    this.#client = client;
    this.#informer = informer;
    informer.subscribe(({ type, object }) => {
      const key = applicationKey(object);
      const own = this.#written.get(key);
      if (own && (type === 'deleted' || !isNewer(own, object))) this.#written.delete(key);
      if (type === 'deleted') this.#unseen.delete(key);
    });
  }

  get(key: string): Application | undefined {
    const slash = key.indexOf('/');
    const seen = this.#informer.get(key.slice(0, slash), key.slice(slash + 1));
    const own = this.#written.get(key);
    if (!seen || !own || own.metadata.uid !== seen.metadata.uid) return seen;
    return isNewer(own, seen) ? own : seen;
  }

  /**
   * Calls back unless what the watch has brought is what we wrote ourselves, which is no news. The watch may be faster than the
   * answer to a write: it is judged when that has come.
   */
  unlessOwn(application: Application, tell: () => void): void {
    const key = applicationKey(application);
    const judge = () => {
      if (!this.#takeOwn(key, application)) tell();
    };
    const writing = this.#writing.get(key);
    if (writing) void writing.then(judge, judge);
    else judge();
  }

  #takeOwn(key: string, application: Application): boolean {
    const unseen = this.#unseen.get(key);
    const own = unseen?.has(application.metadata.resourceVersion ?? '') ?? false;
    // the watch may skip some of several writes, never go back
    for (const version of unseen ?? []) if (!isNewerVersion(version, application)) unseen?.delete(version);
    if (unseen?.size === 0) this.#unseen.delete(key);
    return own;
  }

  list(): Iterable<Application> {
    return this.#informer.list();
  }

  /**
   * Writes the difference between two states of an application and returns what is stored then; `before` if there is none.
   * Fails with Conflict if somebody else wrote in between; resolves to undefined if the application is gone.
   */
  async write(before: Application, after: Application): Promise<Application | undefined> {
    const patch = mergePatch(
      {
        metadata: { annotations: before.metadata.annotations ?? {}, finalizers: before.metadata.finalizers },
        operation: before.operation,
        status: before.status ?? {},
      },
      {
        metadata: { annotations: after.metadata.annotations ?? {}, finalizers: after.metadata.finalizers },
        operation: after.operation,
        status: after.status ?? {},
      },
    ) as { metadata?: Record<string, unknown> } | undefined;
    if (patch === undefined) return before;
    const body = { ...patch, metadata: { ...patch.metadata, resourceVersion: before.metadata.resourceVersion } };
    const { apiVersion, kind } = before;
    const key = applicationKey(before);
    const writing = this.#client
      .patch<Application>(
        { apiVersion, kind, namespace: before.metadata.namespace ?? '', name: before.metadata.name ?? '' },
        'merge',
        body,
      )
      .then((stored) => {
        this.#written.set(key, stored);
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

  #noteOwn(key: string, stored: Application): void {
    const unseen = this.#unseen.get(key) ?? new Set();
    this.#unseen.set(key, unseen.add(stored.metadata.resourceVersion ?? ''));
  }

  /** Reads past every cache; for the retry after a conflict. */
  async reread(application: Application): Promise<Application | undefined> {
    const { apiVersion, kind, metadata } = application;
    const stored = await this.#client.find<Application>({
      apiVersion,
      kind,
      namespace: metadata.namespace ?? '',
      name: metadata.name ?? '',
    });
    if (stored) this.#written.set(applicationKey(stored), stored);
    return stored;
  }
}

/** Versions of one object are compared as numbers, which etcd and the sandbox both give. */
function isNewer(a: Application, b: Application): boolean {
  return isNewerVersion(a.metadata.resourceVersion ?? '0', b);
}

function isNewerVersion(version: string, { metadata }: Application): boolean {
  return BigInt(version) > BigInt(metadata.resourceVersion ?? '0');
}
