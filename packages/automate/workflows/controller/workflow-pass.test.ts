import assert from 'node:assert/strict';
import { test } from 'node:test';
import { awaitExpiry, type WorkflowPass } from './workflow-pass.ts';

/** A pass over a workflow that has ended two seconds ago and lives for five. */
function passOf(metadata: Record<string, unknown>): { readonly pass: WorkflowPass; readonly requeued: number[] } {
  const requeued: number[] = [];
  const ended = Date.parse('2026-01-01T00:00:00Z');
  const next = {
    metadata,
    spec: { ttlStrategy: { secondsAfterCompletion: 5 } },
    status: { phase: 'Succeeded', finishedAt: new Date(ended).toISOString() },
  };
  const pass = { next, clock: { now: () => ended + 2_000 }, requeueIn: (delay: number) => void requeued.push(delay) };
  return { pass: pass as unknown as WorkflowPass, requeued };
}

test('the pass that ends a workflow comes back for its deletion, as nothing else may happen to it', () => {
  const { pass, requeued } = passOf({ labels: { 'workflows.argoproj.io/workflow-archiving-status': 'Archived' } });
  awaitExpiry(pass);
  assert.deepEqual(requeued, [3_000]);
});

test('a workflow that is being deleted, or not in the archive yet, is not waited for', () => {
  for (const metadata of [
    { deletionTimestamp: '2026-01-01T00:00:01Z' },
    { labels: { 'workflows.argoproj.io/workflow-archiving-status': 'Pending' } },
  ]) {
    const { pass, requeued } = passOf(metadata);
    awaitExpiry(pass);
    assert.deepEqual(requeued, []);
  }
});
