import type { Synchronization } from '../model/types.ts';

/** A mutex or a place of a semaphore, by the name that statuses and messages show. */
export interface Lock {
  readonly kind: 'mutex' | 'semaphore';
  /** `NAMESPACE/Mutex/NAME`, `NAMESPACE/ConfigMap/NAME/KEY` or `NAMESPACE/Database/NAME`. */
  readonly name: string;
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
    if (database) locks.push({ kind: 'semaphore', name: `${other || namespace}/Database/${database.key}` });
    else if (configMapKeyRef) {
      const { name, key } = configMapKeyRef;
      locks.push({ kind: 'semaphore', name: `${other || namespace}/ConfigMap/${name}/${key}` });
    } else throw new Error('cannot get LockName for a Semaphore without a ConfigMapRef or Database');
  }
  for (const { name = '', namespace: other, database } of mutexes ?? []) {
    if (database) throw new Error(`mutex ${name}: mutexes of a database are not supported; remove "database"`);
    locks.push({ kind: 'mutex', name: `${other || namespace}/Mutex/${name}` });
  }
  if (new Set(locks.map(({ name }) => name)).size < locks.length)
    throw new Error('requested configuration is invalid: duplicate synchronization item found');
  return locks;
}
