import { type Application, names } from '@tiphys/api';
import { isConflict, type WorkQueue } from '@tiphys/kubernetes';
import type { ControllerMetrics } from '@tiphys/metrics';
import type { ApplicationStore } from './application-store.ts';
import { copyJson, deepEqual } from './merge-patch.ts';
import { Observations, observationRetry, observationTime } from './observations.ts';
import type { ApplicationMemory, ReconcileContext, Reconciliation, Step } from './reconciliation.ts';
import { RenderHistory } from './render-history.ts';
import { announceChanges } from './steps/announce.ts';
import { autoSync } from './steps/auto-sync.ts';
import { finalize } from './steps/finalize.ts';
import { observe } from './steps/observe.ts';
import { operate } from './steps/operate.ts';
import { refresh } from './steps/refresh.ts';
import { validate } from './steps/validate.ts';

/**
 * The way through one reconcile. Deletion comes first, since nothing else may happen then; the operation comes before the
 * refresh, so that the status that is written at the end shows what the operation left.
 */
const steps: readonly Step[] = [finalize, validate, operate, refresh, autoSync, announceChanges];

export interface ControllerOptions {
  readonly context: ReconcileContext;
  readonly store: ApplicationStore;
  readonly queue: WorkQueue;
  readonly onError: (key: string, error: unknown) => void;
  readonly metrics?: ControllerMetrics;
}

/** Reconciles applications by key. Everything that it knows is in the objects; `memory` is a cache. */
export class ApplicationController {
  readonly #context: ReconcileContext;
  readonly #store: ApplicationStore;
  readonly #queue: WorkQueue;
  readonly #onError: (key: string, error: unknown) => void;
  readonly #memory = new Map<string, ApplicationMemory>();
  readonly #listeners = new Set<(key: string) => void>();
  readonly #metrics: ControllerMetrics | undefined;
  readonly #observations: Observations;

  constructor({ context, store, queue, onError, metrics }: ControllerOptions) {
    this.#metrics = metrics;
    this.#context = context;
    this.#store = store;
    this.#queue = queue;
    this.#onError = onError;
    this.#observations = new Observations({
      clock: context.clock,
      store,
      memoryOf: (key) => this.memoryOf(key),
      look: (key) => queue.add(key),
      subscribe: (listener) => this.subscribe(listener),
    });
  }

  run(workers: number, signal: AbortSignal): Promise<void> {
    return this.#queue.run({
      workers,
      signal,
      reconcile: (key) => this.#reconcile(key, signal),
      onError: this.#onError,
    });
  }

  /** What is known of an application since the start of the process; for reading. */
  memoryOf(key: string): ApplicationMemory {
    let memory = this.#memory.get(key);
    if (!memory) {
      memory = { failures: 0, renders: new RenderHistory() };
      this.#memory.set(key, memory);
    }
    return memory;
  }

  /** Calls back after each reconcile of any application. Returns the way to stop it. */
  subscribe(listener: (key: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Something that the application reads may have changed: it is looked at anew, after a delay in milliseconds. */
  wake(key: string, options: { askRemote: boolean; delay: number }): void {
    const memory = this.memoryOf(key);
    memory.resolvedAt = undefined;
    memory.failedFor = undefined;
    if (options.askRemote) memory.askRemote = true;
    if (options.delay > 0) this.#queue.addAfter(key, options.delay);
    else this.#queue.add(key);
  }

  /** Resolves after the next reconcile of the application, which is asked for. */
  reconciled(key: string, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stop = this.subscribe((changed) => {
      if (changed === key) resolve();
    });
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    this.#queue.add(key);
    return promise.finally(stop);
  }

  /** True if this process delivers the application; false if another one does, or nobody. */
  delivers({ spec }: Application): boolean {
    const { shards, clusters } = this.#context;
    return shards.hold(clusters.serverOf(spec.destination)) !== undefined;
  }

  /** Resolves when what is known here of an application that another process delivers rests on its present state. */
  observed(application: Application, signal?: AbortSignal): Promise<void> {
    return this.#observations.upToDate(application, signal);
  }

  /** Calls back after each reconcile of one application, which is kept in view as long. Returns the way to stop it. */
  follow(key: string, listener: () => void): () => void {
    const stop = this.subscribe((changed) => {
      if (changed === key) listener();
    });
    const leave = this.#observations.watch(key);
    return () => {
      stop();
      leave();
    };
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<{ requeueAfter?: number } | undefined> {
    const application = this.#store.get(key);
    if (!application) {
      this.#memory.delete(key);
      this.#observations.forget(key);
      return undefined;
    }
    const { shards, clusters } = this.#context;
    const held = shards.hold(clusters.serverOf(application.spec.destination));
    if (!held) return this.#observe(key, application, signal);
    const work = this.#begin(key, application, AbortSignal.any([signal, held]), true);
    const started = this.#context.clock.now();
    try {
      if (isSkipped(application)) return undefined;
      for (const step of steps) if ((await step(work)) === 'stop') break;
      await work.checkpoint();
    } catch (error) {
      // Somebody else wrote: what was decided here rests on an old state. Nothing is lost, the next pass decides anew.
      if (!isConflict(error)) throw error;
      await this.#store.reread(application);
      return { requeueAfter: 0 };
    } finally {
      this.#measure(work, started);
      for (const listener of this.#listeners) listener(key);
    }
    return work.requeueAfter === undefined ? undefined : { requeueAfter: work.requeueAfter };
  }

  /** Another process delivers this application: here it is only compared, and only if somebody wants to see that. */
  async #observe(
    key: string,
    application: Application,
    signal: AbortSignal,
  ): Promise<{ requeueAfter?: number } | undefined> {
    if (!this.#observations.wants(key)) {
      this.#memory.delete(key);
      return undefined;
    }
    const work = this.#begin(key, application, signal, false);
    try {
      for (const step of [validate, observe]) if ((await step(work)) === 'stop') break;
      work.memory.observed = application.metadata.resourceVersion;
    } finally {
      for (const listener of this.#listeners) listener(key);
    }
    return { requeueAfter: work.memory.failure ? observationRetry : observationTime };
  }

  #measure({ before, next }: Reconciliation, started: number): void {
    if (!this.#metrics) return;
    const server = this.#context.clusters.serverOf(next.spec.destination);
    this.#metrics.reconciled(next, server, this.#context.clock.now() - started);
    const ended = next.status?.operationState;
    const isNews = ended?.startedAt !== before.status?.operationState?.startedAt || isUnfinished(before);
    if (ended && !isUnfinished(next) && isNews) this.#metrics.synced(next, server);
  }

  #begin(key: string, application: Application, signal: AbortSignal, owned: boolean): Reconciliation {
    const next = copyJson(application);
    next.status ??= {};
    let written = application;
    const work: Reconciliation = {
      key,
      before: application,
      next,
      status: next.status,
      memory: this.memoryOf(key),
      context: this.#context,
      signal,
      owned,
      requeueAfter: undefined,
      announcements: [],
      checkpoint: async () => {
        if (!owned) return;
        const stored = await this.#store.write(written, next);
        if (!stored) return;
        if (stored !== written) {
          written = stored;
          next.metadata.resourceVersion = stored.metadata.resourceVersion ?? '';
        }
        for (const announcement of work.announcements.splice(0)) this.#context.events.record(next, announcement);
      },
    };
    return work;
  }
}

/** True if the application asks to be left alone, in any of the spellings that Go takes for true. */
function isSkipped({ metadata }: Application): boolean {
  return ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(
    metadata.annotations?.[names.annotations.skipReconcile] ?? '',
  );
}

/** True while an operation goes on or is tried again. */
function isUnfinished({ status }: Application): boolean {
  return ['Running', 'Terminating'].includes(status?.operationState?.phase ?? '');
}

/** True if a change of an application is worth a reconcile: anything but what only we write. */
export function isNews(before: Application, after: Application): boolean {
  const { metadata: a } = before;
  const { metadata: b } = after;
  return !(
    deepEqual(before.spec, after.spec) &&
    deepEqual(before.operation, after.operation) &&
    deepEqual(a.annotations, b.annotations) &&
    deepEqual(a.finalizers, b.finalizers) &&
    a.deletionTimestamp === b.deletionTimestamp &&
    deepEqual(before.status, after.status)
  );
}
