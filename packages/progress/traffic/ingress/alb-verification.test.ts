import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoadBalancers } from '../aws/load-balancers.ts';
import { routedObject, routedRollout, routingBench } from '../testing/index.ts';
import { albRouter } from './alb.ts';

const balancer = { name: 'k8s-shop', arn: 'arn:aws:elasticloadbalancing:x:1:loadbalancer/app/k8s-shop/5' };

/** A load balancer whose rules give the weights, by Service. */
function balancers(weights: Readonly<Record<string, readonly number[]>>): LoadBalancers {
  return {
    find: async (hostname) => (hostname === 'shop.example.com' ? balancer : undefined),
    targetGroups: async () =>
      Object.entries(weights).map(([service, given]) => ({
        name: service,
        arn: `arn:aws:elasticloadbalancing:x:1:targetgroup/${service}/7`,
        tags: new Map([['ingress.k8s.aws/resource', `shop/one-${service}:80`]]),
        weights: given,
      })),
    targets: async () => [],
  };
}

function bench(loadBalancers: LoadBalancers | undefined, canary = {}, hostname = 'shop.example.com') {
  const rollout = routedRollout({ alb: { ingress: 'one', servicePort: 80 } }, canary);
  const ingress = {
    ...routedObject('networking.k8s.io/v1', 'Ingress', 'one', { rules: [] }),
    status: { loadBalancer: { ingress: [{ hostname }] } },
  };
  let noted: unknown;
  const made = routingBench(rollout, [ingress], {
    verifiesWeights: true,
    noteAlbs: (albs) => {
      noted = albs;
    },
    ...(loadBalancers ? { loadBalancers } : {}),
  });
  return { ...made, router: albRouter(made.context), noted: () => noted };
}

test('a weight is verified when every rule of the load balancer serves it, and the status tells what was found', async () => {
  const { router, noted, events } = bench(balancers({ canary: [20, 20], stable: [80, 80] }));
  assert.equal(await router.verifyWeight(20), true);
  assert.deepEqual(noted(), [
    {
      ingress: 'one',
      loadBalancer: { ...balancer, fullName: 'k8s-shop/5' },
      canaryTargetGroup: {
        name: 'canary',
        arn: 'arn:aws:elasticloadbalancing:x:1:targetgroup/canary/7',
        fullName: 'canary/7',
      },
      stableTargetGroup: {
        name: 'stable',
        arn: 'arn:aws:elasticloadbalancing:x:1:targetgroup/stable/7',
        fullName: 'stable/7',
      },
    },
  ]);
  assert.match(events[0] ?? '', /^TargetGroupVerified: Service canary .* verified: canary weight 20 set$/);
});

test('it is not verified while one rule serves another weight, or a load balancer cannot be found', async () => {
  const late = bench(balancers({ canary: [20, 10], stable: [80] }));
  assert.equal(await late.router.verifyWeight(20), false);
  assert.match(late.events[0] ?? '', /not verified: canary weight 20 not yet set \(current: 10\)$/);
  const lost = bench(balancers({}), {}, 'lost.example.com');
  assert.equal(await lost.router.verifyWeight(20), false);
  assert.deepEqual(lost.events, ['LoadBalancerNotFound: Failed to find load balancer: lost.example.com']);
  const without = bench(balancers({ stable: [80] }));
  assert.equal(await without.router.verifyWeight(20), false);
});

test('ping and pong are asked by their names of the moment, and destinations of experiments too', async () => {
  const pingPong = { pingPong: { pingService: 'ping', pongService: 'pong' } };
  assert.equal(await bench(balancers({ ping: [30], exp: [5] }), pingPong).router.verifyWeight(30), true);
  const additional = [{ serviceName: 'exp', weight: 5 }];
  assert.equal(await bench(balancers({ ping: [30], exp: [4] }), pingPong).router.verifyWeight(30, additional), false);
});

test('without the setting nothing is asked', async () => {
  assert.equal(await bench(undefined).router.verifyWeight(20), undefined);
});
