import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, type KubeObject } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { ScriptedClock } from '../../../foundation/controller/testing/index.ts';
import { forgetMemos } from './memo-caches.ts';

test('what nobody asked of a cache of memoized templates is forgotten, and a cache with nothing left is deleted', async () => {
  await using sandbox = await startSandbox({ nodes: 0 });
  const client = connect(sandbox.config, { caller: { component: 'test', purpose: 'caches' } });
  const start = Date.parse('2026-01-01T00:00:00Z');
  const entry = (lastHitTimestamp: string) => JSON.stringify({ nodeID: 'n', outputs: null, lastHitTimestamp });
  const [old, fresh] = [entry('2025-12-31T23:59:00Z'), entry('2026-01-01T00:00:10Z')];
  const make = (name: string, data: Record<string, string>, type = 'Cache') =>
    client.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'default', labels: { 'workflows.argoproj.io/configmap-type': type } },
      data,
    } as never);
  await make('both', { old, fresh, foreign: 'no entry' });
  await make('old', { old });
  await make('parameters', { old }, 'Parameter');
  const clock = new ScriptedClock(start);
  const errors: unknown[] = [];
  const env = { CACHE_GC_PERIOD: '20s' };
  const abort = new AbortController();
  const options = { client, clock, env, holds: () => true, onError: (_: string, error: unknown) => errors.push(error) };
  const running = forgetMemos(options, abort.signal);
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default' };
  const found = async (name: string) => (await client.find<KubeObject & { data?: object }>({ ...ref, name }))?.data;
  await clock.sleeping();
  await clock.advance(20_000);
  while ((await found('old')) !== undefined) assert.deepEqual(errors, []);
  assert.deepEqual(await found('both'), { fresh, foreign: 'no entry' });
  assert.deepEqual(await found('parameters'), { old });
  abort.abort(new Error('over'));
  await running;
  await client.close();
});
