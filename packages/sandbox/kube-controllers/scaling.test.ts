import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Condition, Pod } from './machinery/workload-model.ts';
import { type ControlledCluster, startControlledCluster } from './testing/controlled-cluster.ts';
import { eventually } from './testing/eventually.ts';
import { eventuallyAll } from './testing/eventually-all.ts';
import { playPod } from './testing/play-pod.ts';

interface WithStatus extends KubeObject {
  status?: Record<string, unknown> & { conditions?: Condition[]; used?: Record<string, string> };
}

describe('budgets, quotas and autoscalers', () => {
  let cluster: ControlledCluster;
  before(async () => {
    cluster = await startControlledCluster();
  });
  after(() => cluster.close());

  const deploy = (name: string, replicas: number) =>
    cluster.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: {
        replicas,
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: { containers: [{ name: 'main', image: 'nginx', resources: { requests: { cpu: '250m' } } }] },
        },
      },
    });
  const settled = (apiVersion: string, kind: string, name: string, wanted: (object: WithStatus) => boolean) =>
    eventually<WithStatus>(cluster.client, apiVersion, kind, name, (object) => object !== undefined && wanted(object));

  it('tells how many pods of a deployment a budget allows to disrupt', async () => {
    await deploy('web', 3);
    await cluster.create({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web' },
      spec: { maxUnavailable: '34%', selector: { matchLabels: { app: 'web' } } },
    });
    const budget = (wanted: (object: WithStatus) => boolean) =>
      settled('policy/v1', 'PodDisruptionBudget', 'web', wanted);
    const early = await budget(({ status }) => status?.expectedPods === 3);
    assert.equal(early.status?.conditions?.[0]?.reason, 'InsufficientPods');
    for (const pod of await eventuallyAll<Pod>(cluster.client, 'v1', 'Pod', (pods) => pods.length === 3))
      await playPod(cluster.client, pod, 'Running');
    const { status } = await budget((object) => object.status?.currentHealthy === 3);
    assert.deepEqual([status?.desiredHealthy, status?.disruptionsAllowed], [1, 2]);
    assert.equal(status?.conditions?.[0]?.reason, 'SufficientPods');
  });

  it('counts what a namespace uses of its quota', async () => {
    const hard = { pods: '10', 'requests.cpu': '2', 'count/deployments.apps': '5', services: '1' };
    await cluster.create({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'all' }, spec: { hard } });
    const { status } = await settled('v1', 'ResourceQuota', 'all', (object) => object.status?.used?.pods === '3');
    assert.deepEqual(status?.used, { pods: '3', 'requests.cpu': '750m', 'count/deployments.apps': '1', services: '1' });
  });

  it('keeps an autoscaler’s target within its bounds and tells that there are no metrics', async () => {
    await deploy('scaled', 1);
    await cluster.create({
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'scaled' },
      spec: {
        minReplicas: 2,
        maxReplicas: 4,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'scaled' },
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        ],
      },
    });
    await settled('apps/v1', 'Deployment', 'scaled', ({ spec }) => (spec as { replicas?: number }).replicas === 2);
    const { status } = await settled('autoscaling/v2', 'HorizontalPodAutoscaler', 'scaled', (object) =>
      Boolean(object.status?.conditions?.some(({ type }) => type === 'ScalingActive')),
    );
    const condition = status?.conditions?.find(({ type }) => type === 'ScalingActive');
    assert.equal(condition?.reason, 'FailedGetResourceMetric');
    assert.match(
      condition?.message ?? '',
      /the server could not find the requested resource \(get pods.metrics.k8s.io\)$/,
    );
  });
});
