import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { openMetricsPort } from '@tiphys/metrics';
import { configMap } from '../support/manifests.ts';
import { World } from '../support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

/** Samples of one port by name and labels. */
async function scrape(part: 'controller' | 'server' | 'repositories'): Promise<Map<string, number>> {
  const response = await fetch(`${world.metrics[part]}/metrics`);
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  const lines = (await response.text()).split('\n').filter((line) => line && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

test('an application, its sync and its requests are measured under the names that dashboards know', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': configMap('measured', 'one') });
  await world.createApplication(
    'measured',
    repository,
    { targetNamespace: namespace, syncPolicy: { automated: {} } },
    { labels: { team: 'harbour' } },
  );
  await world.healthy('measured');
  const samples = await scrape('controller');
  const own = `namespace="${world.namespace}",name="measured",project="default"`;
  const server = 'dest_server="https://kubernetes.default.svc"';
  assert.equal(
    samples.get(
      `argocd_app_info{${own},autosync_enabled="true",repo="${repository.url.toLowerCase()}",${server},dest_namespace="${namespace}",sync_status="Synced",health_status="Healthy",operation=""}`,
    ),
    1,
  );
  assert.equal(samples.get(`argocd_app_labels{${own},label_team="harbour",label_app_kubernetes_io_part_of=""}`), 1);
  assert.equal(samples.get(`argocd_app_sync_total{${own},${server},phase="Succeeded",dry_run="false"}`), 1);
  const reconciles = samples.get(`argocd_app_reconcile_count{namespace="${world.namespace}",${server}}`) ?? 0;
  assert.ok(reconciles > 0);
  const requests = [...samples].filter(
    ([name]) => name.startsWith(`argocd_app_k8s_request_total{${own}`) && name.includes('resource_kind="configmaps"'),
  );
  assert.ok(requests.length > 0, 'the apply of the ConfigMap is counted for the application');
  assert.equal(
    samples.get('argocd_cluster_connection_status{server="https://kubernetes.default.svc",k8s_version="v1.34.4"}'),
    1,
  );
  for (const name of [
    'request_duration_seconds',
    'request_size_bytes',
    'response_size_bytes',
    'rate_limiter_duration_seconds',
  ])
    assert.ok(
      [...samples.keys()].some((key) => key.startsWith(`argocd_kubectl_${name}_count{`)),
      name,
    );
  assert.equal(
    (await scrape('repositories')).get(`argocd_git_request_total{repo="${repository.url}",request_type="ls-remote"}`),
    1,
  );
});

test('calls of the API are counted by method and code, those never made with zero', async () => {
  const before = await scrape('server');
  await world.rest('GET', '/api/v1/applications/nothing-like-it');
  const after = await scrape('server');
  const handled = (code: string, method = 'Get') =>
    `grpc_server_handled_total{grpc_type="unary",grpc_service="application.ApplicationService",grpc_method="${method}",grpc_code="${code}"}`;
  const denied = (samples: Map<string, number>) => samples.get(handled('PermissionDenied')) ?? 0;
  assert.equal(denied(after) - denied(before), 1);
  assert.equal(after.get(handled('OK', 'Rollback')), 0);
  assert.ok((after.get('argocd_login_request_total{status="success"}') ?? 0) >= 1);
});

test('a port that is taken is told with its address and the flag', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as { port: number };
  await assert.rejects(
    openMetricsPort({ host: '127.0.0.1', port, flag: '--metrics-ports', metrics: async () => '' }),
    (error: Error) => error.message.includes(`Port ${port} of 127.0.0.1 is taken`),
  );
  other.close();
});

test('a port for metrics answers to health checks, and nothing else', async () => {
  const url = world.metrics.controller;
  assert.equal(await (await fetch(`${url}/healthz?full=true`)).text(), 'ok\n');
  assert.equal((await fetch(`${url}/debug/pprof/`)).status, 404);
});
