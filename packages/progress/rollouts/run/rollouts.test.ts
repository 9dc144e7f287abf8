import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import type { Rollout } from '@tiphys/api';
import { type Client, connect, pause, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { rolloutOf, serviceOf } from '../testing/bench.ts';
import { startRolloutsFamily } from './family.ts';

const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', namespace: 'shop', name: 'web' };

/** Waits for a condition, two minutes at most. */
async function until(client: Client, check: (rollout: Rollout) => boolean): Promise<Rollout> {
  const limit = AbortSignal.timeout(120_000);
  for (;;) {
    const rollout = await client.get<Rollout>(ref);
    if (check(rollout)) return rollout;
    if (limit.aborted) assert.fail(`it did not come: ${JSON.stringify(rollout.status)}`);
    await pause(systemClock, 50);
  }
}

test('on the sandbox a canary is deployed, pauses at its step, is promoted by the plugin’s patch and released when deleted', async () => {
  const sandbox = await startSandbox();
  const client = connect(sandbox.config, { caller: { component: 'test', purpose: 'rollouts' } });
  const scratch = mkdtempSync(join(tmpdir(), 'tiphys-rollouts-'));
  const abort = new AbortController();
  try {
    for (const name of ['shop', 'argo-rollouts'])
      await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const family = await startRolloutsFamily({
      client,
      namespace: 'argo-rollouts',
      clock: systemClock,
      signal: abort.signal,
      onError: () => undefined,
      env: {},
      scratch,
    });
    const service = serviceOf('web');
    await client.create({ ...service, spec: { ...service.spec, ports: [{ port: 80 }] } });
    const {
      metadata: { uid: _, ...metadata },
      ...rest
    } = rolloutOf({
      canary: { stableService: 'web', steps: [{ setWeight: 34 }, { pause: {} }] },
    });
    await client.create({ ...rest, metadata });
    await until(client, ({ status }) => status?.phase === 'Healthy');
    await client.patch(ref, 'json', [
      { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'web:2' },
    ]);
    const paused = await until(client, ({ status }) => status?.phase === 'Paused');
    assert.equal(paused.status?.message, 'CanaryPauseStep');
    assert.equal(paused.status?.updatedReplicas, 1);
    await client.patch(ref, 'merge', { status: { pauseConditions: null } }, { subresource: 'status' });
    const healthy = await until(client, ({ status }) => status?.phase === 'Healthy');
    assert.equal(healthy.status?.stableRS, healthy.status?.currentPodHash);
    const switched = await client.get({ apiVersion: 'v1', kind: 'Service', namespace: 'shop', name: 'web' });
    assert.equal(
      (switched.spec as { selector: Record<string, string> }).selector['rollouts-pod-template-hash'],
      healthy.status?.stableRS,
    );
    await client.delete(ref);
    const limit = AbortSignal.timeout(120_000);
    for (;;) {
      const left = await client.get({ apiVersion: 'v1', kind: 'Service', namespace: 'shop', name: 'web' });
      const { selector } = left.spec as { selector: Record<string, string> };
      if (!('rollouts-pod-template-hash' in selector)) break;
      assert.equal(limit.aborted, false, 'the Service still selects one revision');
      await pause(systemClock, 50);
    }
    await family.close();
  } finally {
    abort.abort();
    await client.close();
    await sandbox.close();
    rmSync(scratch, { recursive: true, force: true });
  }
});
