import type { Synchronization } from '../model/types.ts';

/** A mutex or a place of a semaphore, by the name that statuses and messages show. */
export interface Lock {
  readonly kind: 'mutex' | 'semaphore';
  /** `NAMESPACE/Mutex/NAME`, `NAMESPACE/ConfigMap/NAME/KEY` or `NAMESPACE/Database/NAME`. */
  readonly name: string;
  /** Its key in the database that several controllers share: `sem/NAMESPACE/KEY` or `mtx/NAMESPACE/NAME`. */
  readonly shared?: string;
}

export interface LockRequest {
  readonly locks: readonly Lock[];
  /** `NAMESPACE/WORKFLOW`, with `/NODE` for a template's. */
  readonly holder: string;
  readonly priority: number;
  /** Creation of the workflow, in milliseconds: who came first goes first among equals. */
  readonly since: number;
  /** Places of a semaphore; throws an error if it cannot be known. */
  limitOf(lock: Lock): number;
}

export interface LockAnswer {
  readonly isHeld: boolean;
  /** What is waited for. */
  readonly lock?: Lock;
  readonly message?: string;
  readonly holders: ReadonlyMap<string, readonly string[]>;
}

/** Locks of a database that one holder wants, all or none. */
export interface SharedLockRequest {
  readonly locks: readonly (Lock & { readonly shared: string })[];
  readonly holder: string;
  readonly priority: number;
  readonly since: number;
}

export interface SharedLockAnswer extends LockAnswer {
  /** Why it can never be held as it is written. */
  readonly problem?: string;
  /** When to ask again, in milliseconds from now. */
  readonly retryAfter: number;
}

/** Who holds and who waits, over all workflows of this controller. Asking twice changes nothing. */
export interface Locks {
  acquire(request: LockRequest): LockAnswer;
  /** Begins a decision about a workflow anew: it holds what its status says, and no more. */
  resume(workflow: string, held: ReadonlyMap<string, readonly string[]>): void;
  release(holder: string, locks: readonly Lock[]): void;
  /** Everything of a workflow and of its nodes. */
  releaseAll(workflow: string): void;
}

/** The locks that a `synchronization` asks for. Throws an error with what is wrong. */
export function locksOf({ semaphores, mutexes }: Synchronization, namespace: string): Lock[] {
  const locks: Lock[] = [];
  for (const { configMapKeyRef, namespace: other, database } of semaphores ?? []) {
    if (configMapKeyRef && database)
      throw new Error('requested configuration is invalid: invalid semaphore with both ConfigMapKeyRef and Database');
    if (database) {
      const of = other || namespace;
      locks.push({ kind: 'semaphore', name: `${of}/Database/${database.key}`, shared: `sem/${of}/${database.key}` });
    } else if (configMapKeyRef) {
      const { name, key } = configMapKeyRef;
      locks.push({ kind: 'semaphore', name: `${other || namespace}/ConfigMap/${name}/${key}` });
    } else throw new Error('cannot get LockName for a Semaphore without a ConfigMapRef or Database');
  }
  for (const { name = '', namespace: other, database } of mutexes ?? []) {
    const of = other || namespace;
    if (database) locks.push({ kind: 'mutex', name: `${of}/Database/${name}`, shared: `mtx/${of}/${name}` });
    else locks.push({ kind: 'mutex', name: `${of}/Mutex/${name}` });
  }
  if (new Set(locks.map(({ name, shared }) => shared ?? name)).size < locks.length)
    throw new Error('requested configuration is invalid: duplicate synchronization item found');
  return locks;
}
