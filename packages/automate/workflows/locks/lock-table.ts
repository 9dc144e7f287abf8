import type { Workflow } from '../model/types.ts';
import type { Lock, LockAnswer, LockRequest, Locks } from './locks.ts';

interface Waiter {
  readonly holder: string;
  readonly priority: number;
  readonly since: number;
}

interface State {
  readonly holders: Set<string>;
  waiters: Waiter[];
  limit: number;
}

/**
 * Locks in memory. What they say is all in the statuses of workflows: `restore` makes the table anew from those.
 * A lock goes to who waits with the highest priority, then to the oldest workflow; nodes of one workflow do not wait for each other's turn.
 */
export class LockTable implements Locks {
  readonly #locks = new Map<string, State>();
  readonly #wake: (workflow: string) => void;
  readonly #onTaken: (name: string) => void;

  /** `wake` is called with `NAMESPACE/NAME` of workflows whose turn it may be, `onTaken` with the names of locks that somebody gets. */
  constructor(wake: (workflow: string) => void = () => {}, onTaken: (name: string) => void = () => {}) {
    this.#wake = wake;
    this.#onTaken = onTaken;
  }

  acquire(request: LockRequest): LockAnswer {
    const { locks, holder } = request;
    for (const lock of locks) this.#enqueue(lock, request);
    const refusals = locks.map((lock) => this.#refusal(lock, holder));
    const first = refusals.findIndex((refusal) => refusal !== undefined);
    if (first < 0) for (const lock of locks) this.#grant(lock, holder);
    const holders = new Map(locks.map(({ name }) => [name, [...this.#state(name).holders]]));
    if (first < 0) return { isHeld: true, holders };
    return { isHeld: false, lock: locks[first] as Lock, message: refusals[first] as string, holders };
  }

  release(holder: string, locks: readonly Lock[]): void {
    for (const { name } of locks) {
      const state = this.#locks.get(name);
      if (!state) continue;
      const held = state.holders.delete(holder);
      state.waiters = state.waiters.filter((waiter) => waiter.holder !== holder);
      if (held) this.#wakeNext(state);
      this.#forget(name, state);
    }
  }

  releaseAll(workflow: string): void {
    const isOf = (holder: string) => holder === workflow || holder.startsWith(`${workflow}/`);
    for (const [name, state] of [...this.#locks]) {
      const held = [...state.holders].filter(isOf);
      for (const holder of held) state.holders.delete(holder);
      state.waiters = state.waiters.filter(({ holder }) => !isOf(holder));
      if (held.length > 0) this.#wakeNext(state);
      this.#forget(name, state);
    }
  }

  resume(workflow: string, held: ReadonlyMap<string, readonly string[]>): void {
    const isOf = (holder: string) => holder === workflow || holder.startsWith(`${workflow}/`);
    for (const [name, { holders }] of this.#locks)
      for (const holder of [...holders]) if (isOf(holder) && !held.get(name)?.includes(holder)) holders.delete(holder);
    for (const [name, holders] of held) for (const holder of holders) this.#state(name).holders.add(holder);
  }

  /** Takes over what the statuses of workflows say is held. */
  restore(workflows: Iterable<Workflow>): void {
    for (const { status } of workflows) {
      for (const { semaphore, holders } of status?.synchronization?.semaphore?.holding ?? [])
        for (const holder of holders ?? []) this.#state(semaphore).holders.add(holder);
      for (const { mutex, holder } of status?.synchronization?.mutex?.holding ?? [])
        if (holder) this.#state(mutex).holders.add(holder);
    }
  }

  /** Locks that are held or waited for, with how many of each. */
  counts(): { name: string; held: number; pending: number }[] {
    return [...this.#locks].map(([name, { holders, waiters }]) => ({
      name,
      held: holders.size,
      pending: waiters.length,
    }));
  }

  #state(name: string): State {
    let state = this.#locks.get(name);
    if (!state) {
      state = { holders: new Set(), waiters: [], limit: 1 };
      this.#locks.set(name, state);
    }
    return state;
  }

  #forget(name: string, { holders, waiters }: State): void {
    if (holders.size === 0 && waiters.length === 0) this.#locks.delete(name);
  }

  #enqueue(lock: Lock, { holder, priority, since, limitOf }: LockRequest): void {
    const limit = lock.kind === 'mutex' ? 1 : limitOf(lock);
    const state = this.#state(lock.name);
    state.limit = limit;
    if (state.holders.has(holder)) return;
    state.waiters = state.waiters.filter((waiter) => waiter.holder !== holder);
    state.waiters.push({ holder, priority, since });
    state.waiters.sort((a, b) => b.priority - a.priority || a.since - b.since || (a.holder < b.holder ? -1 : 1));
  }

  #refusal({ name }: Lock, holder: string): string | undefined {
    const state = this.#state(name);
    if (state.holders.has(holder)) return undefined;
    const free = Math.max(state.limit - state.holders.size, 0);
    const message = `Waiting for ${name} lock. Lock status: ${free}/${state.limit}`;
    const next = state.waiters[0];
    if (next && workflowOf(next.holder) !== workflowOf(holder)) {
      if (free > 0) this.#wake(workflowOf(next.holder));
      return message;
    }
    return free > 0 ? undefined : message;
  }

  #grant({ name }: Lock, holder: string): void {
    const state = this.#state(name);
    if (!state.holders.has(holder)) this.#onTaken(name);
    state.holders.add(holder);
    state.waiters = state.waiters.filter((waiter) => waiter.holder !== holder);
    this.#wakeNext(state);
  }

  #wakeNext({ waiters, limit, holders }: State): void {
    const free = Math.max(limit - holders.size, 0);
    for (const workflow of new Set(waiters.slice(0, free).map(({ holder }) => workflowOf(holder))))
      this.#wake(workflow);
  }
}

function workflowOf(holder: string): string {
  return holder.split('/').slice(0, 2).join('/');
}
