import { type Application, names } from '@tiphys/api';
import { deepEqual, Reconciler, type Requeue, type Step } from '@tiphys/controller';
import { CacheStopped } from '@tiphys/engine';
import type { WorkQueue } from '@tiphys/kubernetes';
import type { ControllerMetrics } from '@tiphys/metrics';
import { ApplicationMemory } from '../reconciliation/application-memory.ts';
import { recordPass } from '../reconciliation/chronicle.ts';
import { Observations, observationRetry, observationTime } from '../reconciliation/observations.ts';
import type { ApplicationStore, ReconcileContext, Reconciliation } from '../reconciliation/reconciliation.ts';
import { announceChanges } from './announce.ts';
import { autoSync } from './auto-sync.ts';
import { finalize } from './finalize.ts';
import { healthGate } from './health-gate.ts';
import { hydrate } from './hydrate.ts';
import { yieldToNewer } from './newer-revision.ts';
import { notificationNotices } from './notification-notices.ts';
import { observe } from './observe.ts';
import { operate } from './operate.ts';
import { refresh } from './refresh.ts';
import { validate } from './validate.ts';

/**
 * The way through one reconcile. Deletion comes first, since nothing else may happen then; the operation comes before the
 * refresh, so that the status that is written at the end shows what the operation left.
 */
const steps: readonly Step<Reconciliation>[] = [
  finalize,
  notificationNotices,
  hydrate,
  validate,
  operate,
  refresh,
  yieldToNewer,
  healthGate,
  autoSync,
  announceChanges,
];

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
  readonly #queue: WorkQueue;
  readonly #metrics: ControllerMetrics | undefined;
  readonly #observations: Observations;
  readonly #reconciler: Reconciler<Application, ReconcileContext, ApplicationMemory>;

  constructor({ context, store, queue, onError, metrics }: ControllerOptions) {
    this.#metrics = metrics;
    this.#context = context;
    this.#queue = queue;
    const { clock, events, shards, clusters } = context;
    this.#reconciler = new Reconciler({
      name: 'application',
      store,
      queue,
      clock,
      steps,
      context,
      events,
      memory: () => new ApplicationMemory(),
      holds: ({ spec }) => shards.hold(clusters.serverOf(spec.destination)),
      observe: (key, application, signal) => this.#observe(key, application, signal),
      skips: isSkipped,
      isOutdated: (error) => error instanceof CacheStopped,
      onWritten: recordPass,
      onPass: (pass, milliseconds) => this.#measure(pass, milliseconds),
      onGone: (key) => {
        const { going } = this.memoryOf(key);
        for (const render of [going?.refresh, going?.sync]) render?.abort.abort(new Error('the application is gone'));
        this.#observations.forget(key);
        for (const kept of [context.recorded, context.generated])
          kept.remove(key).catch((error: unknown) => onError(key, error));
      },
      onError,
    });
    this.#observations = new Observations({
      clock,
      store,
      memoryOf: (key) => this.memoryOf(key),
      look: (key) => queue.add(key),
      subscribe: (listener) => this.subscribe(listener),
    });
  }

  run(workers: number, signal: AbortSignal): Promise<void> {
    return this.#reconciler.run(workers, signal);
  }

  /** What is known of an application since the start of the process; for reading. */
  memoryOf(key: string): ApplicationMemory {
    return this.#reconciler.memoryOf(key);
  }

  /** Calls back after each reconcile of any application. Returns the way to stop it. */
  subscribe(listener: (key: string) => void): () => void {
    return this.#reconciler.subscribe(listener);
  }

  /** Something that the application reads may have changed: it is looked at anew, after a delay in milliseconds. */
  wake(key: string, options: { askRemote: boolean; delay: number }): void {
    this.memoryOf(key).surroundingsChanged({ askRemote: options.askRemote });
    if (options.delay > 0) this.#queue.addAfter(key, options.delay);
    else this.#queue.add(key);
  }

  /** Resolves after the next reconcile of the application, which is asked for. */
  reconciled(key: string, signal?: AbortSignal): Promise<void> {
    return this.#reconciler.reconciled(key, signal);
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

  /** Another process delivers this application: here it is only compared, and only if somebody wants to see that. */
  async #observe(key: string, application: Application, signal: AbortSignal): Promise<Requeue | undefined> {
    if (!this.#observations.wants(key)) {
      this.#reconciler.forget(key);
      return undefined;
    }
    const work = this.#reconciler.begin(key, application, signal, false);
    await this.#reconciler.walk(work, [validate, observe]);
    work.memory.observed = application.metadata.resourceVersion;
    return { requeueAfter: work.memory.failure ? observationRetry : observationTime };
  }

  #measure({ before, next }: Reconciliation, milliseconds: number): void {
    if (!this.#metrics) return;
    const server = this.#context.clusters.serverOf(next.spec.destination);
    this.#metrics.reconciled(next, server, milliseconds);
    const ended = next.status?.operationState;
    const isNews = ended?.startedAt !== before.status?.operationState?.startedAt || isUnfinished(before);
    if (ended && !isUnfinished(next) && isNews) this.#metrics.synced(next, server);
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
