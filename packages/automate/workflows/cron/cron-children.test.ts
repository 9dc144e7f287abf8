import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryCluster } from '@tiphys/controller';
import type { KubeObject } from '@tiphys/kubernetes';
import { CronChildren } from './cron-children.ts';

const labels = { 'workflows.argoproj.io/cron-workflow': 'nightly' };

test('a CronWorkflow is told of workflows that come, end and go, and of nothing else that changes in them', async () => {
  const cluster = new MemoryCluster();
  const told: string[] = [];
  const children = new CronChildren(cluster.view('Workflow') as never, (cron) => told.push(cron));
  const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', namespace: 'shop', name: 'nightly-1' };
  const { client } = cluster;
  const change = (body: object) => client.patch(ref, 'merge', body);
  await client.create({ ...ref, metadata: { namespace: 'shop', name: 'nightly-1', labels } } as KubeObject);
  assert.deepEqual(told.splice(0), ['shop/nightly']);
  await change({ status: { phase: 'Running', progress: '0/1' } });
  await change({ status: { progress: '1/1' } });
  assert.deepEqual(told.splice(0), []);
  await change({ status: { phase: 'Succeeded' } });
  assert.deepEqual(told.splice(0), ['shop/nightly']);
  const [kept] = children.of('shop/nightly');
  assert.equal(kept?.status?.phase, 'Succeeded');
  await change({ metadata: { labels: { 'workflows.argoproj.io/cron-workflow': 'weekly' } } });
  assert.deepEqual(told.splice(0), ['shop/nightly', 'shop/weekly']);
  assert.equal(children.of('shop/nightly').length, 0);
  await change({ metadata: { labels: { 'workflows.argoproj.io/backfill': 'b' } } });
  assert.deepEqual(told.splice(0), ['shop/weekly'], 'one of a backfill is none of its own');
  assert.equal(children.of('shop/weekly').length, 0);
  await change({ metadata: { labels: { 'workflows.argoproj.io/backfill': null } } });
  told.length = 0;
  await client.delete(ref);
  assert.deepEqual(told, ['shop/weekly']);
  assert.equal(children.of('shop/weekly').length, 0);
});
