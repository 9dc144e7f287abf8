import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LockTable } from '../../locks/lock-table.ts';
import { MissingFact, operate, type SharedLockAnswer, type SharedLockRequest } from '../../machine/index.ts';
import type { Workflow } from '../../model/types.ts';
import { type LockStore, SharedLocks } from './shared-locks.ts';

/** Rows of the database: who holds each lock. */
function store(limits: Record<string, number>) {
  const rows = new Map<string, Set<string>>();
  const of = (lock: string) => rows.get(lock) ?? rows.set(lock, new Set()).get(lock) ?? new Set<string>();
  const asked: string[] = [];
  const found: LockStore = {
    pollInterval: 10_000,
    limits: { get: async (name) => limits[name] },
    locks: {
      async acquire({ lock, holder, limit }) {
        asked.push(lock);
        const held = of(lock).has(holder) || of(lock).size < limit;
        if (held) of(lock).add(holder);
        return { held, holders: [...of(lock)] };
      },
      async release(lock, holder) {
        of(lock).delete(holder);
      },
      async releaseAll(workflow) {
        for (const holders of rows.values())
          for (const holder of holders)
            if (holder === workflow || holder.startsWith(`${workflow}/`)) holders.delete(holder);
      },
    },
  };
  const held = () => Object.fromEntries([...rows].filter(([, { size }]) => size > 0).map(([k, v]) => [k, [...v]]));
  return { found, held, asked };
}

const clock = { now: () => Date.UTC(2026, 0, 1) } as never;
const both: SharedLockRequest['locks'] = [
  { kind: 'semaphore', name: 'x/Database/s', shared: 'sem/x/s' },
  { kind: 'mutex', name: 'x/Database/m', shared: 'mtx/x/m' },
];
const want = (holder: string, locks = both) => ({ locks, holder, priority: 0, since: 0 });

test('all locks of a database are taken, or none', async () => {
  const { found, held, asked } = store({ 'x/s': 1 });
  const woken: string[] = [];
  const locks = new SharedLocks(found, { clock, wake: (workflow) => woken.push(workflow) });
  assert.equal((await locks.acquire(want('x/a', both.slice(0, 1)))).isHeld, true);
  const refused = await locks.acquire(want('x/b/1'));
  assert.equal(refused.isHeld, false);
  assert.equal(refused.message, 'Waiting for x/Database/s lock. Lock status: 0/1');
  assert.deepEqual(asked, ['sem/x/s', 'mtx/x/m', 'sem/x/s'], 'in one order, whatever the order of the template');
  assert.deepEqual(held(), { 'sem/x/s': ['x/a'] });
  assert.deepEqual(woken, []);
  await locks.forget('x/a', { metadata: { name: 'a', namespace: 'x' } } as Workflow);
  assert.deepEqual([held(), woken], [{}, ['x/b']]);
  assert.equal((await locks.acquire(want('x/b/1'))).isHeld, true);
});

test('a semaphore without a limit can never be held, and says so', async () => {
  const { found, held } = store({});
  const locks = new SharedLocks(found, { clock, wake: () => {} });
  const answer = await locks.acquire(want('x/a'));
  assert.match(answer.problem ?? '', /failed to initialize semaphore x\/Database\/s with limit 0/);
  assert.deepEqual(held(), {});
});

const workflow = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  metadata: { name: 'w', namespace: 'x', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {
    entrypoint: 'main',
    synchronization: { mutexes: [{ name: 'm', database: true }], semaphores: [{ database: { key: 's' } }] },
    templates: [{ name: 'main', container: { image: 'a', command: ['x'] } }],
  },
} as unknown as Workflow;

function decide(given: Workflow, sharedLocks?: (request: SharedLockRequest) => SharedLockAnswer) {
  return operate(given, {
    now: Date.UTC(2026, 0, 1),
    settings: {} as never,
    pods: [],
    taskResults: [],
    locks: new LockTable(),
    ...(sharedLocks ? { sharedLocks } : {}),
    template: () => undefined,
    configMap: () => undefined,
    gcTasks: () => [],
    imageCommand: () => ({}),
  }).workflow;
}

test('a workflow asks the database once, holds what it was given, and gives it back when it ends', async () => {
  const { found, held } = store({ 'x/s': 1 });
  const locks = new SharedLocks(found, { clock, wake: () => {} });
  let wanted: SharedLockRequest | undefined;
  assert.throws(
    () =>
      decide(workflow, (request) => {
        wanted = request;
        throw new MissingFact({ kind: 'shared-locks', request });
      }),
    /shared-locks x\/Database\/s, x\/Database\/m/,
  );
  const answer = await locks.acquire(wanted as SharedLockRequest);
  const running = decide(workflow, () => answer);
  assert.equal(running.status?.phase, 'Running');
  assert.deepEqual(running.status?.synchronization, {
    semaphore: { holding: [{ semaphore: 'x/Database/s', holders: ['x/w'] }] },
    mutex: { holding: [{ mutex: 'x/Database/m', holder: 'x/w' }] },
  });
  decide(running, () => assert.fail('what the status says is held is not asked for again'));
  await locks.settle(running, running);
  assert.deepEqual(held(), { 'mtx/x/m': ['x/w'], 'sem/x/s': ['x/w'] });
  // a controller that was started anew knows it of the status
  const again = new SharedLocks(found, { clock, wake: () => {} });
  await again.settle(running, { ...running, status: { ...running.status, phase: 'Failed' } } as Workflow);
  assert.deepEqual(held(), {});
});

test('a workflow waits for a lock of the database, and fails where there is no database', () => {
  const refused = { isHeld: false, lock: both[1], message: 'Waiting', holders: new Map(), retryAfter: 1 } as const;
  const waiting = decide(workflow, () => refused as unknown as SharedLockAnswer);
  assert.deepEqual([waiting.status?.phase, waiting.status?.message], ['Pending', 'Waiting']);
  assert.deepEqual(waiting.status?.synchronization?.mutex, {});
  const failed = decide(workflow);
  assert.equal(failed.status?.phase, 'Failed');
  assert.match(failed.status?.message ?? '', /set synchronization in workflow-controller-configmap/);
});
