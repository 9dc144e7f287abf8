import { type Clock, isConflict, type KubeObject, type WorkQueue } from '@tiphys/kubernetes';
import type { Announcement, EventRecorder } from './event-recorder.ts';
import { copyJson } from './json.ts';
import type { ControllerMeasures } from './measures.ts';
import type { ObjectStore } from './object-store.ts';

/** `status` of a kind, as the steps change it. */
export type StatusOf<T> = T extends { status?: infer S } ? NonNullable<S> : Record<string, unknown>;

/** One pass over one object: the steps change `next`; one exit writes it and then tells of it. */
export interface Pass<T extends KubeObject, C, M> {
  readonly key: string;
  /** As it was read. Never changed. */
  readonly before: T;
  /** The copy that the steps change. */
  readonly next: T;
  /** `next.status`, which is there. */
  readonly status: StatusOf<T>;
  readonly context: C;
  /** What is remembered of the object between passes; may be lost at any time with no change but time. */
  readonly memory: M;
  readonly clock: Clock;
  /** Aborts when the process stops or another replica takes the object over. */
  readonly signal: AbortSignal;
  /** False if another replica works on the object: nothing may be written then. */
  readonly owned: boolean;
  /** Earliest time, in milliseconds from now, at which the object must be read again. */
  requeueAfter: number | undefined;
  /** Told after the status is written. */
  readonly announcements: Announcement[];
  /** There is work to do for the object: a pass that is asked for at once comes before those of objects that may have none. */
  first: boolean;
  /** Brings the next pass forward to `delay` milliseconds from now. */
  requeueIn(delay: number): void;
  /** Tells of the object by a Kubernetes Event, after the status is written. */
  event(type: 'Normal' | 'Warning', reason: string, message: string): void;
  /** Writes what the steps have set so far; what a later step does must not be lost or done twice if the process dies. */
  checkpoint(): Promise<void>;
}

/** `stop` ends the pass: the exit writes the status and the remaining steps are left out. */
export type StepOutcome = 'continue' | 'stop';
// biome-ignore lint/suspicious/noConfusingVoidType: a step that has nothing to say returns nothing
export type Step<P> = (pass: P) => Promise<StepOutcome | void> | StepOutcome | void;

export interface ReconcilerOptions<T extends KubeObject, C, M> {
  /** Of the controller, for its measures: `rollout`. */
  readonly name: string;
  readonly store: ObjectStore<T>;
  readonly queue: WorkQueue;
  readonly clock: Clock;
  /** The way through one pass. */
  readonly steps: readonly Step<Pass<T, C, M>>[];
  readonly context: C;
  /** Makes the memory of an object that is not known yet. */
  readonly memory: () => M;
  readonly events?: EventRecorder<T>;
  /** Aborts when this process no longer works on the object; undefined if it does not. Every object is ours if absent. */
  readonly holds?: (object: T) => AbortSignal | undefined;
  /** Called instead of the steps for an object that another replica works on. */
  readonly observe?: (key: string, object: T, signal: AbortSignal) => Promise<Requeue | undefined>;
  /** True for an object that asks to be left alone. */
  readonly skips?: (object: T) => boolean;
  /** Called after each pass of an object that this process holds, whatever its outcome. */
  readonly onPass?: (pass: Pass<T, C, M>, milliseconds: number) => void;
  /** Called after a pass whose status was written, with what it rested on and what is stored now. */
  readonly onWritten?: (pass: Pass<T, C, M>) => void;
  /** Called when an object is gone, before its memory is dropped. */
  readonly onGone?: (key: string) => void;
  /**
   * Writes into the status of an object why its pass failed, as the only change; what the steps had set is thrown away. Returns
   * false where the status says so already.
   */
  readonly explain?: (object: T & { status: StatusOf<T> }, error: unknown) => boolean;
  /** True for an error that says that what the pass was decided on is no more: as after a conflict it is begun anew at once. */
  readonly isOutdated?: (error: unknown) => boolean;
  /** Told of what a pass could not deal with itself; it is tried again. */
  readonly onError: (key: string, error: unknown) => void;
  readonly measures?: ControllerMeasures;
  /** The queue's name in `workqueue_*`, where upstream's dashboards know it by another than `name`. */
  readonly queueName?: string;
}

export interface Requeue {
  readonly requeueAfter?: number;
  readonly first?: boolean;
}

/**
 * Reconciles the objects of a kind by key: reads the state anew, runs the steps in order, and leaves by one exit that writes what
 * they set and then records Events. A conflict means that somebody else wrote: the pass is thrown away and begun anew.
 */
export class Reconciler<T extends KubeObject, C, M> {
  readonly #options: ReconcilerOptions<T, C, M>;
  readonly #memory = new Map<string, M>();
  readonly #listeners = new Set<(key: string) => void>();

  constructor(options: ReconcilerOptions<T, C, M>) {
    this.#options = options;
    options.measures?.follow(options.name, options.queue, options.queueName);
  }

  /** Works until the signal aborts and the keys at hand are done. */
  run(workers: number, signal: AbortSignal): Promise<void> {
    const { queue, onError, name, measures } = this.#options;
    return queue.run({
      workers,
      signal,
      reconcile: (key) => this.#reconcile(key, signal),
      onError: (key, error) => {
        measures?.failed(name);
        onError(key, error);
      },
    });
  }

  /** What is known of an object since the start of the process. */
  memoryOf(key: string): M {
    let memory = this.#memory.get(key);
    if (memory === undefined) {
      memory = this.#options.memory();
      this.#memory.set(key, memory);
    }
    return memory;
  }

  /** Drops what is known of an object. */
  forget(key: string): void {
    this.#memory.delete(key);
  }

  /** Calls back after each pass over any object. Returns the way to stop it. */
  subscribe(listener: (key: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves after the next pass over the object, which is asked for. */
  reconciled(key: string, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stop = this.subscribe((changed) => {
      if (changed === key) resolve();
    });
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    this.#options.queue.add(key);
    return promise.finally(stop);
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<Requeue | undefined> {
    const { store, holds, observe, skips } = this.#options;
    const object = store.get(key);
    if (!object) {
      this.#options.onGone?.(key);
      this.#memory.delete(key);
      return undefined;
    }
    const held = holds ? holds(object) : signal;
    if (!held) {
      try {
        return await observe?.(key, object, signal);
      } finally {
        this.#announce(key);
      }
    }
    const pass = this.begin(key, object, held === signal ? signal : AbortSignal.any([signal, held]), true);
    const started = this.#options.clock.now();
    try {
      if (skips?.(object)) return undefined;
      await this.walk(pass, this.#options.steps);
      await pass.checkpoint();
      this.#options.onWritten?.(pass);
    } catch (error) {
      if (this.#options.isOutdated?.(error)) return { requeueAfter: 0 };
      // Somebody else wrote: what was decided here rests on an old state. Nothing is lost, the next pass decides anew.
      if (!isConflict(error)) {
        await this.#explain(key, error, pass.signal);
        throw error;
      }
      await store.reread(object);
      return { requeueAfter: 0 };
    } finally {
      const milliseconds = this.#options.clock.now() - started;
      this.#options.measures?.passed(this.#options.name, milliseconds);
      this.#options.onPass?.(pass, milliseconds);
      this.#announce(key);
    }
    return pass.requeueAfter === undefined ? undefined : { requeueAfter: pass.requeueAfter, first: pass.first };
  }

  /** Says in the object why its pass failed; that it cannot be said changes nothing about the failure. */
  async #explain(key: string, error: unknown, signal: AbortSignal): Promise<void> {
    const { store, explain, onError } = this.#options;
    const current = store.get(key);
    if (!explain || !current || signal.aborted) return;
    const told = this.begin(key, current, signal, true);
    if (!explain(told.next as T & { status: StatusOf<T> }, error)) return;
    try {
      await told.checkpoint();
    } catch (failure) {
      if (!isConflict(failure)) onError(key, failure);
    }
  }

  /** Runs steps until one stops the pass. */
  async walk(pass: Pass<T, C, M>, steps: readonly Step<Pass<T, C, M>>[]): Promise<void> {
    for (const step of steps) if ((await step(pass)) === 'stop') break;
  }

  /** A pass over a state of an object; with `owned` false it writes nothing. */
  begin(key: string, object: T, signal: AbortSignal, owned: boolean): Pass<T, C, M> {
    const { store, context, clock, events } = this.#options;
    const next = copyJson(object) as T & { status: StatusOf<T> };
    next.status ??= {} as StatusOf<T>;
    let written = object;
    const pass: Pass<T, C, M> = {
      key,
      before: object,
      next,
      status: next.status,
      memory: this.memoryOf(key),
      context,
      clock,
      signal,
      owned,
      requeueAfter: undefined,
      first: false,
      announcements: [],
      requeueIn(delay) {
        const wanted = Math.max(0, delay);
        pass.requeueAfter = pass.requeueAfter === undefined ? wanted : Math.min(pass.requeueAfter, wanted);
      },
      event(type, reason, message) {
        pass.announcements.push({ type, reason, message });
      },
      checkpoint: async () => {
        if (!owned) return;
        const stored = await store.write(written, next);
        if (!stored) return;
        if (stored !== written) {
          written = stored;
          next.metadata.resourceVersion = stored.metadata.resourceVersion ?? '';
        }
        for (const announcement of pass.announcements.splice(0)) events?.record(next, announcement);
      },
    };
    return pass;
  }

  #announce(key: string): void {
    for (const listener of this.#listeners) listener(key);
  }
}
