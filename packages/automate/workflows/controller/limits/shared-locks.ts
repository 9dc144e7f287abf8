import type { Clock } from '@tiphys/kubernetes';
import type { SyncLimits, SyncLocks } from '@tiphys/workflow-database';
import type { SharedLockAnswer, SharedLockRequest } from '../../machine/index.ts';
import { isCompletedWorkflow } from '../../model/phases.ts';
import type { Workflow } from '../../model/types.ts';

export interface LockStore {
  readonly locks: Pick<SyncLocks, 'acquire' | 'release' | 'releaseAll'>;
  readonly limits: Pick<SyncLimits, 'get'>;
  /** Milliseconds. */
  readonly pollInterval: number;
}

interface Claim {
  readonly lock: string;
  readonly holder: string;
}

/**
 * Locks of a database. They are taken before a status says so and given back before it says so no more: whatever a killed controller leaves
 * behind is asked for again by the same holder, or given back with its workflow.
 */
export class SharedLocks {
  readonly #store: LockStore;
  readonly #clock: Clock;
  readonly #wake: (workflow: string) => void;
  /** Workflows of this controller that may have rows. */
  readonly #asked = new Set<string>();
  readonly #waiting = new Set<string>();

  constructor(store: LockStore, { clock, wake }: { clock: Clock; wake: (workflow: string) => void }) {
    this.#store = store;
    this.#clock = clock;
    this.#wake = wake;
  }

  /** Takes all or none; who is refused stays in the line of the first that was not free. */
  async acquire({ locks, holder, priority, since }: SharedLockRequest): Promise<SharedLockAnswer> {
    const { pollInterval: retryAfter } = this.#store;
    const workflow = workflowOf(holder);
    const holders = new Map<string, readonly string[]>();
    const taken: string[] = [];
    this.#asked.add(workflow);
    // in one order everywhere, so that two never hold what the other needs
    for (const lock of locks.toSorted((a, b) => (a.shared < b.shared ? -1 : 1))) {
      const limit = lock.kind === 'mutex' ? 1 : await this.#store.limits.get(lock.shared.slice('sem/'.length));
      if (limit === undefined || limit < 1) {
        await this.#release(taken, holder);
        const problem = `failed to initialize semaphore ${lock.name} with limit ${limit ?? 0}: set it with "argo sync create"`;
        return { isHeld: false, holders, retryAfter, problem };
      }
      const wanted = { lock: lock.shared, holder, limit, priority, createdAt: since };
      const answer = await this.#store.locks.acquire(wanted, this.#clock.now());
      holders.set(lock.name, answer.holders);
      if (!answer.held) {
        await this.#release(taken, holder);
        this.#waiting.add(workflow);
        const free = Math.max(limit - answer.holders.length, 0);
        const message = `Waiting for ${lock.name} lock. Lock status: ${free}/${limit}`;
        return { isHeld: false, lock, message, holders, retryAfter };
      }
      taken.push(lock.shared);
    }
    return { isHeld: true, holders, retryAfter };
  }

  /** Gives back what a workflow held or waited for and does so no more. */
  async settle(before: Workflow, after: Workflow): Promise<void> {
    const key = `${after.metadata.namespace}/${after.metadata.name}`;
    const claims = claimsOf(before);
    if (isCompletedWorkflow(after.status?.phase)) {
      if (claims.length > 0 || this.#asked.has(key)) await this.#giveAllBack(key);
      return;
    }
    const kept = new Set(claimsOf(after).map(({ lock, holder }) => `${lock} ${holder}`));
    const over = claims.filter(({ lock, holder }) => !kept.has(`${lock} ${holder}`));
    for (const { lock, holder } of over) await this.#giveBack([lock], holder);
  }

  /** Gives back everything of a workflow that was deleted. */
  async forget(key: string, workflow: Workflow): Promise<void> {
    if (this.#asked.has(key) || claimsOf(workflow).length > 0) await this.#giveAllBack(key);
  }

  async #giveAllBack(key: string): Promise<void> {
    await this.#store.locks.releaseAll(key);
    this.#asked.delete(key);
    this.#waiting.delete(key);
    this.#wakeAll();
  }

  async #giveBack(locks: readonly string[], holder: string): Promise<void> {
    await this.#release(locks, holder);
    this.#wakeAll();
  }

  /** Wakes nobody: two that each want what the other has just tried would wake each other for ever. */
  async #release(locks: readonly string[], holder: string): Promise<void> {
    for (const lock of locks) await this.#store.locks.release(lock, holder);
  }

  #wakeAll(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const workflow of waiting) this.#wake(workflow);
  }
}

/** What a status says is held in the database, or waited for. */
function claimsOf({ metadata, status }: Workflow): Claim[] {
  const workflow = `${metadata.namespace}/${metadata.name}`;
  const { semaphore, mutex } = status?.synchronization ?? {};
  const claims = [
    ...(semaphore?.holding ?? []).flatMap(({ semaphore: name, holders = [] }) =>
      holders.map((holder) => ({ kind: 'sem', name, holder })),
    ),
    ...(semaphore?.waiting ?? []).map(({ semaphore: name }) => ({ kind: 'sem', name, holder: workflow })),
    ...(mutex?.holding ?? []).map(({ mutex: name, holder = '' }) => ({ kind: 'mtx', name, holder })),
    ...(mutex?.waiting ?? []).map(({ mutex: name }) => ({ kind: 'mtx', name, holder: workflow })),
    ...Object.values(status?.nodes ?? {}).flatMap(({ id, synchronizationStatus }) =>
      // the name of a lock that is waited for does not say of which kind it is
      synchronizationStatus?.waiting
        ? ['sem', 'mtx'].map((kind) => ({
            kind,
            name: synchronizationStatus.waiting as string,
            holder: `${workflow}/${id}`,
          }))
        : [],
    ),
  ];
  return claims.flatMap(({ kind, name, holder }) => {
    const [namespace, of, ...key] = name.split('/');
    return of === 'Database' ? [{ lock: `${kind}/${namespace}/${key.join('/')}`, holder }] : [];
  });
}

function workflowOf(holder: string): string {
  return holder.split('/').slice(0, 2).join('/');
}
