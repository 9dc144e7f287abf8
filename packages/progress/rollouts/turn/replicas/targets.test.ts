import assert from 'node:assert/strict';
import test from 'node:test';
import { wanted } from '../../objects/replica-set.ts';
import { Bench, rolloutOf, serviceOf } from '../../testing/bench.ts';

const targetGroup = 'arn:aws:elasticloadbalancing:x:1:targetgroup/web/7';

function binding(service: string) {
  return {
    apiVersion: 'elbv2.k8s.aws/v1beta1',
    kind: 'TargetGroupBinding',
    metadata: { name: `k8s-${service}`, namespace: 'shop' },
    spec: { targetGroupARN: targetGroup, targetType: 'ip', serviceRef: { name: service, port: 80 } },
  };
}

/** A load balancer that has what `registered` tells, of Services whose pods have two addresses. */
function benchWith(registered: string[], services: readonly string[]): Bench {
  const bench = new Bench({
    loadBalancers: { find: async () => undefined, targetGroups: async () => [], targets: async () => registered },
    endpoints: async () => [{ endpoints: [{ addresses: ['10.0.0.1'] }, { addresses: ['10.0.0.2'] }] } as never],
    routers: [],
  });
  for (const name of services) {
    const service = serviceOf(name);
    bench.put({ ...service, spec: { ...service.spec, ports: [{ port: 80, targetPort: 8080 }] } });
  }
  return bench;
}

test('a blue-green update is not over before the load balancer has the new pods', async () => {
  const registered = ['10.0.0.1:8080', '10.0.9.9:8080'];
  const bench = benchWith(registered, ['active']);
  bench.put(binding('active'));
  const strategy = { blueGreen: { activeService: 'active', scaleDownDelaySeconds: 5 } };
  bench.apply(rolloutOf(strategy));
  await bench.settle();
  bench.apply({ ...bench.rollout, spec: rolloutOf(strategy, 'web:2').spec });
  const waiting = await bench.settle();
  assert.notEqual(waiting.status?.stableRS, waiting.status?.currentPodHash);
  assert.equal(waiting.status?.blueGreen?.activeSelector, waiting.status?.currentPodHash);
  assert.ok(
    bench.events.includes(
      `TargetGroupUnverified: Service active (TargetGroup ${targetGroup}) not verified: 1/2 endpoints registered`,
    ),
  );
  registered.push('10.0.0.2:8080');
  const over = await bench.advance(11_000);
  assert.equal(over.status?.stableRS, over.status?.currentPodHash);
  assert.ok(bench.events.some((event) => event.endsWith('verified: 2 endpoints registered')));
});

test('the old pods of a canary stay until the stable target group has the new ones', async () => {
  const registered: string[] = [];
  const bench = benchWith(registered, ['stable', 'canary']);
  bench.put(binding('stable'));
  const strategy = {
    canary: {
      stableService: 'stable',
      canaryService: 'canary',
      scaleDownDelaySeconds: 5,
      trafficRouting: { alb: { ingress: 'web', servicePort: 80 } },
      steps: [{ setWeight: 50 }],
    },
  };
  bench.apply(rolloutOf(strategy));
  await bench.settle();
  const [old] = bench.sets();
  bench.apply({ ...bench.rollout, spec: rolloutOf(strategy, 'web:2').spec });
  await bench.settle();
  await bench.advance(30_000);
  const oldPods = () => wanted(bench.sets().find(({ metadata }) => metadata.name === old?.metadata.name));
  assert.equal(oldPods(), 3);
  registered.push('10.0.0.1:8080', '10.0.0.2:8080');
  await bench.advance(30_000);
  assert.equal(oldPods(), 0);
});
