import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Client, connect, type KubeObject } from '@tiphys/kubernetes';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';
import { eventually } from '../testing/eventually.ts';
import { ScalingHistory } from './scaling-rules.ts';

let sandbox: Sandbox;
let client: Client;
before(async () => {
  sandbox = await startSandbox();
  client = connect(sandbox.config, { caller: { component: 'test', purpose: 'test' } });
});
after(async () => {
  await client.close();
  await sandbox.close();
});

interface Scaled extends KubeObject {
  status?: {
    desiredReplicas?: number;
    conditions?: { type: string; status: string; reason: string; message: string }[];
  };
}

test('an autoscaler follows the usage that its annotation gives its pods', async () => {
  const labels = { app: 'busy' };
  const containers = [{ name: 'main', image: 'nginx', resources: { requests: { cpu: '200m' } } }];
  await client.create({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'busy', namespace: 'default' },
    spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  } as KubeObject);
  const status = (object: KubeObject | undefined) => (object?.status ?? {}) as Record<string, number>;
  await eventually(client, 'apps/v1', 'Deployment', 'busy', (it) => status(it).availableReplicas === 2);
  await client.create({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'busy', namespace: 'default', annotations: { 'sandbox.tiphys.dev/usage': 'cpu=300m' } },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'busy' },
      minReplicas: 1,
      maxReplicas: 5,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 75 } } },
      ],
    },
  } as KubeObject);
  await eventually(client, 'apps/v1', 'Deployment', 'busy', (it) => status(it).replicas === 4);
  const active = (it: Scaled | undefined) => it?.status?.conditions?.find(({ type }) => type === 'ScalingActive');
  const scaled = await eventually<Scaled>(
    client,
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    'busy',
    (it) => it?.status?.desiredReplicas === 4 && active(it) !== undefined,
  );
  assert.deepEqual(
    [active(scaled)?.status, active(scaled)?.reason, active(scaled)?.message],
    [
      'True',
      'ValidMetricFound',
      'the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of request)',
    ],
  );
});

const minute = 60_000;
const bounds = { min: 1, max: 20 };

test('scaling up is paced, scaling down waits for five minutes of lower wishes', () => {
  const history = new ScalingHistory();
  const limit = (wish: number, now: number, current: number) => {
    const { replicas, told } = history.limit(wish, { ...bounds, now, current });
    if (replicas !== current) history.changed(now, replicas - current);
    return [replicas, told.map(([, , reason]) => reason).join()];
  };
  assert.deepEqual(limit(12, 0, 2), [6, 'ReadyForNewScale,ScaleUpLimit']);
  assert.deepEqual(limit(12, 5_000, 6), [6, 'ReadyForNewScale,ScaleUpLimit']);
  assert.deepEqual(limit(12, 20_000, 6), [12, 'ReadyForNewScale,DesiredWithinRange']);
  assert.deepEqual(limit(3, minute, 12), [12, 'ScaleDownStabilized,DesiredWithinRange']);
  assert.deepEqual(limit(3, 6 * minute, 12), [3, 'ReadyForNewScale,DesiredWithinRange']);
  assert.deepEqual(limit(90, 20 * minute, 12), [20, 'ReadyForNewScale,TooManyReplicas']);
});

test('two autoscalers of the same pods leave them alone and say so', async () => {
  const labels = { app: 'torn' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'nginx' }] } };
  await client.create({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'torn', namespace: 'default' },
    spec: { replicas: 1, selector: { matchLabels: labels }, template },
  } as KubeObject);
  await eventually(client, 'apps/v1', 'Deployment', 'torn', (it) => {
    const { availableReplicas } = (it?.status ?? {}) as { availableReplicas?: number };
    return availableReplicas === 1;
  });
  for (const name of ['torn-1', 'torn-2'])
    await client.create({
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name, namespace: 'default' },
      spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'torn' }, maxReplicas: 3 },
    } as KubeObject);
  for (const name of ['torn-1', 'torn-2']) {
    const { status } = await eventually<Scaled>(client, 'autoscaling/v2', 'HorizontalPodAutoscaler', name, (it) =>
      Boolean(it?.status?.conditions?.some(({ reason }) => reason === 'AmbiguousSelector')),
    );
    assert.equal(
      status?.conditions?.find(({ type }) => type === 'ScalingActive')?.message,
      'pods by selector app=torn are controlled by multiple HPAs: [default/torn-1 default/torn-2]',
    );
  }
});
