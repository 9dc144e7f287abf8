import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryCluster } from '@tiphys/controller';
import { connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { somebodyToTell } from './notifications-needed.ts';

const configMapName = 'argo-workflows-notification-configmap';

function workflow(annotations: Record<string, string>): KubeObject {
  const metadata = { namespace: 'shop', name: 'nightly', annotations };
  return { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', metadata };
}

test('notifications are needed once their settings are there, or an object speaks of them', async (t) => {
  const sandbox = await startSandbox({ nodes: 0 });
  const client = connect(sandbox.config, { caller: { component: 'test', purpose: 'test' }, clock: systemClock });
  t.after(async () => {
    await client.close();
    await sandbox.close();
  });
  const needed = (selfService: boolean, cluster: MemoryCluster, signal: AbortSignal) =>
    somebodyToTell({
      ...{ client, clock: systemClock, namespace: 'default', selfService, configMapName, signal },
      objects: cluster.view('Workflow'),
      onError: (key, error) => assert.fail(`${key}: ${String(error)}`),
    });
  const stop = new AbortController();
  const idle = new MemoryCluster();
  idle.put(workflow({ 'workflows.argoproj.io/pod-name-format': 'v2' }));
  let isNeeded = false;
  const own = needed(false, idle, stop.signal).then(() => {
    isNeeded = true;
  });
  const everywhere = needed(true, idle, stop.signal);
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  await client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: configMapName, namespace: 'shop' } });
  await everywhere;
  assert.equal(isNeeded, false, 'settings of tenants count with self-service alone');
  await client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: configMapName, namespace: 'default' } });
  await own;

  await client.delete({ apiVersion: 'v1', kind: 'ConfigMap', name: configMapName, namespace: 'default' });
  const subscribed = new MemoryCluster();
  const waits = needed(false, subscribed, stop.signal);
  subscribed.put(workflow({}));
  subscribed.put(workflow({ 'notifications.argoproj.io/subscribe.on-failed.slack': 'ops' }));
  await waits;
  await needed(false, subscribed, stop.signal);

  const forever = needed(false, idle, stop.signal);
  stop.abort(new Error('stopped'));
  await assert.rejects(forever, /stopped/);
});
