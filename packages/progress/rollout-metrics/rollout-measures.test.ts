import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { RolloutMeasures } from './rollout-measures.ts';

const object = (kind: string, name: string, spec: object, status: object = {}) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind,
  metadata: { namespace: 'shop', name },
  spec,
  status,
});

function bench() {
  const registry = new Registry();
  const rollouts = [
    object(
      'Rollout',
      'web',
      { replicas: 5, strategy: { canary: { trafficRouting: { istio: {}, alb: {} } } } },
      {
        replicas: 6,
        availableReplicas: 4,
        updatedReplicas: 2,
        conditions: [{ type: 'Progressing', reason: 'RolloutPaused' }],
      },
    ),
  ];
  const metric = { name: 'm', provider: { web: { url: '' } } };
  const runs = [
    object(
      'AnalysisRun',
      'run',
      { metrics: [metric], dryRun: [{ metricName: 'm' }] },
      { phase: 'Running', metricResults: [{ name: 'm', phase: 'Failed' }] },
    ),
  ];
  const measures = new RolloutMeasures(
    registry,
    {
      rollouts: () => rollouts,
      experiments: () => [object('Experiment', 'exp', {}, {})],
      analysisRuns: () => runs as never[],
      templates: () => [object('AnalysisTemplate', 't', { metrics: [metric] })] as never[],
    },
    'v1',
  );
  return { registry, measures, rollouts };
}

test('gauges tell the objects as they are at the scrape, and nothing of those that are gone', async () => {
  const { registry, rollouts } = bench();
  const text = await registry.metrics();
  for (const line of [
    'rollout_info{namespace="shop",name="web",strategy="canary",traffic_router="Istio",phase="Paused"} 1',
    'rollout_info_replicas_available{namespace="shop",name="web"} 4',
    'rollout_info_replicas_unavailable{namespace="shop",name="web"} 2',
    'rollout_info_replicas_desired{namespace="shop",name="web"} 5',
    'rollout_info_replicas_updated{namespace="shop",name="web"} 2',
    'rollout_phase{namespace="shop",name="web",strategy="canary",phase="Paused"} 1',
    'rollout_phase{namespace="shop",name="web",strategy="canary",phase="Completed"} 0',
    'analysis_run_info{namespace="shop",name="run",phase="Running"} 1',
    'analysis_run_metric_type{namespace="shop",name="run",metric="m",type="Web"} 1',
    'analysis_run_metric_phase{namespace="shop",name="run",metric="m",type="Web",dry_run="true",phase="Failed"} 1',
    'analysis_template_info{namespace="shop",name="t"} 1',
    'analysis_template_metric_info{namespace="shop",name="t",type="Web",metric="m"} 1',
    'experiment_info{namespace="shop",name="exp",phase=""} 1',
    'experiment_phase{namespace="shop",name="exp",phase="Pending"} 1',
    'argo_rollouts_controller_info{version="v1"} 1',
    `build_info{version="v1",goversion="",goarch="${process.arch}",commit=""} 1`,
  ])
    assert.ok(text.includes(line), `${line} is missing`);
  rollouts.length = 0;
  assert.equal((await registry.metrics()).includes('name="web"'), false);
});

test('passes, events and durations are counted', async () => {
  const { registry, measures } = bench();
  const web = { namespace: 'shop', name: 'web' };
  measures.passed('rollout', web, 200);
  measures.failed('rollout', web);
  measures.event(web, { type: 'Normal', reason: 'RolloutUpdated' });
  const times = { rolloutStartedAt: '2030-01-01T00:00:00Z', completionStatus: 'Promoted' };
  measures.finished(times);
  measures.finished({ ...times, finishedAt: '2030-01-01T00:01:40Z', totalManualPauseDurationSeconds: 40 });
  const request = (method: string, path: string) => measures.requested({ method, path, watch: false, status: 200 });
  request('PATCH', '/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts/web/status');
  request('GET', '/apis/apps/v1/namespaces/shop/replicasets/web-1');
  request('GET', '/api/v1/services');
  request('GET', '/version');
  const text = await registry.metrics();
  for (const line of [
    'controller_clientset_k8s_request_total{kind="rollouts",namespace="shop",name="web",verb="Patch",status_code="200"} 1',
    'controller_clientset_k8s_request_total{kind="replicasets",namespace="shop",name="N/A",verb="Get",status_code="200"} 1',
    'controller_clientset_k8s_request_total{kind="services",namespace="",name="N/A",verb="List",status_code="200"} 1',
    'controller_clientset_k8s_request_total{kind="Unknown",namespace="Unknown",name="Unknown",verb="Unknown",status_code="200"} 1',
    'rollout_reconcile_sum{namespace="shop",name="web"} 0.2',
    'rollout_reconcile_error{namespace="shop",name="web"} 1',
    'rollout_events_total{namespace="shop",name="web",type="Normal",reason="RolloutUpdated"} 1',
    'rollout_duration_seconds_sum{status="Promoted"} 100',
    'rollout_duration_seconds_count{status="Promoted"} 1',
    'rollout_progression_duration_seconds_sum{status="Promoted"} 60',
    'rollout_manual_pause_duration_seconds_sum{status="Promoted"} 40',
  ])
    assert.ok(text.includes(line), `${line} is missing`);
  measures.forget('rollout', web);
  assert.equal((await registry.metrics()).includes('rollout_reconcile_sum{namespace="shop"'), false);
});
