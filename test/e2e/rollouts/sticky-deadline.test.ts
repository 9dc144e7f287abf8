import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect, systemClock } from '@tiphys/kubernetes';
import { startRolloutsFamily } from '@tiphys/rollouts';
import { startSandbox } from '@tiphys/sandbox';
import { playStickyDeadline, type Scene } from './sticky-deadline.ts';

/** What the real controller said, by record-sticky-deadline.ts. */
const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, 'testdata', 'sticky-deadline.json'), 'utf8'),
) as Scene[];

test('pods that become ready after the deadline: as upstream at its best, and the pod that is waited for is named', async (t) => {
  const sandbox = await startSandbox();
  t.after(() => sandbox.close());
  const client = connect(sandbox.config, { caller: { component: 'test', purpose: 'deadline' } });
  t.after(() => client.close());
  const scratch = mkdtempSync(join(tmpdir(), 'tiphys-deadline-'));
  t.after(() => rmSync(scratch, { recursive: true, force: true }));
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argo-rollouts' } });
  const stop = new AbortController();
  t.after(() => stop.abort());
  const family = await startRolloutsFamily({
    client,
    namespace: 'argo-rollouts',
    clock: systemClock,
    signal: stop.signal,
    onError: () => undefined,
    env: {},
    scratch,
  });
  t.after(() => family.close());
  const scenes = await playStickyDeadline(client, 120_000);
  const said = (all: readonly Scene[]) => all.map(({ when, phase, message }) => ({ when, phase, message }));
  assert.deepEqual(said(scenes), said(recorded));
  assert.deepEqual(
    scenes.map(({ diagnoses }) => diagnoses),
    [[], ['RolloutPodsNotAvailable'], [], []],
  );
});
