import { type Lock, type LockAnswer, locksOf, type SharedLockAnswer, type SharedLockRequest } from '../locks/locks.ts';
import { isEnded } from '../model/phases.ts';
import { timeOf } from '../model/time.ts';
import type { NodeStatus, Synchronization } from '../model/types.ts';
import type { Operation } from './operation.ts';

/** Holds what the status says: a decision that was not stored has taken nothing. */
export function resumeLocks(op: Operation): void {
  const { semaphore, mutex } = op.status.synchronization ?? {};
  const held = new Map<string, string[]>();
  for (const { semaphore: name, holders = [] } of semaphore?.holding ?? []) held.set(name, [...holders]);
  for (const { mutex: name, holder } of mutex?.holding ?? []) if (holder) held.set(name, [holder]);
  op.facts.locks.resume(`${op.namespace}/${op.name}`, held);
}

/** Tries to take all locks for a node, or for the whole workflow if no node is given; the status tells. Throws an error with what is wrong. */
export function acquireLocks(op: Operation, wanted: Synchronization, nodeId?: string): LockAnswer {
  const locks = locksOf(wanted, op.namespace);
  const holder = holderOf(op, nodeId);
  const request = {
    holder,
    priority: op.spec.priority ?? 0,
    since: timeOf(op.workflow.metadata.creationTimestamp) ?? 0,
  };
  const own = locks.filter(({ shared }) => shared === undefined);
  const shared = locks.filter((lock) => isShared(lock) && !isNotedHeld(op, lock, holder)) as SharedLockRequest['locks'];
  let answer = op.facts.locks.acquire({ ...request, locks: own, limitOf: (lock) => limitOf(op, lock) });
  if (answer.isHeld && shared.length > 0) {
    const told = askDatabase(op, { ...request, locks: shared });
    if (!told.isHeld) {
      op.facts.locks.release(holder, own);
      op.requeueAfter(told.retryAfter);
    }
    answer = { ...told, holders: new Map([...answer.holders, ...told.holders]) };
  }
  for (const lock of locks) {
    if (answer.isHeld) noteHeld(op, lock, holder);
    else noteWaiting(op, lock, answer.holders.get(lock.name) ?? []);
  }
  return answer;
}

function askDatabase(op: Operation, request: SharedLockRequest): SharedLockAnswer {
  if (!op.facts.sharedLocks)
    throw new Error(
      `failed to initialize ${request.locks[0]?.name}: no database of locks is open; set synchronization in workflow-controller-configmap and restart`,
    );
  const answer = op.facts.sharedLocks(request);
  if (answer.problem) throw new Error(answer.problem);
  return answer;
}

function isShared({ shared }: Lock): boolean {
  return shared !== undefined;
}

/** True if the status says so: what was written is held in the database, and is given back there before it is taken out. */
function isNotedHeld(op: Operation, { kind, name }: Lock, holder: string): boolean {
  const { semaphore, mutex } = op.status.synchronization ?? {};
  if (kind === 'mutex') return mutex?.holding?.some((item) => item.mutex === name && item.holder === holder) ?? false;
  return semaphore?.holding?.some((item) => item.semaphore === name && item.holders?.includes(holder)) ?? false;
}

export function releaseLocks(op: Operation, held: Synchronization | undefined, nodeId?: string): void {
  if (!held) return;
  let locks: Lock[];
  try {
    locks = locksOf(held, op.namespace);
  } catch {
    // what cannot be named was never taken
    return;
  }
  giveBack(op, locks, nodeId);
}

function giveBack(op: Operation, locks: readonly Lock[], nodeId: string | undefined): void {
  const holder = holderOf(op, nodeId);
  op.facts.locks.release(holder, locks);
  for (const { kind, name } of locks) {
    const { semaphore, mutex } = op.status.synchronization ?? {};
    if (kind === 'mutex' && mutex?.holding)
      mutex.holding = mutex.holding.filter((item) => item.mutex !== name || item.holder !== holder);
    for (const item of (kind === 'semaphore' && semaphore?.holding) || [])
      if (item.semaphore === name) item.holders = (item.holders ?? []).filter((other) => other !== holder);
  }
}

/** Gives back what nodes hold that have ended: their hooks may wait for the same. */
export function releaseEnded(op: Operation): void {
  const { semaphore, mutex } = op.status.synchronization ?? {};
  const prefix = `${op.namespace}/${op.name}/`;
  const held = [
    ...(mutex?.holding ?? []).map(
      ({ mutex: name, holder }) => ({ kind: 'mutex', name, holders: [holder ?? ''] }) as const,
    ),
    ...(semaphore?.holding ?? []).map(
      ({ semaphore: name, holders = [] }) => ({ kind: 'semaphore', name, holders }) as const,
    ),
  ];
  for (const { kind, name, holders } of held) {
    for (const holder of holders) {
      const id = holder.startsWith(prefix) ? holder.slice(prefix.length) : undefined;
      const node = op.nodeById(id);
      if (id && node && isEnded(node)) giveBack(op, [{ kind, name }], id);
    }
  }
}

/** Gives back everything that the workflow holds or waits for. */
export function releaseAllLocks(op: Operation): void {
  op.facts.locks.releaseAll(`${op.namespace}/${op.name}`);
  delete op.status.synchronization;
  for (const node of op.nodes()) delete node.synchronizationStatus;
}

/** Shows on a node which lock it waits for, or that it waits no longer. */
export function showWaiting(node: NodeStatus, lock: Lock | undefined, message = ''): NodeStatus {
  if (lock) node.synchronizationStatus = { waiting: lock.name };
  else delete node.synchronizationStatus;
  if (message) node.message = message;
  else delete node.message;
  return node;
}

function holderOf(op: Operation, nodeId: string | undefined): string {
  return `${op.namespace}/${op.name}${nodeId ? `/${nodeId}` : ''}`;
}

function limitOf(op: Operation, { name }: Lock): number {
  const [namespace = '', , configMap = '', key = ''] = name.split('/');
  const found = op.facts.configMap(namespace, configMap);
  if (!found) throw new Error(`failed to get limit for semaphore ${name}: configmaps "${configMap}" not found`);
  const text = found.data?.[key];
  if (text === undefined)
    throw new Error(`failed to get limit for semaphore ${name}: the ConfigMap has no key "${key}"`);
  const limit = Number(text.trim());
  if (!Number.isInteger(limit) || limit < 1)
    throw new Error(`failed to initialize semaphore ${name} with limit "${text}": it needs a whole number above 0`);
  return limit;
}

function noteHeld(op: Operation, { kind, name }: Lock, holder: string): void {
  op.status.synchronization ??= {};
  const { synchronization } = op.status;
  if (kind === 'mutex') {
    synchronization.mutex ??= {};
    const { mutex } = synchronization;
    mutex.holding = [...(mutex.holding ?? []).filter((item) => item.mutex !== name), { mutex: name, holder }];
    if (mutex.waiting) mutex.waiting = mutex.waiting.filter((item) => item.mutex !== name);
    if (mutex.waiting?.length === 0) delete mutex.waiting;
    return;
  }
  synchronization.semaphore ??= {};
  const { semaphore } = synchronization;
  semaphore.holding ??= [];
  const item = semaphore.holding.find((candidate) => candidate.semaphore === name);
  if (!item) semaphore.holding.push({ semaphore: name, holders: [holder] });
  else if (!item.holders?.includes(holder)) item.holders = [...(item.holders ?? []), holder];
  if (semaphore.waiting) semaphore.waiting = semaphore.waiting.filter((other) => other.semaphore !== name);
  if (semaphore.waiting?.length === 0) delete semaphore.waiting;
}

function noteWaiting(op: Operation, { kind, name }: Lock, holders: readonly string[]): void {
  op.status.synchronization ??= {};
  const { synchronization } = op.status;
  if (kind === 'mutex') {
    synchronization.mutex ??= {};
    if (holders.length === 0) return;
    const { mutex } = synchronization;
    const others = (mutex.waiting ?? []).filter((item) => item.mutex !== name);
    mutex.waiting = [...others, { mutex: name, holder: holders[0] as string }];
    return;
  }
  synchronization.semaphore ??= {};
  const { semaphore } = synchronization;
  const others = (semaphore.waiting ?? []).filter((item) => item.semaphore !== name);
  semaphore.waiting = [...others, { semaphore: name, holders: [...holders] }];
}
