import type { Application } from '@tiphys/api';
import { type Clock, keyString, pause } from '@tiphys/kubernetes';
import { applicationKey } from '../spec/application-key.ts';
import type { ApplicationMemory } from './application-memory.ts';
import type { ApplicationStore } from './reconciliation.ts';
import { shownStatus } from './shown-status.ts';

/** An application is kept in view for so long after somebody asked for it, in milliseconds. */
export const observationTime = 300_000;
/** A look that failed is taken again after so long, in milliseconds. */
export const observationRetry = 10_000;
/** How long it is waited for the two views of an application to agree, in milliseconds. */
const lookTimeout = 2_000;
/** How long a new application is waited for until anyone who delivers it has compared it, in milliseconds. */
const firstLookTimeout = 20_000;

interface Parts {
  readonly clock: Clock;
  readonly store: Pick<ApplicationStore, 'reread'>;
  readonly memoryOf: (key: string) => ApplicationMemory;
  /** Has the application looked at again. */
  readonly look: (key: string) => void;
  /** Calls back with the key after each look. */
  readonly subscribe: (listener: (key: string) => void) => () => void;
}

/**
 * The applications that another process delivers and that somebody reads here. They are compared here too, at the revisions
 * that their status names, so that nothing that is shown has to come from the memory of the other process.
 */
export class Observations {
  readonly #parts: Parts;
  readonly #asked = new Map<string, number>();
  readonly #watchers = new Map<string, number>();
  /** Versions that were waited for in vain. */
  readonly #disputed = new Map<string, string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether somebody asked of late, or still watches. */
  wants(key: string): boolean {
    if (this.#watchers.has(key)) return true;
    const asked = this.#asked.get(key);
    if (asked !== undefined && this.#parts.clock.now() - asked < observationTime) return true;
    this.forget(key);
    return false;
  }

  forget(key: string): void {
    this.#asked.delete(key);
    this.#disputed.delete(key);
  }

  /** Keeps the application in view until the returned function is called. */
  watch(key: string): () => void {
    this.#watchers.set(key, (this.#watchers.get(key) ?? 0) + 1);
    return () => {
      const left = (this.#watchers.get(key) ?? 1) - 1;
      if (left > 0) this.#watchers.set(key, left);
      else this.#watchers.delete(key);
    };
  }

  /**
   * Resolves when the comparison rests on the application as it is stored now. What its status says of the objects was seen by
   * the watches of another process; where ours have not brought that yet, they get a moment to do so.
   */
  async upToDate(application: Application, signal?: AbortSignal): Promise<void> {
    const { clock, memoryOf } = this.#parts;
    const key = applicationKey(application);
    this.#asked.set(key, clock.now());
    const current = await this.#compared(application, signal);
    if (!current) return;
    const version = current.metadata.resourceVersion ?? '';
    const memory = memoryOf(key);
    if (memory.observed !== version) await this.#next(key, signal);
    const deadline = clock.now() + lookTimeout;
    while (!agrees(current, memory) && this.#disputed.get(key) !== version) {
      const left = deadline - clock.now();
      if (left > 0) await this.#change(key, left, signal);
      else this.#disputed.set(key, version);
    }
  }

  /** The application as it is stored, once it was compared for the first time: before that its status names no revision. */
  async #compared(application: Application, signal?: AbortSignal): Promise<Application | undefined> {
    const { clock, store } = this.#parts;
    const deadline = clock.now() + firstLookTimeout;
    let current = await store.reread(application);
    while (current && !current.status?.reconciledAt && !current.metadata.deletionTimestamp) {
      const left = deadline - clock.now();
      if (left <= 0) break;
      await this.#change(applicationKey(application), Math.min(left, 1_000), signal);
      current = await store.reread(application);
    }
    return current;
  }

  /** Resolves after the next look, which is asked for. */
  #next(key: string, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stop = this.#parts.subscribe((looked) => {
      if (looked === key) resolve();
    });
    const onAbort = () => reject(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#parts.look(key);
    return promise.finally(() => {
      stop();
      signal?.removeEventListener('abort', onAbort);
    });
  }

  /** Resolves after a look that something else brought about, or after the time. */
  async #change(key: string, milliseconds: number, signal?: AbortSignal): Promise<void> {
    const looked = new AbortController();
    const stop = this.#parts.subscribe((changed) => {
      if (changed === key) looked.abort();
    });
    const wake = AbortSignal.any([looked.signal, ...(signal ? [signal] : [])]);
    await pause(this.#parts.clock, milliseconds, wake);
    stop();
    signal?.throwIfAborted();
  }
}

/** Whether the status says the same of every object; true as long as it says nothing reliable. */
function agrees({ status, spec }: Application, { comparison }: ApplicationMemory): boolean {
  const phase = status?.operationState?.phase;
  const settled = status?.reconciledAt && phase !== 'Running' && phase !== 'Terminating';
  if (!comparison || !settled || status.sync?.status === 'Unknown' || !spec.destination) return true;
  const said = new Map(
    (status.resources ?? []).map(({ group = '', kind = '', namespace = '', name = '', status: sync, health }) => [
      keyString({ group, kind, namespace, name }),
      `${sync ?? ''} ${health?.status ?? ''}`,
    ]),
  );
  return (
    said.size === comparison.resources.length &&
    comparison.resources.every(
      (resource) =>
        said.get(keyString(resource.key)) === `${shownStatus(resource) ?? ''} ${resource.health?.status ?? ''}`,
    )
  );
}
