import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Comparison } from '@tiphys/engine';
import type { ApplicationMemory } from '../reconciliation/application-memory.ts';
import type { Reconciliation } from '../reconciliation/reconciliation.ts';
import { autoSync } from './auto-sync.ts';

/** A pass over an application that has drifted, and what it left. */
async function pass(
  memory: Partial<Pick<ApplicationMemory, 'shownAt'>>,
  now: number,
  operationState?: object,
): Promise<{ started: boolean; again: number | undefined }> {
  const work = {
    next: {
      metadata: { name: 'shop' },
      spec: { project: 'default', source: { repoURL: '/shop', path: '.' }, syncPolicy: { automated: {} } },
    },
    before: { metadata: {} },
    status: { sync: { status: 'OutOfSync', revision: 'abc' }, ...(operationState ? { operationState } : {}) },
    memory: {
      ...memory,
      comparison: { sync: 'OutOfSync', resources: [{ status: 'OutOfSync' }] } as unknown as Comparison,
    },
    context: { clock: { now: () => now } },
    requeueAfter: undefined,
    requeueIn(this: { requeueAfter?: number }, delay: number) {
      this.requeueAfter = delay;
    },
    announcements: [],
  } as unknown as Reconciliation;
  await autoSync(work);
  return { started: work.next.operation !== undefined, again: work.requeueAfter };
}

test('automated sync begins at once, but for a second in which somebody sees what the refresh found', async () => {
  assert.deepEqual(await pass({}, 10_000), { started: true, again: 0 });
  assert.deepEqual(await pass({ shownAt: 10_000 }, 10_400), { started: false, again: 600 });
  assert.deepEqual(await pass({ shownAt: 10_000 }, 11_000), { started: true, again: 0 });
});

test('an attempt that failed before it had a result holds back its own commit, and no newer one', async () => {
  const failed = (revision: string, initiatedBy: object = { automated: true }) => ({
    operation: { initiatedBy, sync: { revision, source: { repoURL: '/shop', path: '.' } } },
    phase: 'Failed',
    message: 'the connection was closed',
    startedAt: '1970-01-01T00:00:00Z',
    finishedAt: '1970-01-01T00:00:09Z',
  });
  assert.equal((await pass({}, 10_000, failed('abc'))).started, false);
  assert.deepEqual(await pass({}, 10_000, failed('older')), { started: true, again: 0 });
  assert.equal(
    (await pass({}, 10_000, failed('older', { username: 'anna' }))).started,
    false,
    'what somebody asked for',
  );
});
