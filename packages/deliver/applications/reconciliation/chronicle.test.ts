import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Application, OperationState } from '@tiphys/api';
import type { HistoryRecord } from '@tiphys/history';
import { type Begun, recordBegin, recordPass } from './chronicle.ts';
import type { Reconciliation } from './reconciliation.ts';

const second = '2026-01-01T00:00:00Z';
const automated = { initiatedBy: { automated: true }, sync: {} };
const byAdmin = { initiatedBy: { username: 'admin' }, sync: {} };

/** The records of syncs that begin and end one after the other in one second; a name is kept once, as the history keeps it. */
function recordsOf(syncs: readonly Pick<OperationState, 'operation' | 'syncResult'>[]): string[] {
  const records = new Map<string, HistoryRecord>();
  const memory = { renders: { accounts: [] } };
  let before = { metadata: { name: 'shop', namespace: 'cd', uid: 'u' }, spec: { destination: {} }, status: {} };
  for (const [id, { operation, syncResult }] of syncs.entries()) {
    const state = { phase: 'Running', startedAt: second, operation, syncResult } as OperationState;
    const ended = { ...state, phase: 'Succeeded', finishedAt: second };
    const next = { ...before, status: { operationState: ended, history: [{ id, deployedAt: second }] } };
    const context = {
      clock: { now: () => Date.parse(second) },
      history: { append: (record: HistoryRecord) => records.has(record.once) || records.set(record.once, record) },
    };
    const work = { before, next, status: next.status, memory, context } as unknown as Reconciliation;
    const begun = { state, plan: { tasks: [] }, comparison: { resources: [], hooks: [] } };
    // each pass over a running sync tells of its beginning
    for (let pass = 0; pass < 2; pass++)
      recordBegin(work, { ...begun, rendered: { revisions: [], objects: [], renders: [] } } as unknown as Begun);
    recordPass(work);
    before = next as unknown as Application as typeof before;
  }
  return [...records.values()].map(({ kind, actor, detail }) => `${kind} ${actor} ${detail.revisions}`);
}

test('syncs that begin within one second are told apart, by whom and to which revision', () => {
  const syncs = [
    { operation: byAdmin, syncResult: { revision: 'one' } },
    { operation: automated, syncResult: { revision: 'one' } },
    { operation: automated, syncResult: { revision: 'two' } },
  ];
  assert.deepEqual(recordsOf(syncs as OperationState[]), [
    'SyncStarted admin one',
    'SyncEnded admin one',
    'SyncStarted automated sync one',
    'SyncEnded automated sync one',
    'SyncStarted automated sync two',
    'SyncEnded automated sync two',
  ]);
});

test('the same sync, asked for twice within one second, is told of twice', () => {
  const sync = { operation: byAdmin, syncResult: { revision: 'one' } } as OperationState;
  assert.deepEqual(recordsOf([sync, sync]), [
    'SyncStarted admin one',
    'SyncEnded admin one',
    'SyncStarted admin one',
    'SyncEnded admin one',
  ]);
});
