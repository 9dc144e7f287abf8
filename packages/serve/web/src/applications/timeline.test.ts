import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HistoryEntry } from '../api/history.ts';
import { lanesOf, lookOfEntry, revisionOf } from './timeline.ts';

const entry = (id: number, application: string, more: Partial<HistoryEntry> = {}): HistoryEntry => ({
  id,
  time: `2026-03-04T10:0${id}:00.000Z`,
  kind: 'Drift',
  application,
  project: 'default',
  namespace: 'shop',
  actor: 'controller',
  summary: 'differs',
  objects: [],
  detail: {},
  ...more,
});

test('lanesOf() has a lane for each application, those with most first, and syncs as bars', () => {
  const lanes = lanesOf([
    entry(5, 'argocd/b'),
    entry(4, 'argocd/a', { kind: 'SyncEnded', detail: { phase: 'Failed', startedAt: '2026-03-04T10:01:00Z' } }),
    entry(3, 'argocd/b'),
  ]);
  assert.deepEqual(
    lanes.map(({ name, marks }) => [name, marks.map(({ id }) => id)]),
    [
      ['b', ['3', '5']],
      ['a', ['4']],
    ],
  );
  const [mark] = lanes[1]?.marks ?? [];
  assert.equal((mark?.until ?? 0) - (mark?.at ?? 0), 180_000);
  assert.equal(mark?.colour, 'red');
});

test('revisionOf() shortens commits alone', () => {
  assert.equal(revisionOf(entry(1, 'a/b', { detail: { revisions: ['f'.repeat(40), '1.2.3'] } })), 'fffffff, 1.2.3');
});

test('lookOfEntry() gives a change of health the look of what it became', () => {
  const look = (kind: 'Health' | 'Drift', summary: string) => lookOfEntry({ kind, summary }).colour;
  assert.equal(look('Health', 'Health Healthy → Degraded'), 'red');
  assert.equal(look('Health', 'Health none → Healthy'), 'teal');
  assert.equal(look('Drift', 'Sync status Synced → OutOfSync'), 'yellow');
});
