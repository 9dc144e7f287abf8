import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trafficRouters } from '../routers.ts';
import { routedObject, routedRollout, routingBench } from '../testing/index.ts';
import type { RouteRule } from './route-weights.ts';

const ref = (name: string, weight?: number, port = 80) => ({ name, port, ...(weight === undefined ? {} : { weight }) });
const rule = (...backendRefs: unknown[]) => ({ matches: [{ path: { value: '/' } }], backendRefs });

async function gateway(kind: string, rules: unknown[], config: Record<string, unknown>, status = {}) {
  const route = routedObject('gateway.networking.k8s.io/v1', kind, 'route', { rules });
  const service = routedObject('v1', 'Service', 'exp', { ports: [{ port: 8080 }] });
  const rollout = {
    ...routedRollout({ plugins: { 'argoproj-labs/gatewayAPI': config }, managedRoutes: [{ name: 'header' }] }),
    status,
  };
  const bench = routingBench(rollout, [route, service]);
  const [router] = await trafficRouters(bench.context);
  assert.equal(router?.type, 'GatewayAPI');
  const rulesNow = () => bench.spec<{ rules: RouteRule[] }>(route).rules;
  const labels = () => bench.cluster.objects(kind)[0]?.metadata.labels;
  return { router: router as NonNullable<typeof router>, rulesNow, labels, bench };
}

for (const [kind, field] of [
  ['HTTPRoute', 'httpRoute'],
  ['GRPCRoute', 'grpcRoute'],
  ['TCPRoute', 'tcpRoute'],
  ['TLSRoute', 'tlsRoute'],
] as const)
  test(`${kind}: the weights of both Services in every rule, and a label while the canary has weight`, async () => {
    const rules = [rule(ref('stable'), ref('canary')), rule(ref('stable'), ref('canary'), ref('other', 3))];
    const { router, rulesNow, labels } = await gateway(kind, rules, { [field]: 'route', namespace: 'shop' });
    await router.setWeight(20);
    assert.deepEqual(rulesNow(), [
      rule(ref('stable', 80), ref('canary', 20)),
      rule(ref('stable', 80), ref('canary', 20), ref('other', 3)),
    ]);
    assert.deepEqual(labels(), { 'rollouts.argoproj.io/gatewayapi-canary': 'in-progress' });
    await router.setWeight(0);
    assert.deepEqual(labels(), {});
  });

test('an experiment has its share of the stable, and only what was added for it is taken away', async () => {
  const config = { httpRoutes: [{ name: 'route' }] };
  const rules = [rule(ref('stable'), ref('canary'), ref('mine', 1))];
  const status = { canary: { weights: { additional: [{ serviceName: 'exp', weight: 10 }] } } };
  const { router, rulesNow } = await gateway('HTTPRoute', rules, config, status);
  await router.setWeight(20, [{ serviceName: 'exp', weight: 10 }]);
  assert.deepEqual(rulesNow(), [
    rule(ref('stable', 70), ref('canary', 20), ref('mine', 1), { name: 'exp', weight: 10, port: 8080 }),
  ]);
  await router.setWeight(20);
  assert.deepEqual(rulesNow(), [rule(ref('stable', 80), ref('canary', 20), ref('mine', 1))]);
});

test('a header route is a rule to the canary for each rule that is divided', async () => {
  const { router, rulesNow } = await gateway('HTTPRoute', [rule(ref('stable'), ref('canary'))], { httpRoute: 'route' });
  await router.setHeaderRoute({ name: 'header', match: [{ headerName: 'a', headerValue: { prefix: 'b' } }] });
  await router.setHeaderRoute({ name: 'header', match: [{ headerName: 'a', headerValue: { prefix: 'b' } }] });
  assert.deepEqual(rulesNow().slice(1), [
    {
      name: 'header',
      matches: [{ path: { value: '/' }, headers: [{ name: 'a', type: 'RegularExpression', value: 'b.*' }] }],
      filters: [],
      backendRefs: [{ group: '', kind: 'Service', name: 'canary', port: 80 }],
    },
  ]);
  await router.setWeight(20);
  assert.equal(rulesNow()[1]?.backendRefs?.[0]?.weight, undefined);
  await router.removeManagedRoutes();
  assert.equal(rulesNow().length, 1);
});

test('a backend that is missing, no route at all and mirroring are refused', async () => {
  const missing = await gateway('HTTPRoute', [rule(ref('stable'))], { httpRoute: 'route' });
  await assert.rejects(missing.router.setWeight(20), /backendRef was not found in httpRoute/);
  const none = await gateway('HTTPRoute', [], {});
  await assert.rejects(none.router.setWeight(20), /No routes configured/);
  await assert.rejects(none.router.setMirrorRoute({ name: 'm' }), /not mirrored by setMirrorRoute/);
});

test('routes are found by labels', async () => {
  const { router, rulesNow } = await gateway('HTTPRoute', [rule(ref('stable'), ref('canary'))], {
    httpRouteSelector: { matchLabels: { app: 'web' } },
  });
  await router.setWeight(5);
  assert.equal(rulesNow()[0]?.backendRefs?.[1]?.weight, 5);
});

test('fields of the configuration that mean nothing are refused by name', async () => {
  const refused = (config: Record<string, unknown>, message: RegExp) =>
    assert.rejects(gateway('HTTPRoute', [], config), message);
  await refused({ httproute: 'route' }, /unknown field "httproute" in the configuration of argoproj-labs\/gatewayAPI/);
  await refused({ httpRoutes: [{ name: 'a' }, { nmae: 'b' }] }, /a route of httpRoutes has no name/);
  await refused({ tcpRoutes: 'a' }, /tcpRoutes is no list/);
});
