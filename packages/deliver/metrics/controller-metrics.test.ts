import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Application } from '@tiphys/api';
import { type RequestRecord, WorkQueue } from '@tiphys/kubernetes';
import { type ClusterFacts, ControllerMetrics, type ControllerMetricsOptions } from './controller-metrics.ts';

const server = 'https://shop.example:6443';

const shop = {
  metadata: { name: 'shop', namespace: 'cd', labels: { 'team/name': 'blue' } },
  spec: {
    project: '',
    destination: { server, namespace: 'live' },
    source: { repoURL: 'https://robot:hush@Host.example/Shop.git' },
    syncPolicy: { automated: { enabled: false } },
  },
  status: {
    sync: { status: 'Synced' },
    conditions: [{ type: 'SyncError' }, { type: 'Other' }],
    operationState: {
      phase: 'Succeeded',
      startedAt: '2026-01-01T00:00:00Z',
      finishedAt: '2026-01-01T00:00:07Z',
      operation: { sync: { dryRun: true } },
    },
  },
} as unknown as Application;

function metricsOf(options: ControllerMetricsOptions = {}, clusters: readonly ClusterFacts[] = []): ControllerMetrics {
  const metrics = new ControllerMetrics(options);
  metrics.follow({
    applications: () => [{ application: shop, server, orphans: () => 2 }],
    application: (key) => (key === 'cd/shop' ? shop : undefined),
    clusters: () => clusters,
    queue: new WorkQueue(),
  });
  return metrics;
}

const linesOf = async (metrics: ControllerMetrics, name: string) =>
  (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`));

test('an application is told by its state, without the credentials of its repository', async () => {
  const [info = ''] = await linesOf(metricsOf(), 'argocd_app_info');
  for (const label of [
    'project="default"',
    'autosync_enabled="false"',
    'repo="https://host.example/shop"',
    'sync_status="Synced"',
    'health_status="Unknown"',
  ])
    assert.ok(info.includes(label), info);
  assert.doesNotMatch(info, /hush/);
  assert.match((await linesOf(metricsOf(), 'argocd_app_orphaned_resources_count'))[0] ?? '', /\} 2$/);
});

test('labels and conditions are shown where they are asked for', async () => {
  const options = { applicationLabels: ['team/name', 'absent'], applicationConditions: ['SyncError'] };
  const metrics = metricsOf(options);
  assert.match((await linesOf(metrics, 'argocd_app_labels'))[0] ?? '', /label_team_name="blue",label_absent=""/);
  const conditions = await linesOf(metrics, 'argocd_app_condition');
  assert.equal(conditions.length, 1);
  assert.match(conditions[0] ?? '', /condition="SyncError"\} 1$/);
  assert.deepEqual(await linesOf(metricsOf(), 'argocd_app_labels'), []);
});

test('a request counts for the application that it was made for, and for none otherwise', async () => {
  const metrics = metricsOf();
  const record: RequestRecord = {
    caller: { component: 'controller', purpose: 'sync', application: 'cd/shop' },
    server: `${server}/prefix`,
    method: 'PATCH',
    path: '/apis/apps/v1/namespaces/live/deployments/web',
    watch: false,
    sent: 1,
    status: 200,
    milliseconds: 3,
  };
  metrics.requested(record);
  metrics.requested({ ...record, caller: { component: 'controller', purpose: 'sync', application: 'cd/gone' } });
  const lines = (await linesOf(metrics, 'argocd_app_k8s_request_total')).map((line) => line.replaceAll('"', ''));
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? '', /name=shop,project=default,server=https:\/\/shop\.example:6443,response_code=200/);
  assert.match(lines[0] ?? '', /resource_namespace=live/);
  assert.match(lines[1] ?? '', /namespace=,name=,project=,/);
});

test('a sync counts with its phase and its time; one that goes on does not', async () => {
  const metrics = metricsOf();
  metrics.synced(shop, server);
  metrics.synced({ ...shop, status: {} } as Application, server);
  const [count = ''] = await linesOf(metrics, 'argocd_app_sync_total');
  assert.match(count, /phase="Succeeded",dry_run="true"\} 1$/);
  assert.match((await linesOf(metrics, 'argocd_app_sync_duration_seconds_total'))[0] ?? '', /\} 7$/);
  metrics.expire();
  assert.deepEqual(await linesOf(metrics, 'argocd_app_sync_total'), []);
});

test('a cluster tells its version, its size and whether it answers; one that was never listed has no age', async () => {
  const facts = { server, name: 'shop', labels: {}, version: '1.34', objects: 5, kinds: 3, connected: false };
  const metrics = metricsOf({ clusterLabels: ['zone'] }, [facts]);
  metrics.changed(server, [{ group: 'apps', kind: 'Deployment' }], 20);
  const of = async (name: string) => (await linesOf(metrics, `argocd_cluster_${name}`))[0] ?? '';
  assert.match(await of('info'), /k8s_version="1.34",name="shop"\} 1$/);
  assert.match(await of('connection_status'), /\} 0$/);
  assert.match(await of('cache_age_seconds'), /\} -1$/);
  assert.match(await of('labels'), /label_zone=""/);
  assert.match(await of('events_total'), /group="apps",kind="Deployment"\} 1$/);
});
